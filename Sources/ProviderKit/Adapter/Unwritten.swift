package import Payments

/// The mark of what a new adapter has still to be told; its checklist looks for it.
package enum Unwritten {
    package static let code = "not_written"

    fileprivate static func at(_ place: String) -> String { "\(code): \(place)" }

    /// The place in a text that has the mark.
    package static func room(in text: String) -> String? {
        text.hasPrefix("\(code): ") ? String(text.dropFirst(code.count + 2)) : nil
    }
}

extension PlanFailure {
    package static func unwritten(_ place: String) -> PlanFailure {
        PlanFailure(code: Unwritten.code, detail: Unwritten.at(place))
    }
}

extension FinishFailure {
    package static func unwritten(_ place: String) -> FinishFailure { .malformedTemplate(Unwritten.at(place)) }
}

extension ClaimFailure {
    package static func unwritten(_ place: String) -> ClaimFailure {
        ClaimFailure(path: "", reason: Unwritten.at(place))
    }
}

extension Authentication {
    package static func unwritten(_ place: String) -> Authentication { .rejected(reason: Unwritten.at(place)) }
}

extension DispatchOutcome {
    package static func unwritten(_ place: String) -> DispatchOutcome { .unknown(reason: Unwritten.at(place)) }
}
