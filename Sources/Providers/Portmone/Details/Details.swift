import Http
import Kernel
import ProviderKit

/// `details` of a payment's terms, parsed: what the payer's page or SDK is told beside the amount.
///
/// Personal values are texts or stand sealed in place. The closed schema is described in `docs/providers/portmone.md`.
struct Details: Hashable {
    /// The number that the SDK's screen shows as the one that is paid.
    enum BillType: String, Hashable {
        case payment, mobilePayment, account
    }

    /// A wallet's encrypted payment, given by the app.
    struct WalletPayment: Hashable {
        enum Kind: String, Hashable {
            case applePay, googlePay
        }

        let kind: Kind
        let token: Json
    }

    /// Money that goes on to another card; its number stays in the app.
    struct Transfer: Hashable {
        /// The recipient's card at the provider.
        let sellerToken: Json?
        /// The provider's bill that keeps the recipient's card.
        let recipientBillId: String?
    }

    let email: Json?
    let successUrl: String?
    let failureUrl: String?
    let language: String?
    /// `attribute1` to `attribute4`.
    let attributes: [String]
    let split: [SplitPart]
    let billType: BillType
    let savesCard: Bool
    let cardMask: String?
    /// The SDK screen's words for the bill.
    let text: String?
    let withoutCvv: Bool
    let wallet: WalletPayment?
    let transfer: Transfer?
    let presentation: Presentation

    /// Passed through to the page or the app and not interpreted.
    struct Presentation: Hashable {
        let showEmail: Bool?
        /// Methods of the page, on or off.
        let paymentTypes: [String: Bool]
        /// The order of the page's methods.
        let priorityPaymentTypes: [String: Int64]
        let otherPaymentMethods: Bool?
        let biometrics: Bool
        let flow: String?
        let showReceiptScreen: Bool?
        /// After a failure the SDK is left, and does not go back to the payment.
        let returnToDetailsDisabled: Bool?
    }
}

extension Details {
    enum Limits {
        static let textBytes = 1024
        static let addressBytes = 2048
        static let parts = 100
    }

    init(_ json: Json, currency: Currency?) throws(SchemaFailure) {
        var object = try ClosedObject(json.isNull ? [:] : json, path: "details")
        var email: Json?
        if var payer = try object.object("payer") {
            email = try Self.personal("email", Limits.textBytes, &payer)
            try payer.end()
        }
        self.email = email
        (successUrl, failureUrl) = try Self.addresses(&object)
        language = try Self.language(&object)
        attributes = try Self.attributes(&object)
        split = try Self.split(&object, currency)
        billType = try object.word("billType", default: .payment)
        savesCard = try object.flag("saveCard", default: false)
        cardMask = try object.text("cardMask", atMost: 32)
        text = try object.text("details", atMost: Limits.textBytes)
        withoutCvv = try object.flag("withoutCvv", default: false)
        wallet = try Self.wallet(&object)
        transfer = try Self.transfer(&object)
        presentation = try Self.presentation(&object)
        try object.end()
    }

    /// A text or a sealed value.
    private static func personal(
        _ name: String,
        _ bytes: Int,
        _ object: inout ClosedObject
    ) throws(SchemaFailure) -> Json? {
        guard let value = object.value(name) else { return nil }
        if Sealed(value) != nil { return value }
        guard let text = value.text else { throw object.failure(name, "not_text") }
        guard text.utf8.count <= bytes else { throw object.failure(name, "too_long") }
        guard !text.isEmpty else { throw object.failure(name, "empty") }
        return value
    }

    private static func addresses(_ object: inout ClosedObject) throws(SchemaFailure) -> (String?, String?) {
        guard var urls = try object.object("urls") else { return (nil, nil) }
        func address(_ name: String, _ urls: inout ClosedObject) throws(SchemaFailure) -> String? {
            guard let text = try urls.text(name, atMost: Limits.addressBytes) else { return nil }
            guard WebAddress.isAbsolute(text) else { throw urls.failure(name, "not_an_address") }
            return text
        }
        let found = (try address("success", &urls), try address("fail", &urls))
        try urls.end()
        return found
    }

    private static func language(_ object: inout ClosedObject) throws(SchemaFailure) -> String? {
        guard let tag = try object.text("language", atMost: 64) else { return nil }
        guard let code = Languages.code(tag) else { throw object.failure("language", "not_a_language") }
        return code
    }

