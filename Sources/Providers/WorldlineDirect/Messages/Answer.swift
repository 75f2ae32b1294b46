package import Kernel
import Payments

/// An answer's word about the request that it answers, apart from its word about money.
package enum Answer: Hashable {
    case accepted
    /// Declined or refused with a payment in the body: it exists and is recorded.
    case declined(code: String?)
    /// Refused for good, nothing was executed.
    case rejected(code: String?, property: String?)
    /// The same request under the same key is being worked on: it is repeated later under that key.
    case inProgress(code: String)
    /// Credentials or permission.
    case configuration(code: String?)
    case notFound
    /// It may or may not have been executed.
    case unknown(reason: String)

    /// Reads an answer; `body` is `nil` where it is no JSON object.
    package init(status: Int, body: Json?) {
        let errors = ErrorBody(body)
        switch status {
        case 200...299: self = body == nil && status != 204 ? .unknown(reason: "unreadable answer") : .accepted
        case 401, 403: self = .configuration(code: errors.code)
        case 408, 429, 500...599: self = .unknown(reason: "HTTP \(status)")
        case 409 where errors.isInProgress: self = .inProgress(code: errors.code ?? "")
        case 404: self = .notFound
        case 400...499:
            if body?.at("paymentResult", "payment")?.members != nil {
                self = .declined(code: errors.code)
            } else {
                self = .rejected(code: errors.code, property: errors.entries.lazy.compactMap(\.property).first)
            }
        default: self = .unknown(reason: "HTTP \(status)")
        }
    }
}

extension Answer {
    /// Whether it holds for every request under its key: a finished request's payment is given to each repetition alike,
    /// and a refusal without one says only that this request was turned away.
    func isOutcomeUnderKey(_ body: Json?) -> Bool {
        switch self {
        case .declined: body?.at("paymentResult", "payment", "id") != nil
        case .accepted, .rejected, .inProgress, .configuration, .notFound, .unknown: false
        }
    }
}
