import Http
import Kernel
import ProviderKit

/// `PaymentTerms.details`, parsed: what the form is told about payer, purchase, addresses and looks.
///
/// Personal values are texts or stand sealed in place (`{"$sealed": …}`). The closed schema is described in
/// `docs/providers/ecommpay.md`.
struct Details: Hashable {
    /// A field of the form: its wire name and a text or sealed value.
    struct Field: Hashable {
        let name: String
        let value: Json
        /// The member of the details that it came from.
        let path: String
    }

    struct Addresses: Hashable {
        let success: String?
        let fail: String?
        let back: String?
    }

    struct Presentation: Hashable {
        let forcePaymentMethod: String?
        let forcePaymentGroup: String?
        let hideSavedWallets: Bool?
        let hideSuccessPage: Bool
        let hideDeclinePage: Bool
        let applePayMerchantId: String?
        let applePayDescription: String?
    }

    /// Fields of the payer that have their own place, in wire order.
    let payer: [Field]
    /// Further fields, in the order of their names.
    let additional: [Field]
    let ipAddress: Json?
    let addresses: Addresses
    /// One of the form's languages.
    let language: String?
    let region: String?
    let receipt: Receipt?
    let presentation: Presentation

    /// Whether the form gets an e-mail or a phone number, or asks for one.
    var hasContact: Bool {
        (payer + additional).contains { $0.name == "customer_email" || $0.name == "customer_phone" }
    }

    /// Whether the form was told to offer something else than cards.
    var isForcedElsewhere: Bool {
        (presentation.forcePaymentMethod.map { $0 != "card" } ?? false) || presentation.forcePaymentGroup != nil
    }
}

extension Details {
    enum Limits {
        static let textBytes = 1024
        static let addressBytes = 2048
        static let items = 500
        static let wordBytes = 64
    }

    init(_ json: Json) throws(SchemaFailure) {
        var object = try ClosedObject(json.isNull ? [:] : json, path: "details")
        var payer: [Field] = []
        var ipAddress: Json?
        if var member = try object.object("payer") {
            payer = try Self.payer(&member)
            ipAddress = try Self.personal("ipAddress", &member)
            try member.end()
        }
        self.payer = payer
        self.ipAddress = ipAddress
        additional = try Self.additional(&object, beside: payer)
        addresses = try Self.addresses(&object)
        language = try Self.language(&object)
        region = try Self.country("region", &object)
        let items = try object.items("items", atMost: Limits.items) ?? []
        receipt = try Receipt(items, path: object.path("items"))
        presentation = try Self.presentation(&object)
        try object.end()
    }

    /// A text or a sealed value.
    private static func personal(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard let value = object.value(name) else { return nil }
        return try personal(value, path: object.path(name))
    }

    private static func personal(_ value: Json, path: @autoclosure () -> String) throws(SchemaFailure) -> Json {
        if Sealed(value) != nil { return value }
        guard let text = value.text else { throw SchemaFailure(path: path(), reason: "not_text") }
        guard text.utf8.count <= Limits.textBytes else { throw SchemaFailure(path: path(), reason: "too_long") }
        return value
    }

