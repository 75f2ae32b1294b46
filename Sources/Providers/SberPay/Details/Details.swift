import Http
import Kernel
import ProviderKit

/// `PaymentTerms.details`, parsed: payer, addresses, app, mandate and looks.
///
/// Personal values are texts or stand sealed in place (`{"$sealed": …}`). The closed schema is described in
/// `docs/providers/sberpay.md`.
struct Details: Hashable {
    /// Which of its two requests the SDK is filled for.
    enum SdkForm: String, Hashable {
        /// The purchase in full.
        case purchase
        /// The order alone.
        case order
    }

    struct App: Hashable {
        let osType: String?
        let deepLink: String?
        let backUrl: String?
        let isWeb: Bool
        /// A push or text message instead of a page.
        let isPush: Bool
        let form: SdkForm
    }

    /// A mandate for later debits.
    struct Recurrent: Hashable {
        /// `YYYYMMDD`.
        let expiry: String?
        let frequencyDays: Int64
    }

    struct Presentation: Hashable {
        let pageView: String?
        let hideSberPay: Bool
        let sdkMethod: String?
    }

    let email: Json?
    let phone: Json?
    let language: String?
    let success: String?
    let fail: String?
    let app: App
    let recurrent: Recurrent?
    let features: [String]
    let presentation: Presentation
}

extension Details {
    private enum Limits {
        static let textBytes = 1024
        static let wordBytes = 64
    }

    init(_ json: Json) throws(SchemaFailure) {
        var object = try ClosedObject(json.isNull ? [:] : json, path: "details")
        var payer = try Self.part("payer", &object)
        email = try Self.personal("email", &payer)
        phone = try Self.personal("phone", &payer)
        try payer.end()
        if let tag = try object.text("language", atMost: Limits.wordBytes) {
            guard let code = Languages.code(tag) else { throw object.failure("language", "not_a_language") }
            language = code
        } else {
            language = nil
        }
        var urls = try Self.part("urls", &object)
        success = try Self.address("success", &urls)
        fail = try Self.address("fail", &urls)
        _ = try Self.address("return", &urls)
        try urls.end()
        app = try Self.app(&object)
        recurrent = try Self.recurrent(&object)
        features = try SberPaySettings.words("features", &object) ?? []
        presentation = try Self.presentation(&object)
        try object.end()
    }

    /// A member's object, or an empty one.
    private static func part(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> ClosedObject {
        if let given = try object.object(name) { return given }
        return try ClosedObject([:], path: object.path(name))
    }

    /// A text of the right form, or a sealed value, which nothing here can look into.
    private static func personal(
        _ name: String,
        _ object: inout ClosedObject
    ) throws(SchemaFailure) -> Json? {
        guard let value = object.value(name) else { return nil }
        if Sealed(value) != nil { return value }
        guard FieldRules.isValid(name, value, .rest(.ecom, method: GatewayCall.register.rawValue)) == true else {
            throw object.failure(name, "malformed")
        }
        return value
    }

    private static func address(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> String? {
        guard let text = try object.text(name, atMost: 2048) else { return nil }
        guard WebAddress.isReturn(text) else { throw object.failure(name, "not_an_address") }
        return text
    }

    private static func link(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> String? {
        guard let text = try object.text(name, atMost: 255) else { return nil }
        guard !text.isEmpty, FieldRules.isPrintable(text), text.contains(":") else {
            throw object.failure(name, "not_an_address")
        }
        return text
    }

    private static func app(_ object: inout ClosedObject) throws(SchemaFailure) -> App {
        var app = try Self.part("app", &object)
        let osType = try app.text("osType", atMost: 32)
        if let osType, osType != "ios", osType != "android" { throw app.failure("osType", "unknown_word") }
        let found = App(
            osType: osType,
            deepLink: try link("deepLink", &app),
            backUrl: try link("backUrl", &app),
            isWeb: try app.flag("web", default: false),
            isPush: try app.flag("push", default: false),
            form: try app.word("form", default: .purchase)
        )
        try app.end()
        return found
    }

    /// 1 to 28 days where debits recur, 0 or nothing where they don't.
    private static func recurrent(_ object: inout ClosedObject) throws(SchemaFailure) -> Recurrent? {
        guard var given = try object.object("recurrent") else { return nil }
        let isEnabled = try given.flag("enabled", default: true)
        let expiry = try given.text("expiry", atMost: 8)
        if let expiry, !FieldRules.isDate(expiry) { throw given.failure("expiry", "not_a_date") }
        let days = try given.integer("frequencyDays", in: 0...28)
        try given.end()
        guard isEnabled else {
            guard days ?? 0 == 0 else { throw given.failure("frequencyDays", "out_of_range") }
            return nil
        }
        guard let days, days >= 1 else { throw given.failure("frequencyDays", "out_of_range") }
        return Recurrent(expiry: expiry, frequencyDays: days)
    }

    private static func presentation(_ object: inout ClosedObject) throws(SchemaFailure) -> Presentation {
        var looks = try Self.part("presentation", &object)
        let found = Presentation(
            pageView: try looks.text("pageView", atMost: Limits.wordBytes),
            hideSberPay: try looks.flag("hideSberPay", default: false),
            sdkMethod: try looks.text("sdkMethod", atMost: Limits.wordBytes)
        )
        try looks.end()
        return found
    }
}
