import Conformance
import Kernel
import ProviderKit
import SystemKit

/// How many cases did what they should.
struct VectorTally: Hashable, Sendable {
    var passed = 0
    var failed = 0
}

/// One file of cases, `{"kind": "provider/name", …, "cases": [{"id": …, …}]}`, judged case by case.
struct VectorFile {
    let path: String
    private let content: Result<Json, Unreadable>
    private let kind: String?
    private let provider: String
    private let suite: any ConformanceSuite

    private struct Unreadable: Error { let reason: String }

    /// Vector files are larger than anything that comes over the wire.
    private static let limits = JsonLimits(bytes: 64 << 20, depth: 64)

    /// Reads a file; `kind` overrules what the file says it is.
    init(_ path: String, kind: String?, provider: String, suite: any ConformanceSuite) throws(UsageError) {
        self.path = path
        self.provider = provider
        self.suite = suite
        guard let bytes = SmallFile.read(path) else { throw UsageError("the file '\(path)' can't be read") }
        let file: Json
        do throws(JsonFailure) { file = try Json(bytes, limits: Self.limits) } catch {
            content = .failure(Unreadable(reason: "no JSON: \(error.code.rawValue) at byte \(error.offset)"))
            self.kind = kind
            return
        }
        content = .success(file)
        if let kind { self.kind = kind } else { self.kind = try Self.ownKind(file, path, provider, suite.kinds) }
    }

    private static func ownKind(_ file: Json, _ path: String, _ provider: String, _ known: [String])
        throws(UsageError) -> String
    {
        guard let text = file["kind"]?.text else { throw UsageError("'\(path)' says no kind; give one with --kind") }
        return try Self.kind(text, of: provider, known: known)
    }

    /// The name of a kind, given with or without its provider.
    static func kind(_ text: String, of provider: String, known: [String]) throws(UsageError) -> String {
        let name = text.hasPrefix(provider + "/") ? String(text.dropFirst(provider.count + 1)) : text
        guard known.contains(name) else {
            throw UsageError("\(provider) has no kind '\(text)'; it has \(known.joined(separator: ", "))")
        }
        return name
    }

    /// Judges every case and reports a line for each.
    func check(_ tally: inout VectorTally, report: (String) -> Void) {
        let file: Json
        switch content {
        case .success(let read): file = read
        case .failure(let unreadable):
            tally.failed += 1
            report("FAIL \(path): \(unreadable.reason)")
            return
        }
        guard let kind, let cases = file["cases"]?.items else {
            tally.failed += 1
            report("FAIL \(path): there is no list 'cases'")
            return
        }
        let judge = CaseJudge(suite)
        for (index, item) in cases.enumerated() {
            let name = "\(provider)/\(kind) \(Self.name(of: item, index))"
            let violations = judge.violations(kind: kind, item: item, file: file)
            if violations.isEmpty {
                tally.passed += 1
                report("PASS \(name)")
            } else {
                tally.failed += 1
                report("FAIL \(name): \(Self.oneLine(violations.joined(separator: "; ")))")
            }
        }
    }

    /// The case's own id, or its place in the file.
    private static func name(of item: Json, _ index: Int) -> String {
        switch item["id"] {
        case .string(let text)?: oneLine(text)
        case .number(let number)?: number.text
        case .null?, .bool?, .array?, .object?, nil: "#\(index + 1)"
        }
    }

    /// A case is one line, whatever its texts hold.
    private static func oneLine(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 })
        )
    }
}
