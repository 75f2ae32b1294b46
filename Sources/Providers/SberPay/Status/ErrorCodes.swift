import Kernel

/// `errorCode`: whether a call worked, as versioned data; it says nothing about money.
package enum ErrorCodes {
    static let version = 1

    package enum Class: String, Hashable, Sendable {
        case ok
        /// Our order number is known already.
        case conflict
        case configuration
        case callerBug = "caller_bug"
        case notFound = "not_found"
        /// Nothing can be concluded; for a capture, void or refund it may mean the wrong state of the payment.
        case transient
        case throttled
        /// Declined for the payer's details, told without a status.
        case details
        case unknown

        /// Whether the same question may be asked again.
        package var mayRetry: Bool {
            switch self {
            case .transient, .throttled: true
            case .ok, .conflict, .configuration, .callerBug, .notFound, .details, .unknown: false
            }
        }
    }

    /// The code of an answer, in the order in which the gateway's generations write it; 0 where none is there.
    static func code(_ body: Json) -> Int64? {
        for value in [body["errorCode"], body["ErrorCode"], body.at("error", "code")] {
            guard let value, !value.isNull else { continue }
            return value.scalarText.flatMap { Int64($0) }
        }
        return 0
    }

    static func kind(_ code: Int64?, _ call: GatewayCall, _ dialect: Dialect) -> Class {
        guard let code else { return .unknown }
        switch (code, call) {
        case (0, _): return .ok
        case (1, .register), (1, .registerPreAuth), (1, .recurrentPayment): return .conflict
        case (1, _), (4, _), (10, _), (12, _): return .callerBug
        case (2, _): return .details
        case (3, .register), (3, .registerPreAuth), (3, .recurrentPayment): return .configuration
        case (5, _): return dialect == .legacy ? .configuration : .callerBug
        case (6, _): return .notFound
        case (7, _): return .transient
        default: return .unknown
        }
    }
}
