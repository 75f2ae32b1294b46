import Daemon
import Dev
import FoundationEssentials
import Glibc
import Kernel
import SystemKit
import Testing

/// `.paystream/dev.env`, and the accounts that a development daemon has.
struct DevFileTests {
    private static let values = [
        ("DATABASE_URL", "postgresql://postgres@/paystream?host=%2Ftmp&port=5415"), ("ODD", "it's $HOME; a=b \"c\""),
    ]

    @Test func `what is written is read again`() {
        #expect(DevFile.values(in: DevFile.text(Self.values)) == Dictionary(uniqueKeysWithValues: Self.values))
        #expect(DevFile.values(in: "PLAIN=as it was\n") == ["PLAIN": "as it was"])
    }

    @Test func `a shell that sources it hands every value on as it is`() async throws {
        let folder = "/tmp/paystream-devfile-\(getpid())"
        mkdir(folder, 0o700)
        defer { FileTree.remove(folder) }
        try PrivateFile.write(DevFile.text(Self.values), to: folder + "/dev.env")
        let ending = try await OwnThread.run { () throws(SpawnFailure) in
            try ChildProcess.start(
                "/bin/sh",
                ["-c", ". \(folder)/dev.env && exec /usr/bin/env"],
                environment: [:],
                outputFile: folder + "/out"
            ).wait()
        }
        #expect(ending == .exited(0))
        let lines = Set((FileTree.text(folder + "/out") ?? "").split(separator: "\n").map(String.init))
        for (name, value) in Self.values { #expect(lines.contains("\(name)=\(value)"), "\(lines)") }
    }

    /// An address that an account leaves out is the provider's own, and a development daemon must not call it.
    @Test func `every address of an adapter's settings is the sandbox's in a development account`() throws {
        let folders = [
            "ecommpay": "Ecommpay", "portmone": "Portmone", "dolyame": "Dolyame", "sberpay": "SberPay",
            "worldline": "WorldlineDirect",
        ]
        let sandbox = "http://127.0.0.1:1"
        let root = #filePath.components(separatedBy: "/Tests/")[0]
        for account in DevAccount.all(at: sandbox) {
            let folder = "\(root)/Sources/Providers/\(try #require(folders[account.provider]))/Account"
            let sources = FileTree.names(in: folder).compactMap { FileTree.text("\(folder)/\($0)") }.joined()
            let members = sources.matches(of: /object\.address\("(\w+)"/).map { String($0.output.1) } + ["endpoint"]
            #expect(account.provider == "worldline" || members.count > 1, "\(account.provider)")
            for member in members where member != "endpoint" || account.provider == "worldline" {
                let address = account.settings[member]?.text ?? "none"
                #expect(address.hasPrefix(sandbox), "\(account.provider).\(member): \(address)")
            }
        }
    }
}
