import Kernel
import Xml

/// A notification's bills, in either of its two forms; nothing in it is signed.
package struct Notification {
    /// One paid bill as it is told.
    package struct Bill: Hashable {
        package let billId: String?
        package let billNumber: String?
        package let payeeId: String?
        package let amount: String?
        package let commission: String?
        package let payDate: String?
        package let authCode: String?
        package let contractNumber: String?
    }

    enum Form: Hashable {
        case xml, json
    }

    let form: Form
    package let bills: [Bill]

    private enum Limits {
        static let bills = 1000
        static let rootCharacters = 64
    }

    /// Tells the form by the body alone: a JSON document, or form data with an XML document in `data`.
    static func form(of body: [UInt8]) -> Form {
        let first = body.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .json : .xml
    }

    /// The root of a well-formed document that is none of bills; `nil` for anything else.
    static func otherRoot(of body: [UInt8]) -> String? {
        switch form(of: body) {
        case .json:
            guard let members = (try? Json(body, limits: .repeating))?.members, let first = members.names.first else {
                return nil
            }
            return String(first.prefix(Limits.rootCharacters))
        case .xml:
            guard let root = root(of: body), root.name != billsRoot else { return nil }
            return String(root.name.prefix(Limits.rootCharacters))
        }
    }

    private static let billsRoot = "BILLS"

    private static func root(of body: [UInt8]) -> XmlElement? {
        guard let text = String(validating: body, as: UTF8.self) else { return nil }
        let document = (FormEncoding.decode(text) ?? []).first { $0.name == "data" }?.value ?? text
        return XmlDocument.root(Array(document.utf8))
    }

    /// `nil` where the body is unreadable or names no bill.
    package init?(_ body: [UInt8]) {
        form = Self.form(of: body)
        switch form {
        case .json:
            guard let json = (try? Json(body)) ?? (try? Json(body, limits: .repeating)) else { return nil }
            bills = (json.items ?? [json]).prefix(Limits.bills).map { Bill(Row($0)) }
        case .xml:
            guard let root = Self.root(of: body), root.name == Self.billsRoot else { return nil }
            bills = root.all("BILL").prefix(Limits.bills).map { Bill($0) }
        }
        guard !bills.isEmpty, bills.allSatisfy({ $0.billId != nil || $0.billNumber != nil }) else { return nil }
    }
}

extension Notification.Bill {
    /// One of several bills of a notification, as a notification of its own.
    var json: Json {
        .compact([
            ("authCode", authCode.map(Json.string)), ("billAmount", amount.map(Json.string)),
            ("commission", commission.map(Json.string)), ("contractNumber", contractNumber.map(Json.string)),
            ("payDate", payDate.map(Json.string)), ("payeeId", payeeId.map(Json.string)),
            ("shopBillId", billId.map(Json.string)), ("shopOrderNumber", billNumber.map(Json.string)),
        ])
    }

    fileprivate init(_ row: Row) {
        billId = row.billId
        billNumber = row.orderNumber
        payeeId = row.payeeId
        amount = row.amountText
        commission = row.commissionText
        payDate = row.payDate
        authCode = row.authCode
        contractNumber = row.text("contractnumber", "description")
    }

    fileprivate init(_ node: XmlElement) {
        func text(_ name: String, in node: XmlElement?) -> String? {
            guard let text = node?.child(name)?.text, !text.isEmpty else { return nil }
            return text
        }
        billId = text("BILL_ID", in: node)
        billNumber = text("BILL_NUMBER", in: node)
        payeeId = text("CODE", in: node.child("PAYEE"))
        amount = text("PAYED_AMOUNT", in: node)
        commission = text("PAYED_COMMISSION", in: node)
        payDate = text("PAY_DATE", in: node)
        authCode = text("AUTH_CODE", in: node)
        contractNumber = text("CONTRACT_NUMBER", in: node.child("PAYER"))
    }
}
