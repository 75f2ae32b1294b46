package import Kernel
import Payments
import ProviderKit

/// One event as the provider posts it.
package struct Notification {
    package let apiVersion: String?
    package let id: String?
    package let created: Timestamp?
    package let merchantId: String?
    package let type: String
    package let payment: Json?
    package let refund: Json?

    init?(_ json: Json) {
        guard json.members != nil, let type = json["type"]?.text else { return nil }
        self.type = type
        apiVersion = json["apiVersion"]?.text
        id = json["id"]?.text
        created = json["created"]?.text.flatMap { Timestamp($0) }
        merchantId = json["merchantId"]?.text
        payment = json["payment"].flatMap { $0.members == nil ? nil : $0 }
        refund = json["refund"].flatMap { $0.members == nil ? nil : $0 }
    }

    /// The events of a body: one object, or a list of them; `nil` where anything else stands there.
    package static func list(_ json: Json) -> [Notification]? {
        guard let items = json.items else { return Notification(json).map { [$0] } }
        let events = items.compactMap(Notification.init)
        return events.count == items.count && !events.isEmpty ? events : nil
    }

    /// Our name of the payment that the event is about.
    package var merchantReference: String? {
        payment?.at("paymentOutput", "references", "merchantReference")?.text
            ?? refund?.at("refundOutput", "references", "merchantReference")?.text
    }
}

/// Reads events: a payment's own status is evidence, what follows it is a reason to ask.
enum NotificationReading {
    static func facts(_ body: [UInt8], _ context: InterpretContext) -> [Fact] {
        guard let json = try? Json(body), let events = Notification.list(json) else {
            return [.unrecognised(what: "body", value: "unreadable")]
        }
        // Lists were stored as a whole once; what is about other payments is theirs.
        let isList = json.items != nil
        return events.flatMap { event -> [Fact] in
            if isList, let reference = event.merchantReference, reference != context.paymentReference { return [] }
            return facts(event, context)
        }
    }

    private static func facts(_ event: Notification, _ context: InterpretContext) -> [Fact] {
        if event.type.hasPrefix("payment.charge") { return [alert(event)] }
        if let payment = event.payment {
            return PaymentReading(message: PaymentMessage(payment), context: context, isEvent: true).facts
        }
        if let refund = event.refund {
            let word = PaymentMessage.Entry(refund, output: refund["refundOutput"]).word
            return [.attempt(.reading(.moneyWithoutOperation("refund:\((word ?? .refundPending).rawValue)")))]
        }
        let families = ["payout.", "token.", "paymentlink.", "paymentLink.", "directBatch.", "payment.test"]
        return families.contains(where: event.type.hasPrefix) ? [] : [alert(event)]
    }

    private static func alert(_ event: Notification) -> Fact {
        .unrecognised(what: "event", value: String(event.type.prefix(64)))
    }
}
