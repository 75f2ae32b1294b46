package import Kernel
import Payments

/// A payment as answers and events write it, read without trusting that any member is there or has a particular type.
package struct PaymentMessage {
    /// One entry of `Operations`, or the answer to a capture or refund.
    package struct Entry {
        package let id: String?
        package let status: StatusTable.Input
        package let amount: EvidenceAmount
        let reference: String?
        let declineCode: String?
        let changedAt: Timestamp?
    }

    package let id: String?
    package let own: Entry
    package let entries: [Entry]
    let hasOperations: Bool
    /// The details of a payment list each of its operations.
    var hasAllOperations: Bool { hasOperations && entries.count < Limits.operations }
    package let merchantReference: String?
    let checkoutId: String?
    let productId: Int64?
    /// The method's own part of the output, where token and card stand.
    let card: Json?

    package init(_ body: Json) {
        let output = body["paymentOutput"]
        own = Entry(body, output: output)
        id = own.id
        entries = (body["Operations"]?.items ?? []).prefix(Limits.operations).map { Entry($0, output: nil) }
        hasOperations = body["Operations"]?.items != nil
        merchantReference = output?.at("references", "merchantReference")?.text
        checkoutId = body.at("hostedCheckoutSpecificOutput", "hostedCheckoutId")?.scalarText
        card = output?["cardPaymentMethodSpecificOutput"]
        productId = card?["paymentProductId"]?.integer
    }

    enum Limits {
        static let operations = 500
        static let characters = 64
    }
}

extension PaymentMessage.Entry {
    /// Reads an entry; `output` is where a whole payment or an answer keeps its amount and references.
    package init(_ json: Json, output: Json?) {
        let statusOutput = json["statusOutput"]
        id = json["id"]?.scalarText.map { String($0.prefix(PaymentMessage.Limits.characters)) }
        status = StatusTable.Input(
            status: json["status"]?.text,
            code: statusOutput?["statusCode"]?.integer,
            category: statusOutput?["statusCategory"]?.text
        )
        let place = output ?? json
        amount = Self.amount(place["amountOfMoney"])
        reference =
            (place.at("operationReferences", "merchantReference") ?? place.at("references", "merchantReference"))?.text
        declineCode = ErrorBody.entries(statusOutput?["errors"]).lazy.compactMap(\.code).first
        changedAt = statusOutput?["statusCodeChangeDateTime"]?.text.flatMap(Self.time)
    }

    private static func amount(_ json: Json?) -> EvidenceAmount {
        guard let json, !json.isNull else { return .absent }
        guard let currency = json["currencyCode"]?.text.flatMap({ Currency($0) }) else {
            return .unreadable(bounded: "\(json["amount"]?.scalarText ?? "") \(json["currencyCode"]?.text ?? "")")
        }
        return EvidenceAmount(minor: json["amount"], currency)
    }

    /// `YYYYMMDDHHMMSS` without a zone; it orders readings of one operation and proves nothing.
    private static func time(_ text: String) -> Timestamp? {
        let digits = Array(text.utf8)
        guard digits.count == 14, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        func part(_ from: Int, _ to: Int) -> String { String(decoding: digits[from..<to], as: UTF8.self) }
        return Timestamp(
            "\(part(0, 4))-\(part(4, 6))-\(part(6, 8))T\(part(8, 10)):\(part(10, 12)):\(part(12, 14))Z"
        )
    }

    package var word: StatusTable.Word? { StatusTable.read(status) }

    /// The word that no table knows, for the alert.
    var unknownWord: Fact? {
        if let text = status.status, !StatusTable.isKnown(text) {
            return .unrecognised(what: "status", value: String(text.prefix(PaymentMessage.Limits.characters)))
        }
        guard word == nil else { return nil }
        if status.category == "UNSUCCESSFUL" { return nil }
        let code = status.code.map(String.init) ?? ""
        return .unrecognised(what: "statusCode", value: code)
    }
}
