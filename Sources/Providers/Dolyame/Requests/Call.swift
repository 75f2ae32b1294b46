import Crypto
package import Kernel
package import Payments
package import ProviderKit

/// Makes request templates of the Partner API: the order's address, its body, and what the headers need.
package enum Call {
    static let signing = "dolyame.partner"

    /// The things that are done with an order, as the address calls them.
    package enum Method: String, CaseIterable {
        case create, info, commit, cancel, refund, correction
        case completeDelivery = "complete_delivery"
    }

    package static func template(
        _ method: Method,
        _ dispatch: PlannedDispatch,
        _ order: Order,
        _ body: Json?
    ) throws(PlanFailure) -> RequestTemplate {
        if let fault = OrderId.fault(dispatch.paymentReference, atMost: order.settings.orderIdMax) {
            throw PlanFailure.referenceInvalid(fault.rawValue)
        }
        let path =
            method == .create ? "/v1/orders/create" : "/v1/orders/\(dispatch.paymentReference)/\(method.rawValue)"
        let operation = dispatch.operationReference ?? dispatch.paymentReference
        return RequestTemplate(
            method: method == .info ? "GET" : "POST",
            url: order.settings.baseUrl + path,
            content: .compact([
                ("body", body),
                (
                    "correlation",
                    method == .info
                        ? nil
                        : .string(
                            Correlation.id(account: order.account.account.id, "\(method.rawValue):\(operation)")
                        )
                ), ("login", .string(order.settings.login)),
            ]),
            signing: signing
        )
    }
}

/// `X-Correlation-ID`: one per logical operation, the same for each repetition of it.
package enum Correlation {
    package static func id(account: Uuid, _ operation: String) -> String {
        var bytes = Array(Digest.sha256(Array("dolyame:\(account):\(operation)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        return Uuid(bytes: bytes).map { "\($0)" } ?? ""
    }

    /// Whether a text is a UUID of version 4.
    package static func isValid(_ text: String) -> Bool {
        guard text.utf8.count == 36, let id = Uuid(text) else { return false }
        return id.high >> 12 & 0xF == 4 && id.low >> 62 == 2
    }
}
