import Kernel
import Payments
import ProviderKit

/// Makes request templates of Gate, the server's interface: JSON bodies that carry their signature in `general`.
enum Call {
    /// `general`, `payment` and the tail of every request that asks for money to move.
    static func members(
        _ dispatch: PlannedDispatch,
        _ order: Order,
        payment further: [(String, Json)]
    ) throws(PlanFailure) -> [(String, Json)] {
        guard let amount = dispatch.amount else { throw PlanFailure.amountMissing() }
        let payment: [(String, Json)] = [
            ("amount", .integer(amount.minor)), ("currency", .string(amount.currency.code)),
        ]
        return [
            ("general", general(dispatch, order, callback: true)), ("payment", .object(JsonObject(payment + further))),
        ] + tail(order)
    }

    static func general(_ dispatch: PlannedDispatch, _ order: Order, callback: Bool) -> Json {
        var members: [(String, Json)] = [
            ("project_id", .integer(order.settings.projectId)), ("payment_id", .string(dispatch.paymentReference)),
        ]
        if callback, order.settings.callbackUrlPerPayment {
            members.append(("merchant_callback_url", .string(order.account.notificationUrl)))
        }
        return .object(JsonObject(members))
    }

    static func tail(_ order: Order) -> [(String, Json)] {
        order.settings.interfaceType.map { [("interface_type", ["id": .integer($0)])] } ?? []
    }

    static func template(_ path: String, _ members: [(String, Json)], _ order: Order) -> RequestTemplate {
        RequestTemplate(
            method: "POST",
            url: order.settings.gateUrl + path,
            content: .object(JsonObject(members)),
            signing: Signing.gate.text
        )
    }
}
