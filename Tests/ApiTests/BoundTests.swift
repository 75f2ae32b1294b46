import Api
import Foundation
import Http
import Kernel
import Testing

/// How much there can be of something: the page says it, and one more is refused.
@Suite struct BoundTests {
    private static let begin = "<!-- bounds: `make docs` writes this table -->\n"
    private static let end = "<!-- end of the bounds -->"

    @Test func `the page of access tells every bound`() throws {
        let root = String(#filePath.prefix(upTo: try #require(#filePath.range(of: "/Tests/")).lowerBound))
        let path = root + "/docs/access.md"
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let first = try #require(page.range(of: Self.begin))
        let last = try #require(page.range(of: Self.end))
        let rows = Bound.all.map { "| \($0.what) | \($0.most) | `\($0.code)` |\n" }.joined()
        let table = "\n| what | at most | one more is refused with |\n| --- | --- | --- |\n\(rows)\n"
        let wanted = page[..<first.upperBound] + table + page[last.lowerBound...]
        if getenv("UPDATE_DOCS") != nil {
            try wanted.write(toFile: path, atomically: true, encoding: .utf8)
        } else {
            #expect(page == wanted, "`make docs` writes it")
        }
    }

    /// The bound whose words begin so.
    private static func most(_ what: String) throws -> Bound {
        try #require(Bound.all.first { $0.what.hasPrefix(what) }, "\(what)")
    }

    /// Does something until it is refused; answers how often it was not.
    private static func count(_ bound: Bound, _ step: (Int) async throws -> Answer) async throws -> Int {
        for number in 0...bound.most {
            let answer = try await step(number)
            guard answer.status >= 400 else { continue }
            #expect(answer.code == bound.code, "\(answer)")
            return number
        }
        return bound.most + 1
    }

    @Test func `a merchant has so many keys and accounts, and no more`() async throws {
        try await ApiHarness.run { api throws in
            let keys = try Self.most("keys of a merchant")
            let made = try await Self.count(keys) { number in
                try await api.post("/v1/keys", ["name": "k", "role": "auditor"], key: "key-\(number)")
            }
            #expect(made == keys.most)
            let accounts = try Self.most("accounts of a merchant")
            // One is there from the beginning.
            let more = try await Self.count(accounts) { number in
                let account: Json = [
                    "name": .string("more-\(number)"), "provider": "ecommpay", "mode": "test",
                    "settings": ["currencies": ["EUR"], "projectId": 7], "secrets": ["secretKey": "x"],
                ]
                return try await api.post("/v1/accounts", account, key: "account-\(number)")
            }
            #expect(more == accounts.most - 1)
        }
    }

    @Test func `so many changes wait, so many policies and networks are kept, and no more`() async throws {
        try await ApiHarness.run { api throws in
            let policies = try Self.most("dunning policies")
            let kept = try await Self.count(policies) { number in
                try await api.send(.put, "/v1/dunning-policies/p\(number)", ["giveUp": "mark"])
            }
            #expect(kept == policies.most)
            let networks = try Self.most("networks of a key")
            for count in [networks.most, networks.most + 1] {
                let list = (0..<count).map { Json.string("10.0.\($0).0/24") }
                let body: Json = ["name": "wide", "role": "auditor", "networks": .array(list)]
                let answer = try await api.post("/v1/keys", body, key: "wide-\(count)")
                #expect(count > networks.most ? answer.code == networks.code : answer.status == 200, "\(answer)")
            }
            let changes = try Self.most("changes of a merchant")
            try await api.send(.put, "/v1/merchant/persons", ["persons": 2], key: "two").expect(200)
            let proposed = try await Self.count(changes) { number in
                try await api.send(.put, "/v1/routing", ["accounts": .array([])], key: "change-\(number)")
            }
            #expect(proposed == changes.most)
        }
    }
}
