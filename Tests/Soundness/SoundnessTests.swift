import FoundationEssentials
import Glibc
import Testing

/// The rules held against the checkout as it is.
struct SoundnessTests {
    @Test func `the checkout is found and read`() {
        #expect(Checkout.files.contains { $0.path == "Package.swift" })
        #expect(Checkout.files.contains { $0.path == "Sources/Kernel/Money/Money.swift" })
        #expect(Checkout.files.contains { $0.path == "Makefile" })
    }

    @Test func `modules import along the arrows only`() {
        #expect(ImportRule.breaches(in: Checkout.files) == [])
    }

    @Test func `the manifest and the target table agree`() throws {
        let manifest = try #require(Checkout.files.first { $0.path == "Package.swift" })
        #expect(ManifestRule.breaches(manifest: manifest.text, files: Checkout.files) == [])
    }

    @Test func `the page of the architecture says what the manifest says`() throws {
        let manifest = try #require(Checkout.files.first { $0.path == "Package.swift" })
        let page = try #require(Checkout.files.first { $0.path == "docs/ARCHITECTURE.md" })
        if getenv("UPDATE_DOCS") != nil, let text = ArchitectureRule.written(page.text, manifest: manifest.text) {
            try text.write(toFile: "\(Checkout.root)/\(page.path)", atomically: true, encoding: .utf8)
        } else {
            #expect(ArchitectureRule.breaches(page: page, manifest: manifest.text) == [])
        }
    }

    @Test func `pure modules stay pure`() {
        #expect(PurityRule.breaches(in: Checkout.files) == [])
    }

    @Test func `what the page of places names is there`() throws {
        let page = try #require(Checkout.files.first { $0.path == "docs/WHERE.md" })
        #expect(PlaceRule.places(in: page.text).count > 20)
        #expect(PlaceRule.breaches(page: page, files: Checkout.files) == [])
        #expect(PlaceRule.commandFiles(in: page.text).last?.path == "schema/functions/commit.sql")
        #expect(PlaceRule.breachesOfWay(page: page) == [])
    }

    @Test func `links and names of types in pages and comments lead somewhere`() {
        #expect(LinkRule.breaches(in: Checkout.files) == [])
    }

    @Test func `tests draw from generators with a seed`() {
        #expect(PurityRule.chance(in: Checkout.files) == [])
    }

    @Test func `files and functions stay short`() {
        #expect(LengthRule.breaches(in: Checkout.files) == [])
    }

    @Test func `forbidden words and empty names stay out`() {
        #expect(WordRule.breaches(in: Checkout.files) == [])
    }

    @Test func `names are in words of the glossary`() {
        #expect(GlossaryRule.breaches(in: Checkout.files) == [])
    }

    @Test func `the suite of every pure module is in the core`() throws {
        let makefile = try #require(Checkout.files.first { $0.path == "Makefile" })
        let suites = Set(Checkout.files.compactMap { $0.path.split(separator: "/").dropFirst().first.map(String.init) })
        #expect(CoreRule.breaches(makefile: makefile.text, suites: suites) == [])
    }

    @Test func `somebody reads every limit`() {
        #expect(LimitRule.breaches(in: Checkout.files) == [])
    }

    @Test func `every file is committed`() {
        // Outside a git checkout, as in an unpacked archive, there is nothing to hold the rule against.
        guard let status = CommittedRule.status(of: Checkout.root) else { return }
        #expect(CommittedRule.breaches(status: status) == [])
    }

    @Test func `every rule that is taken out to prove its tests is there`() throws {
        let report = try #require(MutantRule.report(of: Checkout.root))
        #expect(MutantRule.breaches(report: report) == [])
    }
}
