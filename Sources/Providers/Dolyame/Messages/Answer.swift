package import Kernel
import Payments

/// An answer of the Partner API, and its word about the request that it answers.
package struct Answer: Hashable {
    package enum Class: String, Hashable, CaseIterable {
        case success
        /// Refused for good: a defect of ours, or data that can't be taken.
        case permanent
        /// Login or address are not accepted.
        case auth
        /// The client certificate is missing or not accepted.
        case authMisconfigured = "auth_misconfigured"
        case notFound = "not_found"
        /// The order is not as we thought: how it stands decides.
        case reconcile
        /// Turned away unread.
        case throttled
        /// A question that can be asked again.
        case transient
        /// It may or may not have been done.
        case ambiguous
    }

    package let kind: Class
    let code: String?
    /// As in `NOT_ENOUGH_MONEY`.
    package let detail: String?
    package let message: String?
    /// Members that the provider found fault with, and why.
    package let details: Json?
    /// Seconds until the next try, where the provider wants a pause.
    package let delay: Int64?
    let body: Json?

    enum Limits {
        static let delaySeconds: Int64 = 30
    }

    /// Reads an answer by its status, the two forms of an error's body, and what was asked for.
    package init(_ method: Call.Method, status: Int, headers: [String: String], body bytes: [UInt8]) {
        let json = (try? Json(bytes)).flatMap { $0.members == nil ? nil : $0 }
        body = json
        code = json?["code"]?.text
        detail = json?["errorDetailCode"]?.text
        message = json?["message"]?.text ?? json?["description"]?.text
        details = json?["details"].flatMap { $0.members == nil ? nil : $0 }
        let found = Self.kind(method, status, json, bytes)
        kind = found
        delay = found == .throttled ? Self.delay(headers) : nil
    }

    private static func kind(_ method: Call.Method, _ status: Int, _ json: Json?, _ bytes: [UInt8]) -> Class {
        let moves = method != .info
        switch status {
        case 200: return json == nil ? (moves ? .ambiguous : .transient) : .success
        case 400: return json == nil && mentionsCertificate(bytes) ? .authMisconfigured : .permanent
        case 401, 403: return .auth
        case 404: return .notFound
        case 409: return .reconcile
        case 422:
            // A new order that is refused was not made; anything else may have been done before.
            switch method {
            case .create, .info: return .permanent
            case .commit, .cancel, .refund, .correction, .completeDelivery: return .reconcile
            }
        case 429: return .throttled
        case 405, 406, 410, 411, 413, 414, 415: return .permanent
        default: return moves ? .ambiguous : .transient
        }
    }

    private static func mentionsCertificate(_ bytes: [UInt8]) -> Bool {
        String(decoding: bytes.prefix(4096), as: UTF8.self).uppercased().contains("SSL")
    }

    /// The pause before a repetition: the provider's document and its own modules disagree about its name.
    static let delayHeaders = ["x-retry-after", "retry-after"]

    /// Junk counts as one second.
    private static func delay(_ headers: [String: String]) -> Int64 {
        for name in delayHeaders {
            guard let text = headers.first(where: { $0.key.lowercased() == name })?.value else { continue }
            guard let seconds = Int64(text), seconds >= 0 else { return 1 }
            return min(max(1, seconds), Limits.delaySeconds)
        }
        return 1
    }

    /// The code with its detail, for the record.
    var text: String { [code, detail].compactMap(\.self).joined(separator: " ") }
}

extension Answer {
    /// Whether a person must look at it.
    package var isAlert: Bool {
        switch kind {
        case .auth, .authMisconfigured: true
        case .success, .permanent, .notFound, .reconcile, .throttled, .transient, .ambiguous: false
        }
    }

    /// Whether the order is asked about next.
    package var asksInfo: Bool {
        switch kind {
        case .reconcile, .ambiguous: true
        case .success, .permanent, .auth, .authMisconfigured, .notFound, .throttled, .transient: false
        }
    }

    /// Whether the same request may simply be made again.
    package var mayRepeat: Bool {
        switch kind {
        case .throttled, .transient: true
        case .success, .permanent, .auth, .authMisconfigured, .notFound, .reconcile, .ambiguous: false
        }
    }

    /// The fate of our request.
    func outcome(_ method: Call.Method) -> DispatchOutcome {
        let status = text.isEmpty ? kind.rawValue : text
        switch kind {
        case .success: return method == .info ? .answered : .accepted
        case .permanent: return .notExecuted(decline(.hard))
        case .auth, .authMisconfigured: return .notExecuted(decline(.configuration))
        case .notFound: return method == .info ? .answered : .unknown(reason: status)
        case .reconcile: return method == .create ? .duplicate(code: status) : .unknown(reason: status)
        // Turned away unread is as good as unsent: the same request is made again after a pause.
        case .throttled:
            return method == .info
                ? .unknown(reason: status) : .notSent(reason: "unreachable: throttled \(delay ?? 1) s")
        case .transient, .ambiguous: return .unknown(reason: status)
        }
    }

    func decline(_ reason: DeclineClass) -> Decline {
        Decline(
            reason: detail == "NOT_ENOUGH_MONEY" ? .insufficientFunds : reason,
            code: detail ?? code ?? kind.rawValue,
            tableVersion: StatusTable.version
        )
    }
}
