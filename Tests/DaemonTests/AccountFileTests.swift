import EventSourcing
import Kernel
import Payments
import ProviderKit
import SystemKit
import TestKit
import Testing

@testable import Daemon

/// The account files that docs/accounts.md shows, held against the adapters that would take them.
struct AccountFileTests {
    private static func files() throws -> [Json] {
        let page = try #require(
            SmallFile.read(
                String(#filePath.prefix(#filePath.count - "Tests/DaemonTests/AccountFileTests.swift".count))
                    + "docs/accounts.md"
            )
        )
        let blocks = String(decoding: page, as: UTF8.self).split(separator: "```json\n").dropFirst()
        return try blocks.map { block in
            try Json(Array(block.prefix(upTo: try #require(block.firstRange(of: "```")).lowerBound).utf8))
        }
    }

    @Test func `each provider has a file that its adapter takes as it stands`() throws {
        let files = try Self.files()
        #expect(files.compactMap { $0["provider"]?.text }.sorted() == Node.adapters.ids.sorted())
        for file in files {
            let provider = try #require(file["provider"]?.text)
            let adapter = try #require(Node.adapters[provider])
            let name = try #require(file["name"]?.text)
            let mode = try #require(file["mode"]?.text.flatMap(AccountFacts.Mode.init(rawValue:)))
            let facts = AccountFacts(
                id: DerivedNames.account(MerchantNumber(1), name: name),
                name: name,
                provider: provider,
                mode: mode,
                version: 1
            )
            let settings = AccountSettings(
                account: facts,
                values: try #require(file["settings"]),
                notificationUrl: "https://shop.example/n",
                returnUrl: "https://shop.example/r"
            )
            #expect(throws: Never.self) { try adapter.capabilities(settings) }
            #expect(file["secrets"]?.members?.names.sorted() == adapter.declaration.secrets.sorted(), "\(provider)")
        }
    }
}
