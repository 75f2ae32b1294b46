import Testing

/// Each rule is fed a breach and must see it, and is fed what only looks like one.
struct RuleTests {
    private func file(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, text: text) }

    // MARK: imports

    @Test func `an arrow that points up is seen`() {
        let breaches = ImportRule.breaches(in: [file("Sources/Kernel/A.swift", "package import Payments\n")])
        #expect(breaches.map(\.reason) == ["Kernel may not import Payments"])
    }

    @Test func `the simulator may not import the adapters' contract`() {
        let breaches = ImportRule.breaches(in: [
            file("Sources/Tools/Sandbox/A.swift", "import Kernel\nimport ProviderKit\n")
        ])
        #expect(
            breaches == [
                Breach(path: "Sources/Tools/Sandbox/A.swift", line: 2, reason: "Sandbox may not import ProviderKit")
            ]
        )
    }

    @Test func `an import of one declaration is an import of its module`() {
        #expect(!ImportRule.breaches(in: [file("Sources/Http/A.swift", "import struct Payments.Payment")]).isEmpty)
    }

    @Test func `an import in a comment or a text is none`() {
        let text = "// import Payments\nlet a = \"import Payments\"\n/* import Engine */ import Kernel\n"
        #expect(ImportRule.breaches(in: [file("Sources/Http/A.swift", text)]).isEmpty)
    }

    @Test func `a folder without a row is seen`() {
        #expect(!ImportRule.breaches(in: [file("Sources/Terminal/A.swift", "")]).isEmpty)
    }

    @Test func `no row of the table points up or to its own level except among tests`() {
        for row in TargetTable.rows {
            for name in row.mayImport {
                guard let other = TargetTable.row(named: name) else { continue }
                #expect(other.level < row.level, "\(row.name) → \(name)")
            }
        }
    }

    @Test func `a dependency that the table forbids is seen in the manifest`() throws {
        let manifest = try #require(Checkout.files.first { $0.path == "Package.swift" }).text
        let wrong = manifest.replacing(
            "module(\"Http\", [\"Kernel\"])",
            with: "module(\"Http\", [\"Kernel\", \"Engine\"])"
        )
        #expect(wrong != manifest)
        #expect(ManifestRule.breaches(manifest: wrong, files: []).map(\.reason) == ["Http may not depend on Engine"])
    }

    @Test func `a target without a row and a test's undeclared import are seen`() throws {
        let manifest = try #require(Checkout.files.first { $0.path == "Package.swift" }).text
        let wrong = manifest.replacing("targets: [\n", with: "targets: [\n        module(\"Terminal\", pure),\n")
        let test = file("Tests/HttpTests/A.swift", "import Kernel\nimport Engine\n")
        #expect(
            ManifestRule.breaches(manifest: wrong, files: [test]).map(\.reason)
                == ["Terminal has no row in the target table", "Package.swift gives HttpTests no Engine"]
        )
    }

    @Test func `a stale table of targets, and a target of which nobody says what it holds, are seen`() throws {
        let manifest = try #require(Checkout.files.first { $0.path == "Package.swift" }).text
        func breaches(_ page: String, _ manifest: String) -> [Breach] {
            ArchitectureRule.breaches(page: file("docs/ARCHITECTURE.md", page), manifest: manifest)
        }
        let empty = try #require(
            ArchitectureRule.written(ArchitectureRule.begin + ArchitectureRule.end, manifest: manifest)
        )
        #expect(breaches(empty, manifest).count == TargetTable.rows.count + TargetTable.systemModules.count)
        let held = empty.replacing("| 0 | Kernel* | | |", with: "| 0 | Kernel* | money | |")
        #expect(ArchitectureRule.written(held, manifest: manifest) == held)
        #expect(breaches(held, manifest).allSatisfy { !$0.reason.hasSuffix("what Kernel* holds") })
        let other = manifest.replacing("module(\"Xml\", [\"CExpat\"]", with: "module(\"Xml\", [\"CExpat\", \"Kernel\"]")
        #expect(breaches(held, other).map(\.reason) == ["is stale: `make docs` writes | 1 | Xml* | | CExpat, Kernel |"])
        #expect(breaches("no table", manifest).map(\.reason) == ["has no table of targets"])
    }

    // MARK: purity

    @Test(arguments: [
        "func a() async {}", "let a = await b()", "let now = Date()", "let a = Int.random(in: 0..<3)",
        "var a = SystemRandomNumberGenerator()", "let a = Date.now", "Task { }", "import Glibc", "import Foundation",
        "import Dispatch", "let a = list.shuffled()", "actor A {}", "print(\"a\")", "let a = \"\\(Date())\"",
    ])
    func `impurity is seen`(text: String) {
        #expect(PurityRule.breaches(in: [file("Sources/Payments/A.swift", text)]).count == 1)
    }

    @Test(arguments: [
        "/// Reads Date() and awaits: await.", "let a = \"async Date()\"", "func `an await`() {}",
        "let a = Int.random(in: 0..<3, using: &chance)", "let asyncName = 1", "let date: LocalDate", "import Kernel",
    ])
    func `what only looks impure is let through`(text: String) {
        #expect(PurityRule.breaches(in: [file("Sources/Payments/A.swift", text)]).isEmpty)
    }

    @Test func `the exceptions hold for their own place only`() {
        #expect(PurityRule.breaches(in: [file("Sources/Kernel/Locked.swift", "import Glibc")]).isEmpty)
        #expect(PurityRule.breaches(in: [file("Sources/EventSourcing/Port/A.swift", "func a() async")]).isEmpty)
        #expect(!PurityRule.breaches(in: [file("Sources/EventSourcing/A.swift", "func a() async")]).isEmpty)
        #expect(PurityRule.breaches(in: [file("Sources/Engine/A.swift", "import Glibc; func a() async")]).isEmpty)
    }

    @Test func `a test that draws without a seed is seen`() {
        let wrong = "let a = list.shuffled()\nlet b = Int.random(in: 0..<3)\nlet c = list.randomElement()"
        #expect(PurityRule.chance(in: [file("Tests/KernelTests/A.swift", wrong)]).count == 3)
        let right = "let a = list.shuffled(using: &random)\nlet b = api.random.uuid()\nlet c = \"Int.random()\""
        #expect(PurityRule.chance(in: [file("Tests/KernelTests/A.swift", right)]).isEmpty)
        #expect(PurityRule.chance(in: [file("Sources/Daemon/A.swift", wrong)]).isEmpty)
    }

    // MARK: length

    @Test func `a long file is seen and the longest allowed one is not`() {
        let line = "let a = 1\n"
        let allowed = String(repeating: line, count: LengthRule.fileLines)
        #expect(LengthRule.breaches(in: [file("Sources/Http/A.swift", allowed)]).isEmpty)
        #expect(LengthRule.breaches(in: [file("schema/functions/a.sql", allowed + line)]).count == 1)
    }

    @Test func `a long function is seen and the longest allowed one is not`() {
        func text(_ inner: Int) -> String {
            "protocol P { func empty(_ a: [Int]) -> Int }\n@Test func `a } name`(b: () -> Void = { }) {\n"
                + String(repeating: "    call(\"}\") // }\n", count: inner) + "}\nfunc short() {}\n"
        }
        let longest = LengthRule.functionLines - 2
        #expect(LengthRule.breaches(in: [file("Tests/A.swift", text(longest))]).isEmpty)
        let breaches = LengthRule.breaches(in: [file("Tests/A.swift", text(longest + 1))])
        #expect(breaches.map(\.line) == [2])
    }

    // MARK: words

    @Test(arguments: [
        "// TO" + "DO: later", "// FIX" + "ME", "// XX" + "X", "A st" + "ub of it.", "the Place" + "holder",
        "cd /wo" + "rk/here", "path = \"/ho" + "me/me\"",
    ])
    func `a forbidden word is seen`(text: String) {
        #expect(WordRule.breaches(in: [file("docs/a.md", text)]).count == 1)
    }

    @Test(arguments: [
        "mktemp a.XXXXXX", "stubborn", "todo-list of a merchant", "src/wo" + "rk/a", "a network/ho" + "me",
    ])
    func `what only looks forbidden is let through`(text: String) {
        #expect(WordRule.breaches(in: [file("docs/a.md", text)]).isEmpty)
    }

    @Test(arguments: ["struct KeyManager {}", "enum Utils {}", "final class CommonThings {}", "actor HttpHelper {}"])
    func `an empty name is seen`(text: String) {
        #expect(WordRule.breaches(in: [file("Sources/Http/A.swift", text)]).count == 1)
    }

    @Test func `an empty name is seen in a path`() {
        #expect(WordRule.breaches(in: [file("Sources/Http/Helpers/A.swift", "")]).count == 1)
        #expect(WordRule.breaches(in: [file("Sources/Http/UncommonCase.swift", "struct UncommonCase {}")]).isEmpty)
    }

    @Test(arguments: ["public struct A {}", "@testable import Kernel"])
    func `a door wider than the package is seen`(text: String) {
        #expect(WordRule.breaches(in: [file("Tests/HttpTests/A.swift", text)]).count == 1)
    }

    @Test func `the daemon's own tests may look inside it, and inside nothing else`() {
        let inside = "@testable import Daemon"
        #expect(WordRule.breaches(in: [file("Tests/DaemonTests/A.swift", inside)]).isEmpty)
        #expect(WordRule.breaches(in: [file("Tests/ApiTests/A.swift", inside)]).count == 1)
        #expect(WordRule.breaches(in: [file("Tests/DaemonTests/A.swift", "@testable import Store")]).count == 1)
    }

    @Test(arguments: [
        "struct OpenMatter {}", "enum A { case one(Int), oddities }", "protocol KeyDesk {}", "let seen = 1",
        "extension A { var sightings: [Int] { [] } }", "func upkeepOfRows() {}", "final class HTTPBell {}",
    ])
    func `a word of our own in a name is seen`(text: String) {
        #expect(GlossaryRule.breaches(in: [file("Sources/Http/A.swift", text)], exceptions: []).count == 1)
    }

    @Test(arguments: [
        "func a() { let seen = 1; let desk = 2 }", "let a = \"desk\" // a desk", "var unseen: Int { seen() }",
        "struct Dashboard {}", "let clipboards = 1", "switch a { case .wake: break }", "func a(desk: Int) {}",
    ])
    func `what only looks like a word of our own is let through`(text: String) {
        let text = text.hasPrefix("switch") ? "func a() { \(text) }" : text
        #expect(GlossaryRule.breaches(in: [file("Sources/Http/A.swift", text)], exceptions: []).isEmpty)
    }

    @Test func `a word of our own in a path is seen, and an exception holds while its name is there`() {
        let files = [file("Sources/Tools/Dev/KeyDesks.swift", ""), file("Sources/Http/A.swift", "let bell = 1")]
        #expect(
            GlossaryRule.breaches(in: files, exceptions: []).map(\.path) == ["Sources/Http/A.swift", files[0].path]
        )
        #expect(GlossaryRule.breaches(in: files, exceptions: ["Http bell", "Tools/Dev KeyDesks"]).isEmpty)
        let stale = GlossaryRule.breaches(in: files, exceptions: ["Http bell", "Tools/Dev KeyDesks", "Http desk"])
        #expect(stale.map(\.reason) == ["'Http desk' is no exception any more"])
    }

    @Test func `an untracked file is seen and a changed one is not`() {
        let status = " M Sources/A.swift\nA  Sources/B.swift\n?? Sources/C.swift\n"
        #expect(CommittedRule.breaches(status: status).map(\.path) == ["Sources/C.swift"])
    }

    @Test func `a place that is not there, and a name that its file lacks, are seen`() {
        let page = file(
            "docs/WHERE.md",
            "| a | `Sources/Http/A.swift` `run`; `Sources/Http` |\n`Sources/Http/B.swift` and `Sources/Http/A.swift` `walk`\n"
        )
        let files = [page, file("Sources/Http/A.swift", "func run() { walked() }")]
        #expect(PlaceRule.places(in: page.text).map(\.name) == ["run", nil, nil, "walk"])
        #expect(
            PlaceRule.breaches(page: page, files: files).map(\.reason) == [
                "Sources/Http/B.swift is not there", "Sources/Http/A.swift has no 'walk'",
            ]
        )
    }

    @Test func `a way that is long or comes back into the daemon is seen`() {
        let page = file(
            "docs/WHERE.md",
            """
            # Where

            ### The command

            1. `Sources/Daemon/A.swift` `a` and `Sources/Api/A.swift` `a`
            2. `Sources/Daemon/B.swift` `b`; `Sources/Api/A.swift` `c`

            ### What follows

            1. `Sources/Daemon/C.swift` `c`
            """
        )
        #expect(
            PlaceRule.breachesOfWay(page: page, filesAtMost: 2) == [
                Breach(path: page.path, line: 6, reason: "a command comes back into Sources/Daemon/B.swift"),
                Breach(path: page.path, line: 5, reason: "a command passes through 3 files, and 2 are enough"),
            ]
        )
        #expect(PlaceRule.breachesOfWay(page: page, filesAtMost: 3).count == 1)
    }

    @Test func `a link to nothing, and a type that is none, are seen`() {
        let page = file(
            "docs/a.md",
            "[b](b.md#c), [up](../Makefile), [web](https://a.example), [gone](../x/b.md)\n`NoType`"
        )
        let code = file(
            "Sources/Http/A.swift",
            "/// Like `OtherType.a`, `Http`, `OneType` and `a OneType`.\nstruct OneType {}"
        )
        let files = [page, code, file("docs/b.md", ""), file("Makefile", "")]
        #expect(
            LinkRule.breaches(in: files).map(\.reason) == [
                "x/b.md is not there", "no type is called NoType", "no type is called OtherType",
            ]
        )
    }

    // MARK: the core, limits

    @Test func `a pure suite that the core leaves out, and one that is not pure, are seen`() {
        let makefile = "A := 1\nCORE := ^(Kernel|Store)Tests\\.\n"
        let breaches = CoreRule.breaches(makefile: makefile, suites: ["KernelTests", "HttpTests", "StoreTests"])
        #expect(
            breaches.map(\.reason) == ["test-core leaves HttpTests out", "StoreTests is no suite of a pure module"]
        )
        #expect(breaches.allSatisfy { $0.line == 2 })
    }

    @Test func `a limit that nobody reads is seen, also where a longer name is read`() {
        let limits =
            "package enum Limits {\n    package static let bytes = 1\n    package static let bytesMore = 2\n}\n"
        let reader = file("Sources/Http/A.swift", "let a = Limits.bytesMore\n")
        let breaches = LimitRule.breaches(in: [file("Sources/Kernel/Limits.swift", limits), reader])
        #expect(
            breaches == [Breach(path: "Sources/Kernel/Limits.swift", line: 2, reason: "nobody reads the limit bytes")]
        )
    }

    // MARK: mutants

    @Test func `a rule that is gone is seen`() {
        #expect(
            MutantRule.breaches(report: "GONE   1.7: nothing in Sources/A.swift is like that any more\n").count == 1
        )
        #expect(MutantRule.breaches(report: "").isEmpty)
    }
}
