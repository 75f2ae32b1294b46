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

/// The refusals that several adapters have, each with its code and place; the text is the adapter's.
extension PlanFailure {
    package static func modeNotSupported(_ detail: String) -> PlanFailure {
        PlanFailure(code: "mode_not_supported", path: "mode", detail: detail)
    }

    package static func amountMissing(_ detail: String = "the operation needs one") -> PlanFailure {
        PlanFailure(code: "amount_missing", path: "amount", detail: detail)
    }

    package static func methodNotSupported(_ detail: String) -> PlanFailure {
        PlanFailure(code: "method_not_supported", path: "method", detail: detail)
    }

    package static func partNotSupported(_ detail: String) -> PlanFailure {
        PlanFailure(code: "partial_not_supported", path: "amount", detail: detail)
    }

    package static func currencyNotSupported(_ detail: String) -> PlanFailure {
        PlanFailure(code: "currency_not_supported", path: "amount.currency", detail: detail)
    }

    package static func instrumentMissing(_ detail: String) -> PlanFailure {
        PlanFailure(code: "instrument_missing", path: "instrument", detail: detail)
    }

    package static func customerMissing(_ detail: String) -> PlanFailure {
        PlanFailure(code: "customer_missing", path: "customer", detail: detail)
    }

    package static func referenceMissing(_ detail: String) -> PlanFailure {
        PlanFailure(code: "reference_missing", detail: detail)
    }

    package static func orderMissing(_ detail: String) -> PlanFailure {
        PlanFailure(code: "order_missing", detail: detail)
    }

    package static func referenceInvalid(_ detail: String) -> PlanFailure {
        PlanFailure(code: "reference_invalid", detail: detail)
    }

    package static func operationNotSupported(_ detail: String) -> PlanFailure {
        PlanFailure(code: "operation_not_supported", detail: detail)
    }
}
