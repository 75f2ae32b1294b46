package import Payments

/// A request that can't be made: the command is rejected before any state moved.
package struct PlanFailure: Error, Hashable, Sendable {
    /// The code of an adapter that finds no token to charge.
    package static let instrumentMissing = "instrument_missing"

    /// A stable code of the API, as in `currency_not_supported`.
    package let code: String
    /// The member of the command that is at fault, where there is one.
    package let path: String?
    package let detail: String

    package init(code: String, path: String? = nil, detail: String) {
        self.code = code
        self.path = path
        self.detail = detail
    }
}

/// A template whose holes can't be filled now.
package enum FinishFailure: Error, Hashable, Sendable {
    case missingSecret(String)
    /// The subject of a personal field was erased.
    case erased(path: String)
    case malformedTemplate(String)
}

extension PlanFailure {
    /// The provider, in the words of its adapter, takes no such request.
    package static func unsupported(_ kind: OperationKind, by taker: String = "the provider") -> PlanFailure {
        PlanFailure(code: "operation_not_supported", detail: "\(taker) takes no request for \(kind.rawValue)")
    }

    package static func unsupported(_ kind: AuxiliaryKind) -> PlanFailure {
        PlanFailure(code: "errand_not_supported", detail: "the provider takes no request for \(kind.rawValue)")
    }

    /// Details that don't fit the adapter's schema; where a member is unknown, the known ones are told.
    package init(details failure: SchemaFailure) {
        let known = failure.known.isEmpty ? "" : ": known here are \(failure.known.joined(separator: ", "))"
        self.init(code: "details_invalid", path: failure.path, detail: failure.reason + known)
    }
}
