import Kernel
import ProviderKit

/// The payer and the device as the provider's `customer` takes them; every member may stand sealed.
struct Payer: Hashable {
    let email: Json?
    let phone: Json?
    let firstName: Json?
    let lastName: Json?
    let billing: Json?
    let device: Json?

    /// Members that hold personal data, as paths of the details.
    static let personalPaths: [String] =
        ["email", "phone", "firstName", "lastName"].map { "payer.\($0)" }
        + billingNames.map { "payer.billing.\($0.0)" } + deviceNames.map { "payer.device.\($0.0)" }
        + (browserTexts + browserNumbers + browserFlags).map { "payer.device.\($0)" }

    private static let billingNames: [(String, String)] = [
        ("city", "city"), ("houseNumber", "houseNumber"), ("state", "state"), ("street", "street"), ("zip", "zip"),
    ]
    private static let deviceNames: [(String, String)] = [
        ("acceptHeader", "acceptHeader"), ("ipAddress", "ipAddress"), ("locale", "locale"),
        ("timezoneOffsetMinutes", "timezoneOffsetUtcMinutes"), ("userAgent", "userAgent"),
    ]
    private static let browserTexts = ["screenHeight", "screenWidth"]
    private static let browserNumbers = ["colorDepth"]
    private static let browserFlags = ["javaEnabled", "javaScriptEnabled"]

    init(_ details: inout ClosedObject) throws(SchemaFailure) {
        guard var payer = try details.object("payer") else {
            (email, phone, firstName, lastName, billing, device) = (nil, nil, nil, nil, nil, nil)
            return
        }
        email = try Self.personal("email", &payer)
        phone = try Self.personal("phone", &payer)
        firstName = try Self.personal("firstName", &payer)
        lastName = try Self.personal("lastName", &payer)
        billing = try Self.billing(&payer)
        device = try Self.device(&payer)
        try payer.end()
    }

    /// A text or a sealed value.
    private static func personal(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard let value = object.value(name) else { return nil }
        if Sealed(value) != nil { return value }
        guard let text = value.text else { throw object.failure(name, "not_text") }
        guard !text.isEmpty else { throw object.failure(name, "empty") }
        guard text.utf8.count <= Details.Limits.textBytes else { throw object.failure(name, "too_long") }
        return value
    }

    private static func billing(_ payer: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard var billing = try payer.object("billing") else { return nil }
        var members: [(String, Json)] = []
        if let country = try billing.text("country", atMost: 2) {
            guard country.utf8.count == 2, country.utf8.allSatisfy({ (65...90).contains($0) }) else {
                throw billing.failure("country", "not_a_country")
            }
            members.append(("countryCode", .string(country)))
        }
        for (name, wire) in billingNames {
            if let value = try personal(name, &billing) { members.append((wire, value)) }
        }
        try billing.end()
        return members.isEmpty ? nil : .object(JsonObject(members))
    }

    private static func device(_ payer: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard var device = try payer.object("device") else { return nil }
        var members: [(String, Json)] = []
        for (name, wire) in deviceNames {
            if let value = try personal(name, &device) { members.append((wire, value)) }
        }
        var browser: [(String, Json)] = []
        for name in browserTexts {
            if let value = try personal(name, &device) { browser.append((name, value)) }
        }
        for name in browserNumbers {
            if let value = try depth(name, &device) { browser.append((name, value)) }
        }
        for name in browserFlags {
            if let value = try flag(name, &device) { browser.append((name, value)) }
        }
        try device.end()
        if !browser.isEmpty { members.append(("browserData", .object(JsonObject(browser)))) }
        return members.isEmpty ? nil : .object(JsonObject(members))
    }

    /// Bits of a pixel, or the same sealed.
    private static func depth(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard let value = object.value(name), Sealed(value) == nil else { return object.value(name) }
        guard let bits = value.integer, (0...64).contains(bits) else { throw object.failure(name, "out_of_range") }
        return value
    }

    /// A flag, or the same sealed.
    private static func flag(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard let value = object.value(name), Sealed(value) == nil else { return object.value(name) }
        guard value.flag != nil else { throw object.failure(name, "not_a_flag") }
        return value
    }

    /// The `customer` of an order.
    func customer(id: String?, locale: String?) -> Json? {
        var members: [(String, Json)] = []
        if let id { members.append(("merchantCustomerId", .string(id))) }
        if let locale { members.append(("locale", .string(locale))) }
        if let billing { members.append(("billingAddress", billing)) }
        if email != nil || phone != nil {
            members.append(("contactDetails", .compact([("emailAddress", email), ("phoneNumber", phone)])))
        }
        if firstName != nil || lastName != nil {
            let name: Json = .compact([("firstName", firstName), ("surname", lastName)])
            members.append(("personalInformation", ["name": name]))
        }
        if let device { members.append(("device", device)) }
        return members.isEmpty ? nil : .object(JsonObject(members))
    }
}
