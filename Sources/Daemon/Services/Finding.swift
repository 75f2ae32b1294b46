/// One thing that was looked at.
package struct Finding: Hashable, Sendable {
    package enum Verdict: String, Hashable, Sendable {
        case ok = "ok  "
        case warn = "WARN"
        case fail = "FAIL"
    }

    package let verdict: Verdict
    package let what: String
    package let detail: String

    package init(_ verdict: Verdict, _ what: String, _ detail: String) {
        self.verdict = verdict
        self.what = what
        self.detail = detail
    }
}
