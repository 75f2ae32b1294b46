package import Kernel

/// An adapter that can be held against vector files: a file's `kind` chooses how each of its cases is judged.
package protocol ConformanceSuite: Sendable {
    /// The kinds that this provider's cases come in, without the provider's name, as `callbacks`.
    var kinds: [String] { get }

    /// The members that a kind's cases may have; `nil` for a kind that there is not.
    func form(of kind: String) -> CaseForm?

    /// Judges one case by what is in the case and the file's own members; empty means that it passed.
    ///
    /// `item` is one element of `cases`, `file` the whole document, for members that hold for all cases.
    func violations(kind: String, item: Json, file: Json) -> [String]
}
