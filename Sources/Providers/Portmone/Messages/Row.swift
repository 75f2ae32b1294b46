package import Kernel
import Xml

/// Fields of one order as an answer carries them, whatever their spelling: `shop_bill_id`, `shopBillId`, `SHOPBILLID`.
///
/// `""`, `null` and the text `null` all mean that there is none.
package struct Row {
    private var fields: [String: Json] = [:]

    package init(_ json: Json) {
        for member in json.members?.members ?? [] {
            let name = Self.plain(member.name)
            if fields[name] == nil { fields[name] = member.value }
        }
    }

    init(_ node: XmlElement) {
        for child in node.children {
            let name = Self.plain(child.name)
            if fields[name] == nil { fields[name] = .string(child.text) }
        }
    }

    private static func plain(_ name: String) -> String {
        String(
            decoding: name.utf8.compactMap { byte -> UInt8? in
                if byte == UInt8(ascii: "_") { return nil }
                return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
            },
            as: UTF8.self
        )
    }

    /// The text of the first field of these names that has one; names in lower case without underscores.
    package func text(_ names: String...) -> String? {
        for name in names {
            guard let text = fields[name]?.scalarText, !text.isEmpty, text != "null", text != "undefined" else {
                continue
            }
            return text
        }
        return nil
    }

    func has(_ name: String) -> Bool { fields[name] != nil }

    package func value(_ name: String) -> Json? { fields[name] }

    package var billId: String? { text("shopbillid", "billid") }
    package var orderNumber: String? { text("shopordernumber", "billnumber") }
    package var payeeId: String? { text("payeeid") }
    /// The word as it stands; an empty one is a word, too.
    package var statusText: String? { fields["status"]?.text }
    package var status: StatusTable? { statusText.flatMap(StatusTable.init) }
    package var amountText: String? { text("billamount") }
    /// The amount as it stands, a number or a text; whatever else stands there is no amount and not none.
    var amount: Json? { fields["billamount"].flatMap { $0.scalarText == nil || amountText != nil ? $0 : nil } }
    package var commissionText: String? { text("commission") }
    var payDate: String? { text("paydate") }
    package var authCode: String? { text("authcode") }
    package var cardMask: String? { text("cardmask") }
    /// How it was paid, as in `Card`.
    var method: String? { text("gatetype") }
    var scheme: String? { text("cardtypename") }
    package var errorCode: String? { text("errorcode") }
    var errorText: String? { text("errormessage", "error") }
    var isChargedBack: Bool { text("chargeback") == "Y" }
    var needsThreeDSecure: Bool { text("isneed3ds") == "Y" || text("mpiflag") == "Y" }

    /// The saved card's token where there is one: a text, or sealed in place.
    package var token: Json? { fields["token"].flatMap(Token.present) }
}

extension Row {
    /// The civil time of payment as ISO 8601 without an offset: the provider writes Kyiv's time and no zone.
    package var payDateIso: String? {
        guard let text = payDate else { return nil }
        let halves = text.split(separator: " ", maxSplits: 1).map(String.init)
        guard let day = halves.first else { return nil }
        let parts = day.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isDotted =
            parts.map(\.utf8.count) == [2, 2, 4] && parts.joined().utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isDotted else { return text }
        let date = "\(parts[2])-\(parts[1])-\(parts[0])"
        return halves.count > 1 ? "\(date)T\(halves[1])" : date
    }
}

/// A provider's token, open or sealed.
enum Token {
    /// `nil` where the value stands for none.
    ///
    /// A sealed value can't be read; one that is no longer than a quoted `null` holds none.
    static func present(_ json: Json) -> Json? {
        if let sealed = Sealed(json) { return sealed.box.count > Sealed.tagBytes + longestAbsence ? json : nil }
        guard let text = json.text, !text.isEmpty, text != "null", text != "undefined" else { return nil }
        return json
    }

    private static let longestAbsence = 6
}
