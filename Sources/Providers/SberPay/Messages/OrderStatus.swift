package import Kernel
import Payments

/// A status answer, read without trusting that any member is there or has a particular type.
package struct OrderStatus {
    /// One entry of `operations`, which the gateway gives by permission.
    struct Operation {
        let type: String
        let amount: Int64?
        let reference: String?
        /// Our id of a refund.
        let externalRefundId: String?
        let actionCode: Int64?
        let date: String?
    }

    package struct Card {
        package let masked: String?
        let scheme: String?
        /// `YYYYMM`.
        let expiry: String?
        package let way: String?
    }

    /// `nil` where it is missing: that is no zero.
    package let status: Int64?
    package let actionCode: Int64?
    package let orderNumber: String?
    package let orderId: String?
    package let amount: Int64?
    /// Normalised: the old code of the rouble is the new one.
    package let currency: String?
    package let registeredAtMs: Int64?
    /// The value that stands in the place of a sum and is none.
    let unreadableSum: String?
    /// Whether the answer tells sums at all.
    let hasSums: Bool
    let approved: Int64
    let deposited: Int64
    /// The value that stands in the place of the sum that went back.
    let refundedSum: EvidenceAmount
    let fee: Int64?
    let operations: [Operation]
    package let card: Card
    /// A text or sealed.
    package let bindingId: Json?
    let bindingClient: String?

    package init(_ body: Json) {
        // The recurrent call wraps the same answer.
        let nested = body["orderStatus"]?.members == nil ? nil : body["orderStatus"]
        let source = nested ?? body
        status = Self.number(source["orderStatus"])
        actionCode = Self.number(source["actionCode"])
        orderNumber = source["orderNumber"]?.scalarText ?? body.at("data", "orderNumber")?.scalarText
        orderId = Self.orderId(source) ?? body.at("data", "orderId")?.scalarText
        amount = Self.number(source["amount"])
        currency = source["currency"]?.scalarText.map(Self.currency)
        registeredAtMs = Self.number(source["date"])
        let sums = source["paymentAmountInfo"] ?? [:]
        hasSums = sums.members?.isEmpty == false
        let rouble = Currency("RUB")
        let told = ["approvedAmount", "depositedAmount", "refundedAmount"].map {
            EvidenceAmount(minor: sums[$0], rouble)
        }
        unreadableSum =
            told.lazy.compactMap { amount in
                if case .unreadable(let text) = amount { text } else { nil }
            }
            .first
        func sum(_ name: String) -> Int64 { EvidenceAmount(minor: sums[name], rouble).money?.minor ?? 0 }
        approved = sum("approvedAmount")
        deposited = sum("depositedAmount")
        refundedSum = EvidenceAmount(minor: sums["refundedAmount"], rouble)
        fee = Self.number(sums["feeAmount"])
        operations = (source["operations"]?.items ?? []).prefix(Self.operationsRead).compactMap(Self.operation)
        let card = source["cardAuthInfo"] ?? [:]
        self.card = Card(
            masked: (card["maskedPan"] ?? card["pan"])?.text,
            scheme: card["paymentSystem"]?.text,
            expiry: card["expiration"]?.scalarText,
            way: (card["paymentWay"] ?? source["paymentWay"])?.text
        )
        let binding = source.at("bindingInfo", "bindingId")
        bindingId = binding?.isNull == false ? binding : nil
        bindingClient = source.at("bindingInfo", "clientId")?.text
    }

    /// As far as it is told.
    var refunded: Int64 { refundedSum.money?.minor ?? 0 }

    private static let operationsRead = 256

    /// Old accounts still say 810 for the rouble.
    static func currency(_ code: String) -> String { code == "810" ? "643" : code }

    static func number(_ json: Json?) -> Int64? { json?.scalarText.flatMap { Int64($0) } }

    /// `attributes` is a list of pairs at one gateway and an object at the other.
    private static func orderId(_ source: Json) -> String? {
        if let pairs = source["attributes"]?.items {
            return pairs.first { $0["name"]?.text == "mdOrder" }?["value"]?.text
        }
        return source.at("attributes", "mdOrder")?.text ?? source["mdOrder"]?.text
    }

    private static func operation(_ json: Json) -> Operation? {
        guard let type = json["type"]?.text else { return nil }
        return Operation(
            type: type,
            amount: number(json["amount"]).flatMap { $0 >= 0 ? $0 : nil },
            reference: json["referenceNumber"]?.scalarText,
            externalRefundId: json["externalRefundId"]?.text,
            actionCode: number(json["actionCode"]),
            date: json["date"]?.scalarText
        )
    }
}
