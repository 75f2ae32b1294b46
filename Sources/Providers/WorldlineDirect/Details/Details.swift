import Http
import Kernel
import ProviderKit

/// `PaymentTerms.details`, parsed: what the request tells about payer, device, purchase, credential and looks.
///
/// Personal values are texts or stand sealed in place (`{"$sealed": …}`). The closed schema is described in
/// `docs/providers/worldline.md`.
struct Details: Hashable {
    /// The input that the app made with the provider's kit; it passes through memory once and is stored nowhere.
    struct DeviceInput: Hashable {
        /// Holes that the sender's memory fills.
        let customerInput: Json
        let metaInfo: Json?
    }

    /// The token that the payer's device wallet made; it passes through memory once, too.
    struct WalletInput: Hashable {
        enum Kind: String {
            case applePay, googlePay

            var productId: Int64 {
                switch self {
                case .applePay: 302
                case .googlePay: 320
                }
            }
        }

        let kind: Kind
        let token: Json
    }

    let payer: Payer
    /// As `nl_BE`.
    let locale: String?
    let returnUrl: String?
    let device: DeviceInput?
    let wallet: WalletInput?
    let productId: Int64?
    let cobrand: Cobrand?
    let savesCredential: Bool
    let credential: Credential?
    let threeDSecure: ThreeDSecure
    let channel: Channel
    let autoCaptureMinutes: Int64?
    let onlyProducts: [Int64]
    let withoutProducts: [Int64]
    /// Passed to the app as it is.
    let presentation: Json

    /// The device wallet that the payment is made by; `nil` for a card.
    var mobileProduct: Int64? {
        if let wallet { return wallet.kind.productId }
        guard device != nil, let productId,
            [WalletInput.Kind.applePay, .googlePay].contains(where: { $0.productId == productId })
        else { return nil }
        return productId
    }

    enum Cobrand: String { case `default`, alternative, notApplicable }

    enum Channel: String { case ecommerce = "ECOMMERCE", moto = "MOTO" }
}

extension Details {
    enum Limits {
        static let textBytes = 1024
        static let returnBytes = 200
        static let wordBytes = 64
        static let products = 100
    }

    init(_ json: Json) throws(SchemaFailure) {
        var object = try ClosedObject(json.isNull ? [:] : json, path: "details")
        payer = try Payer(&object)
        locale = try Self.locale(&object)
        returnUrl = try Self.returnUrl(&object)
        device = try Self.device(&object)
        wallet = try Self.wallet(&object)
        productId = try object.integer("paymentProductId", in: 1...99_999)
        cobrand = try Self.optionalWord("cobrand", &object)
        savesCredential = try object.flag("saveCredential", default: false)
        credential = try Credential(&object)
        threeDSecure = try ThreeDSecure(&object)
        channel = try Self.optionalWord("channel", &object) ?? .ecommerce
        autoCaptureMinutes = try object.integer("autoCaptureMinutes", in: 0...43_200)
        (onlyProducts, withoutProducts) = try Self.products(&object)
        presentation = try Self.presentation(&object)
        try object.end()
    }

    static func optionalWord<Word: RawRepresentable<String>>(
        _ name: String,
        _ object: inout ClosedObject
    ) throws(SchemaFailure) -> Word? {
        guard let value = object.value(name) else { return nil }
        guard let word = value.text.flatMap({ Word(rawValue: $0) }) else { throw object.failure(name, "unknown_word") }
        return word
    }

    private static func locale(_ object: inout ClosedObject) throws(SchemaFailure) -> String? {
        guard let tag = try object.text("language", atMost: Limits.wordBytes) else { return nil }
        guard let code = Languages.code(tag) else { throw object.failure("language", "not_a_language") }
        return code
    }

    private static func returnUrl(_ object: inout ClosedObject) throws(SchemaFailure) -> String? {
        guard var urls = try object.object("urls") else { return nil }
        let text = try urls.text("return", atMost: Limits.returnBytes)
        if let text, !WebAddress.isReturn(text) { throw urls.failure("return", "not_an_address") }
        try urls.end()
        return text
    }

    /// The value that must not be written anywhere: it comes as the name under which memory keeps it.
    private static func hole(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard let value = object.value(name) else { return nil }
        guard OnceHole.isHole(value) else { throw object.failure(name, "must_not_be_stored") }
        return value
    }

    private static func wallet(_ object: inout ClosedObject) throws(SchemaFailure) -> WalletInput? {
        guard var wallet = try object.object("wallet") else { return nil }
        guard let kind: WalletInput.Kind = try optionalWord("kind", &wallet) else {
            throw wallet.failure("kind", "missing")
        }
        guard let token = try hole("token", &wallet) else { throw wallet.failure("token", "missing") }
        try wallet.end()
        return WalletInput(kind: kind, token: token)
    }

    private static func device(_ object: inout ClosedObject) throws(SchemaFailure) -> DeviceInput? {
        let input = try hole("encryptedCustomerInput", &object)
        let meta = try hole("encodedClientMetaInfo", &object)
        guard let input else {
            if meta != nil { throw object.failure("encryptedCustomerInput", "missing") }
            return nil
        }
        return DeviceInput(customerInput: input, metaInfo: meta)
    }

    private static func products(_ object: inout ClosedObject) throws(SchemaFailure) -> ([Int64], [Int64]) {
        guard var products = try object.object("products") else { return ([], []) }
        func list(_ name: String, _ products: inout ClosedObject) throws(SchemaFailure) -> [Int64] {
            var ids: [Int64] = []
            for item in try products.items(name, atMost: Limits.products) ?? [] {
                guard let id = item.integer, id > 0 else { throw products.failure(name, "not_an_integer") }
                ids.append(id)
            }
            return ids
        }
        let found = (try list("only", &products), try list("without", &products))
        try products.end()
        return found
    }

    private static func presentation(_ object: inout ClosedObject) throws(SchemaFailure) -> Json {
        guard let value = object.value("presentation") else { return [:] }
        var looks = try ClosedObject(value, path: object.path("presentation"))
        _ = try looks.flag("productGrouping", default: false)
        try looks.end()
        return value
    }
}