    private static func country(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> String? {
        guard let code = try object.text(name, atMost: 8) else { return nil }
        guard Countries.contains(code) else { throw object.failure(name, "not_a_country") }
        return code
    }

    private static func payer(_ payer: inout ClosedObject) throws(SchemaFailure) -> [Field] {
        var fields: [Field] = []
        for (name, wire) in payerNames {
            guard let value = try personal(name, &payer) else { continue }
            guard value != "" else { throw payer.failure(name, "empty") }
            fields.append(Field(name: wire, value: value, path: payer.path(name)))
        }
        guard var billing = try payer.object("billing") else { return fields }
        if let country = try country("country", &billing) {
            fields.append(Field(name: "billing_country", value: .string(country), path: billing.path("country")))
        }
        for (name, wire) in billingNames {
            guard let value = try personal(name, &billing) else { continue }
            guard value != "" else { throw billing.failure(name, "empty") }
            fields.append(Field(name: wire, value: value, path: billing.path(name)))
        }
        try billing.end()
        return fields
    }

    /// Members of `payer` and their wire names.
    static let payerNames: [(String, String)] = [
        ("email", "customer_email"), ("phone", "customer_phone"), ("firstName", "customer_first_name"),
        ("lastName", "customer_last_name"), ("middleName", "customer_middle_name"),
        ("dayOfBirth", "customer_day_of_birth"),
    ]

    /// Members of `payer.billing` beside the country, and their wire names.
    static let billingNames: [(String, String)] = [
        ("region", "billing_region"), ("city", "billing_city"), ("postal", "billing_postal"),
        ("address", "billing_address"),
    ]

    private static func additional(
        _ object: inout ClosedObject,
        beside payer: [Field]
    ) throws(SchemaFailure) -> [Field] {
        guard let value = object.value("additionalFields") else { return [] }
        let path = object.path("additionalFields")
        guard let members = value.members else { throw SchemaFailure(path: path, reason: "not_an_object") }
        var fields: [Field] = []
        for member in members.members.sorted(by: { $0.name < $1.name }) {
            let here = "\(path).\(member.name)"
            guard AdditionalFields.names.contains(member.name) else {
                throw SchemaFailure(path: here, reason: "unknown_member", known: AdditionalFields.names.sorted())
            }
            guard !payer.contains(where: { $0.name == member.name }) else {
                throw SchemaFailure(path: here, reason: "given_twice")
            }
            if member.name == AdditionalFields.securityCode, member.value != "" {
                throw SchemaFailure(path: here, reason: "value_not_allowed")
            }
            if AdditionalFields.countries.contains(member.name), let code = member.value.text, !code.isEmpty,
                !Countries.contains(code)
            {
                throw SchemaFailure(path: here, reason: "not_a_country")
            }
            fields.append(Field(name: member.name, value: try personal(member.value, path: here), path: here))
        }
        return fields
    }

    private static func addresses(_ object: inout ClosedObject) throws(SchemaFailure) -> Addresses {
        guard var urls = try object.object("urls") else { return Addresses(success: nil, fail: nil, back: nil) }
        func address(_ name: String, _ urls: inout ClosedObject) throws(SchemaFailure) -> String? {
            guard let text = try urls.text(name, atMost: Limits.addressBytes) else { return nil }
            guard WebAddress.isAbsolute(text) else { throw urls.failure(name, "not_an_address") }
            return text
        }
        let found = Addresses(
            success: try address("success", &urls),
            fail: try address("fail", &urls),
            back: try address("return", &urls)
        )
        try urls.end()
        return found
    }

    private static func language(_ object: inout ClosedObject) throws(SchemaFailure) -> String? {
        guard let tag = try object.text("language", atMost: Limits.wordBytes) else { return nil }
        guard let code = Languages.code(tag) else { throw object.failure("language", "not_a_language") }
        return code
    }

    private static func presentation(_ object: inout ClosedObject) throws(SchemaFailure) -> Presentation {
        var looks: ClosedObject
        if let member = try object.object("presentation") { looks = member } else { looks = try ClosedObject([:]) }
        let hidesWallets = looks.value("hideSavedWallets")
        if let hidesWallets, hidesWallets.flag == nil { throw looks.failure("hideSavedWallets", "not_a_flag") }
        let found = Presentation(
            forcePaymentMethod: try word("forcePaymentMethod", &looks),
            forcePaymentGroup: try word("forcePaymentGroup", &looks),
            hideSavedWallets: hidesWallets?.flag,
            hideSuccessPage: try looks.flag("hideSuccessPage", default: false),
            hideDeclinePage: try looks.flag("hideDeclinePage", default: false),
            applePayMerchantId: try looks.text("applePayMerchantId", atMost: Limits.textBytes),
            applePayDescription: try looks.text("applePayDescription", atMost: Limits.textBytes)
        )
        try looks.end()
        return found
    }

    /// A method or group code: letters, digits, `_` and `-`.
    private static func word(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> String? {
        guard let text = try object.text(name, atMost: Limits.wordBytes) else { return nil }
        let isWord =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
        guard isWord else { throw object.failure(name, "not_a_word") }
        return text
    }
}
