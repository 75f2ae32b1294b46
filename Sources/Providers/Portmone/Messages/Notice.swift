import Kernel

/// A notification's bills, in either of its two forms; nothing in it is signed.
struct Notice {
    /// One paid bill as it is told.
    struct Bill: Hashable {
        let billId: String?
        let billNumber: String?
        let payeeId: String?
        let amount: String?
        let commission: String?
        let payDate: String?
        let authCode: String?
        let contractNumber: String?
    }

    enum Form: Hashable {
        case xml, json
    }

    let form: Form
    let bills: [Bill]

    private enum Limits {
        static let bills = 1000
    }

    /// Tells the form by the body alone: a JSON document, or form data with an XML document in `data`.
    static func form(of body: [UInt8]) -> Form {
        let first = body.first { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[") ? .json : .xml
    }

    /// `nil` where the body is unreadable or names no bill.
    init?(_ body: [UInt8]) {
        form = Self.form(of: body)
        switch form {
        case .json:
            guard let json = (try? Json(body)) ?? (try? Json(body, limits: .repeating)) else { return nil }
            bills = (json.items ?? [json]).prefix(Limits.bills).map { Bill(Row($0)) }
        case .xml:
            guard let text = String(validating: body, as: UTF8.self) else { return nil }
            let fields = FormEncoding.decode(text) ?? []
            let document = fields.first { $0.name == "data" }?.value ?? text
            guard let root = XmlReader.read(Array(document.utf8)), root.name == "BILLS" else { return nil }
            bills = root.all("BILL").prefix(Limits.bills).map { Bill($0) }
        }
        guard !bills.isEmpty, bills.allSatisfy({ $0.billId != nil || $0.billNumber != nil }) else { return nil }
    }
}

extension Notice.Bill {
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

    fileprivate init(_ node: XmlNode) {
        func text(_ name: String, in node: XmlNode?) -> String? {
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
