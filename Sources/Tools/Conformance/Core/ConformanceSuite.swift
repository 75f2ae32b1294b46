package import Kernel

/// An adapter that can be held against vector files: a file's `kind` chooses how each of its cases is judged.
package protocol ConformanceSuite: Sendable {
    /// The kinds that this provider's cases come in.
    var cases: [CaseKind] { get }
}

/// One kind of a provider's cases: its name without the provider's, as `callbacks`, the members of a case, and its judge.
package struct CaseKind: Sendable {
    /// Judges one case by what is in the case and the file's own members; empty means that it passed.
    ///
    /// `item` is one element of `cases`, `file` the whole document, for members that hold for all cases.
    package typealias Judge = @Sendable (_ item: Json, _ file: Json) -> [String]

    let name: String
    let form: CaseForm
    let judge: Judge

    package init(_ name: String, _ form: CaseForm, judge: @escaping Judge) {
        self.name = name
        self.form = form
        self.judge = judge
    }

    package init(
        _ name: String,
        given: String,
        expected: String,
        within: [String: String] = [:],
        judge: @escaping Judge
    ) {
        self.init(name, CaseForm(given: given, expected: expected, within: within), judge: judge)
    }
}

extension ConformanceSuite {
    package var kinds: [String] { cases.map(\.name) }

    func form(of kind: String) -> CaseForm? { cases.first { $0.name == kind }?.form }

    package func violations(kind: String, item: Json, file: Json) -> [String] {
        cases.first { $0.name == kind }?.judge(item, file) ?? ["unknown kind \(kind)"]
    }
}
