import Http
import Kernel
import ProviderKit

/// `PaymentTerms.details`, parsed: payer, positions, addresses and looks.
///
/// Personal values are texts or stand sealed in place (`{"$sealed": …}`). The closed schema is described in
/// `docs/providers/dolyame.md`.
package struct Details: Hashable {
    /// A field of the payer: its name here and a text or sealed value.
    struct Field: Hashable {
        let name: PayerField
        let value: Json
    }

    package enum PayerField: String, Hashable, CaseIterable {
        case firstName, lastName, middleName, birthdate, phone, email

        /// The name in the provider's API.
        package var wire: String {
            switch self {
            case .firstName: "first_name"
            case .lastName: "last_name"
            case .middleName: "middle_name"
            case .birthdate, .phone, .email: rawValue
            }
        }

        /// The name in the provider's SDK.
        var sdk: String {
            switch self {
            case .birthdate: "birthday"
            case .firstName, .lastName, .middleName, .phone, .email: rawValue
            }
        }
    }

    let payer: [Field]
    let items: [RawPosition]
    let prepaid: Json?
    /// Taken off the prices before anything is checked.
    let discount: Json?
    let success: String?
    let fail: String?
    /// Shows up in the provider's registers.
    let data: Json?
    let callKit: Bool
    let errorDebugScreen: Bool?

    enum Limits {
        static let textBytes = 1024
        static let addressBytes = 2048
        static let items = 500
        static let dataPairs = 20
    }

    init(_ json: Json) throws(SchemaFailure) {
        var object = try ClosedObject(json.isNull ? [:] : json, path: "details")
        payer = try Self.payer(&object)
        items = try Items.read("items", &object) ?? []
        prepaid = object.value("prepaidAmount")
        discount = object.value("discount")
        (success, fail) = try Self.addresses(&object)
        data = try Self.data(&object)
        try Languages.check("language", &object)
        var looks: ClosedObject
        if let member = try object.object("presentation") { looks = member } else { looks = try ClosedObject([:]) }
        callKit = try looks.flag("callKit", default: true)
        errorDebugScreen = try looks.value("errorDebugScreen").map { value throws(SchemaFailure) in
            guard let flag = value.flag else { throw looks.failure("errorDebugScreen", "not_a_flag") }
            return flag
        }
        try looks.end()
        try object.end()
    }

    private static func payer(_ object: inout ClosedObject) throws(SchemaFailure) -> [Field] {
        guard var payer = try object.object("payer") else { return [] }
        var fields: [Field] = []
        for name in PayerField.allCases {
            guard let value = payer.value(name.rawValue) else { continue }
            if Sealed(value) == nil {
                guard let text = value.text else { throw payer.failure(name.rawValue, "not_text") }
                guard text.utf8.count <= Limits.textBytes else { throw payer.failure(name.rawValue, "too_long") }
                guard !text.isEmpty else { throw payer.failure(name.rawValue, "empty") }
                if name == .birthdate, ClientInfo.Day(text) == nil { throw payer.failure(name.rawValue, "not_a_date") }
            }
            fields.append(Field(name: name, value: value))
        }
        try payer.end()
        return fields
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

    private static func data(_ object: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard let value = object.value("data") else { return nil }
        guard let members = value.members else { throw object.failure("data", "not_an_object") }
        guard members.count <= Limits.dataPairs else { throw object.failure("data", "too_many") }
        for member in members.members where member.value.text == nil {
            throw object.failure("data.\(member.name)", "not_text")
        }
        return value
    }
}

/// `details` of a capture or refund: the positions that are meant.
struct OperationDetails: Hashable {
    let items: [RawPosition]?
    let prepaid: Json?
    /// The basket that replaces the current one; asks for a correction in place of a refund.
    let newItems: [RawPosition]?
    let isCorrection: Bool

    init(_ json: Json?) throws(SchemaFailure) {
        var object = try ClosedObject(json ?? [:], path: "details")
        items = try Items.read("items", &object)
        prepaid = object.value("prepaidAmount")
        newItems = try Items.read("newItems", &object)
        isCorrection = try object.flag("correction", default: false) || newItems != nil
        try object.end()
    }
}

/// Positions as a command gives them.
enum Items {
    static func read(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> [RawPosition]? {
        guard let items = try object.items(name, atMost: Details.Limits.items) else { return nil }
        var positions: [RawPosition] = []
        for (index, item) in items.enumerated() {
            var position = try ClosedObject(item, path: "\(object.path(name)).\(index)")
            guard let text = try position.text("name", atMost: Details.Limits.textBytes), !text.isEmpty else {
                throw position.failure("name", "missing")
            }
            guard !text.contains(where: \.isNewline) else { throw position.failure("name", "has_line_break") }
            guard let price = position.value("price") else { throw position.failure("price", "missing") }
            positions.append(
                RawPosition(
                    name: text,
                    quantity: position.value("quantity") ?? 1,
                    price: price,
                    sku: try position.text("sku", atMost: Details.Limits.textBytes),
                    receipt: try receipt(&position)
                )
            )
            try position.end()
        }
        return positions
    }

    /// The receipt's part of a position; the words are the provider's, and they change by law.
    private static func receipt(_ position: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard var receipt = try position.object("receipt") else { return nil }
        var members: [(String, Json?)] = []
        for (name, wire, isNeeded) in [
            ("tax", "tax", true), ("paymentMethod", "payment_method", true),
            ("paymentObject", "payment_object", false), ("measurementUnit", "measurement_unit", false),
            ("itemCode", "item_code", false),
        ] {
            let text = try receipt.text(name, atMost: 64)
            if isNeeded, text == nil { throw receipt.failure(name, "missing") }
            members.append((wire, text.map(Json.string)))
        }
        try receipt.end()
        return .compact(members)
    }
}