    private static func attributes(_ object: inout ClosedObject) throws(SchemaFailure) -> [String] {
        guard var member = try object.object("attributes") else { return ["", "", "", ""] }
        var found: [String] = []
        for number in 1...4 { found.append(try member.text(String(number), atMost: Limits.textBytes) ?? "") }
        try member.end()
        return found
    }

    private static func split(_ object: inout ClosedObject, _ currency: Currency?) throws(SchemaFailure) -> [SplitPart]
    {
        guard let items = try object.items("split", atMost: Limits.parts) else { return [] }
        var parts: [SplitPart] = []
        for (index, item) in items.enumerated() {
            var part = try ClosedObject(item, path: object.path("split.\(index)"))
            guard let payee = try part.text("payeeId", atMost: 32), !payee.isEmpty, SplitPart.isPlain(payee) else {
                throw part.failure("payeeId", "missing")
            }
            guard let minor = try part.integer("amount", in: 1...Int64.max), let currency else {
                throw part.failure("amount", "missing")
            }
            let description = try part.text("description", atMost: Limits.textBytes) ?? ""
            guard SplitPart.isPlain(description) else { throw part.failure("description", "value_not_allowed") }
            try part.end()
            parts.append(SplitPart(payeeId: payee, amount: Money(minor, currency), description: description))
        }
        return parts
    }

    private static func wallet(_ object: inout ClosedObject) throws(SchemaFailure) -> WalletPayment? {
        guard var wallet = try object.object("wallet") else { return nil }
        guard let kind = try wallet.text("kind", atMost: 16).flatMap(WalletPayment.Kind.init) else {
            throw wallet.failure("kind", "unknown_word")
        }
        guard let token = wallet.value("token") else { throw wallet.failure("token", "missing") }
        // It pays once: it passes through memory, and what could not be kept there is refused.
        guard OnceHole.isHole(token) else { throw wallet.failure("token", "must_not_be_stored") }
        try wallet.end()
        return WalletPayment(kind: kind, token: token)
    }

    private static func transfer(_ object: inout ClosedObject) throws(SchemaFailure) -> Transfer? {
        guard var transfer = try object.object("transfer") else { return nil }
        let found = Transfer(
            sellerToken: try personal("sellerToken", Limits.textBytes, &transfer),
            recipientBillId: try transfer.text("recipientBillId", atMost: 64)
        )
        try transfer.end()
        return found
    }

    private static func presentation(_ object: inout ClosedObject) throws(SchemaFailure) -> Presentation {
        var looks: ClosedObject
        if let member = try object.object("presentation") { looks = member } else { looks = try ClosedObject([:]) }
        func optional(_ name: String, _ looks: inout ClosedObject) throws(SchemaFailure) -> Bool? {
            guard let value = looks.value(name) else { return nil }
            guard let flag = value.flag else { throw looks.failure(name, "not_a_flag") }
            return flag
        }
        let showEmail = try optional("showEmail", &looks)
        var types: [String: Bool] = [:]
        var priorities: [String: Int64] = [:]
        if var member = try looks.object("paymentTypes") {
            for name in PageMethods.names { types[name] = try optional(name, &member) }
            try member.end()
        }
        if var member = try looks.object("priorityPaymentTypes") {
            for name in PageMethods.names { priorities[name] = try member.integer(name, in: 0...99) }
            try member.end()
        }
        let flow = try looks.text("paymentFlowType", atMost: 32)
        if let flow, !PageMethods.flows.contains(flow) { throw looks.failure("paymentFlowType", "unknown_word") }
        let found = Presentation(
            showEmail: showEmail,
            paymentTypes: types,
            priorityPaymentTypes: priorities,
            otherPaymentMethods: try optional("otherPaymentMethods", &looks),
            biometrics: try looks.flag("biometrics", default: false),
            flow: flow,
            showReceiptScreen: try optional("showReceiptScreen", &looks),
            returnToDetailsDisabled: try optional("returnToDetailsDisabled", &looks)
        )
        try looks.end()
        return found
    }
}

/// Names of the page's methods and of the SDK's flows, version 1.
enum PageMethods {
    static let names = [
        "card", "portmone", "token", "gpay", "applepay", "privat", "clicktopay", "visacheckout", "masterpass", "qr",
        "installment", "kyivstar", "createtokenonly", "createtokenonlyp2p", "gpayonly", "applepayonly", "gpayontoken",
        "applepayontoken",
    ]
    static let flows: Set<String> = ["byCard", "byCardAndApplePay", "byApplePay", "withoutCVV"]
    static let walletFlows: Set<String> = ["byCardAndApplePay", "byApplePay"]
}
