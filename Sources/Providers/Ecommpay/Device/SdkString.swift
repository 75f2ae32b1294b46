import Kernel
import ProviderKit

/// The string that the SDK on the device asks to be signed: `name:value` pairs in alphabetical order, joined with `;`.
///
/// The device controls it, so it is never signed as it comes: it is parsed by known names, each value is held against
/// what we issued, and the string that is signed is built again from our own values.
struct SdkString: Hashable {
    /// Points on which the documents leave the SDK's form open.
    struct Style: Hashable {
        let tokenName: EcommpaySettings.SdkTokenName
        let booleans: EcommpaySettings.SdkBooleans
    }

    /// The members that we issued, by wire name.
    private let issued: [String: [UInt8]]

    /// Takes the opened object of `SdkParameters`; `nil` where it is none.
    init?(_ object: Json, _ style: Style) {
        var issued: [String: [UInt8]] = [:]
        for (member, wire) in Self.members {
            guard let value = object[member] else { continue }
            let name = member == "token" ? style.tokenName.rawValue : wire
            switch value {
            case .string(let text): if !text.isEmpty { issued[name] = Array(text.utf8) }
            case .number(let number): issued[name] = Array(number.text.utf8)
            case .bool(let flag): issued[name] = Self.printed(flag, style.booleans)
            case .null, .array, .object: return nil
            }
        }
        guard issued["project_id"] != nil, issued["payment_id"] != nil else { return nil }
        self.issued = issued
    }

    /// The string that an SDK makes which was filled from our object alone.
    var text: [UInt8] { Self.join(issued) }

    /// Parses a device's string and builds the one to sign.
    func rebuilt(from device: String) throws(SignatureRefusal) -> [UInt8] {
        let pairs = try split(Array(device.utf8))
        var found: [String: [UInt8]] = [:]
        var changed: [String] = []
        for (name, value) in pairs {
            guard found[name] == nil else { throw SignatureRefusal(members: [name], reason: "duplicate_member") }
            found[name] = value
            if !isAllowed(name, value) { changed.append(name) }
        }
        guard changed.isEmpty else { throw SignatureRefusal(members: changed.sorted(), reason: "changed_member") }
        let missing = Self.demanded.filter { issued[$0] != nil && found[$0] == nil }
        guard missing.isEmpty else { throw SignatureRefusal(members: missing.sorted(), reason: "missing_member") }
        return Self.join(found)
    }

    /// Whether a value is the one we issued, or, where we issued none, a harmless choice of the device.
    private func isAllowed(_ name: String, _ value: [UInt8]) -> Bool {
        if name == "hide_saved_wallets" {
            let ours = issued[name].flatMap(Self.flag) ?? false
            return Self.flag(value) == ours
        }
        if let ours = issued[name] { return ours == value }
        let text = String(decoding: value, as: UTF8.self)
        switch name {
        case "language_code": return Languages.supported.contains(text)
        case "region_code": return Countries.contains(text)
        default: return false
        }
    }
}

extension SdkString {
    /// Members of the object that the SDK signs, and their wire names.
    private static let members: [(String, String)] = [
        ("projectID", "project_id"), ("paymentID", "payment_id"), ("paymentAmount", "payment_amount"),
        ("paymentCurrency", "payment_currency"), ("customerID", "customer_id"),
        ("paymentDescription", "payment_description"), ("regionCode", "region_code"), ("token", "token"),
        ("languageCode", "language_code"), ("forcePaymentMethod", "force_payment_method"),
        ("hideSavedWallets", "hide_saved_wallets"),
    ]

    /// Every name that may stand in a device's string, longest first.
    private static let names: [[UInt8]] =
        (members.map(\.1) + ["account_token"]).sorted { $0.utf8.count > $1.utf8.count }.map { Array($0.utf8) }

    /// The members that a device must not leave out once we issued them.
    private static let demanded: [String] = [
        "project_id", "payment_id", "payment_amount", "payment_currency", "customer_id", "token", "account_token",
    ]

    private static func printed(_ flag: Bool, _ style: EcommpaySettings.SdkBooleans) -> [UInt8] {
        switch style {
        case .digits: Array((flag ? "1" : "0").utf8)
        case .words: Array((flag ? "true" : "false").utf8)
        }
    }

    private static func flag(_ value: [UInt8]) -> Bool? {
        switch String(decoding: value, as: UTF8.self) {
        case "1", "true": true
        case "0", "false": false
        default: nil
        }
    }

    private static func join(_ pairs: [String: [UInt8]]) -> [UInt8] {
        var out: [UInt8] = []
        for name in pairs.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            guard let value = pairs[name] else { continue }
            if !out.isEmpty { out.append(UInt8(ascii: ";")) }
            out += name.utf8
            out.append(UInt8(ascii: ":"))
            out += value
        }
        return out
    }

    /// Splits at known names; a value that is exactly what we issued may itself hold `:` and `;`.
    private func split(_ device: [UInt8]) throws(SignatureRefusal) -> [(String, [UInt8])] {
        guard device.count <= Limits.deviceBytes else { throw SignatureRefusal(members: [], reason: "too_long") }
        var pairs: [(String, [UInt8])] = []
        var index = 0
        while index < device.count {
            guard let name = Self.name(in: device, at: index) else {
                throw SignatureRefusal(members: [Self.unknownName(in: device, at: index)], reason: "unknown_member")
            }
            guard pairs.count < Limits.pairs else {
                throw SignatureRefusal(members: [name], reason: "too_many_members")
            }
            let start = index + name.utf8.count + 1
            let end = endOfIssued(name, in: device, from: start) ?? Self.nextBreak(in: device, from: start)
            pairs.append((name, Array(device[start..<end])))
            index = end + 1
            guard end < device.count else { break }
            guard index < device.count else { throw SignatureRefusal(members: [name], reason: "trailing_separator") }
        }
        guard !pairs.isEmpty else { throw SignatureRefusal(members: [], reason: "empty") }
        return pairs
    }

    private enum Limits {
        static let deviceBytes = 8 * 1024
        static let pairs = 32
        static let nameBytes = 64
    }

    /// The known name that starts there, followed by a colon.
    private static func name(in device: [UInt8], at index: Int) -> String? {
        for name in names where device[index...].starts(with: name) {
            let end = index + name.count
            if end < device.count, device[end] == UInt8(ascii: ":") { return String(decoding: name, as: UTF8.self) }
        }
        return nil
    }

    private static func unknownName(in device: [UInt8], at index: Int) -> String {
        let bytes = device[index...].prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") }
        return String(decoding: bytes.prefix(Limits.nameBytes), as: UTF8.self)
    }

    /// The end of the issued value, where it stands there and a separator or the end follows.
    private func endOfIssued(_ name: String, in device: [UInt8], from start: Int) -> Int? {
        guard let ours = issued[name], device[start...].starts(with: ours) else { return nil }
        let end = start + ours.count
        return end == device.count || device[end] == UInt8(ascii: ";") ? end : nil
    }

    /// The next `;` that a known name follows, else the end: a changed value ends there.
    private static func nextBreak(in device: [UInt8], from start: Int) -> Int {
        var index = start
        while index < device.count {
            if device[index] == UInt8(ascii: ";"), index + 1 < device.count, name(in: device, at: index + 1) != nil {
                return index
            }
            index += 1
        }
        return device.count
    }
}
