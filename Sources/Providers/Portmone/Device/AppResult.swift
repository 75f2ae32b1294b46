import Http
import Kernel
import Payments
import ProviderKit

/// An app's report of its SDK's result, by one closed schema per call.
///
/// `{"call": "threeDSecure", "billNumber", "paRes"}` is what the payer's bank gave for a wallet that we passed on.
///
/// `{"call": "pay" | "payByToken" | "saveCard" | "transfer", "billNumber", "payeeId"?, "bill": {…}}`, the same with
/// `"cancelled": true` or `"error"`, or `{"call": "return", "fields": {…}}` for what a browser brought back.
struct AppResult {
    private let call: String
    private let billNumber: String?
    private let payeeId: String?
    private let amount: String?
    private let base: AppClaim
    private let bill: Bill?

    /// The SDK's `Bill` as far as it is kept.
    private struct Bill {
        let status: String
        let amount: String?
        let receipt: [Receipt.Field: String?]
        let id: String?
    }

    private enum Limits {
        static let textBytes = 512
        static let fields = 64
    }

    init(_ body: Json) throws(ClaimFailure) {
        do throws(SchemaFailure) {
            try self.init(reading: body)
        } catch {
            throw ClaimFailure(path: error.path, reason: error.reason)
        }
    }

    private init(reading body: Json) throws(SchemaFailure) {
        var object = try ClosedObject(body)
        guard let call = try object.text("call", atMost: 16) else { throw object.failure("call", "missing") }
        self.call = call
        if call == "threeDSecure" {
            billNumber = try object.text("billNumber", atMost: 120)
            guard let answer = object.value("paRes") else { throw object.failure("paRes", "missing") }
            guard OnceHole.isHole(answer) else { throw object.failure("paRes", "must_not_be_stored") }
            try object.end()
            payeeId = nil
            amount = nil
            bill = nil
            base = AppClaim(meaning: .unknown, code: call, completion: answer)
            return
        }
        if call == "return" {
            let fields = object.value("fields") ?? [:]
            guard let members = fields.members, members.count <= Limits.fields else {
                throw object.failure("fields", "not_an_object")
            }
            try object.end()
            let read = BrowserReturn(fields)
            billNumber = read.fields.orderNumber
            payeeId = nil
            amount = read.fields.amountText
            bill = nil
            switch read.hint {
            case .success: base = AppClaim(meaning: .success, code: "return:0")
            case .failure: base = AppClaim(meaning: .declined, code: "return:failure")
            case .none: base = AppClaim(meaning: .unknown, code: "return:none")
            }
            return
        }
        guard SdkParameters.Call(rawValue: call) != nil else { throw object.failure("call", "unknown_word") }
        guard let number = try object.text("billNumber", atMost: 120), !number.isEmpty else {
            throw object.failure("billNumber", "missing")
        }
        billNumber = number
        payeeId = try object.text("payeeId", atMost: Limits.textBytes)
        let isCancelled = try object.flag("cancelled", default: false)
        let error = try object.text("error", atMost: Limits.textBytes)
        let bill = try Self.bill(&object)
        self.bill = bill
        try object.end()
        amount = bill?.amount
        if let bill {
            base = AppClaim(meaning: Self.meaning(bill.status), code: "\(call):\(bill.status)")
        } else if isCancelled {
            base = AppClaim(meaning: .cancelled, code: "\(call):cancelled")
        } else {
            let word = error == nil ? "none" : "error"
            base = AppClaim(meaning: error == nil ? .unknown : .error, code: "\(call):\(word)")
        }
    }

    /// The SDK's `Bill`: every member is known, card data is none of them.
    private static func bill(
        _ object: inout ClosedObject
    ) throws(SchemaFailure) -> Bill? {
        guard var bill = try object.object("bill") else { return nil }
        let status = try bill.text("status", atMost: 32) ?? ""
        let amount = bill.value("billAmount")
        guard amount == nil || amount?.scalarText != nil else { throw bill.failure("billAmount", "not_a_number") }
        for name in ["billId", "commissionAmount", "payDate"] {
            guard let value = bill.value(name) else { continue }
            guard value.scalarText != nil else { throw bill.failure(name, "not_a_scalar") }
        }
        var texts: [String: String] = [:]
        for name in ["cardMask", "recieptUrl", "contractNumber", "payeeName", "token"] {
            texts[name] = try bill.text(name, atMost: Limits.textBytes)
        }
        let id = bill.value("billId")?.scalarText
        let paidAt = bill.value("payDate")?.scalarText
        try bill.end()
        return Bill(
            status: status,
            amount: amount?.scalarText,
            receipt: [
                .url: texts["recieptUrl"], .payee: texts["payeeName"], .contract: texts["contractNumber"],
                .paidAt: paidAt.map(instant),
            ],
            id: id
        )
    }

    /// Milliseconds since 1970 as an instant; other texts as they stand.
    private static func instant(_ text: String) -> String {
        guard let milliseconds = Int64(text), (0...253_402_300_799_000).contains(milliseconds) else { return text }
        return Timestamp(seconds: milliseconds / 1000).wholeSeconds
    }

    private static func meaning(_ status: String) -> AppClaim.Meaning {
        switch StatusTable(rawValue: status) {
        case .paid?, .held?: .success
        case .rejected?: .declined
        case .cancelled?: .cancelled
        case .created?, .returned?, nil: .unknown
        }
    }

    /// The claim by itself.
    var claim: AppClaim { base }

    /// The claim held against the payment that the app was given: payee, number and amount must be ours.
    func held(against issued: IssuedPayment) throws(ClaimFailure) -> AppClaim {
        if let payeeId, payeeId != issued.settings["payeeId"]?.text {
            throw ClaimFailure(path: "payeeId", reason: "another_payee")
        }
        if let billNumber, billNumber != issued.reference {
            throw ClaimFailure(path: "billNumber", reason: "another_payment")
        }
        let asked = issued.terms.mode == .tokenize ? nil : issued.terms.amount
        if let amount, let asked, let claimed = Amounts.read(amount, asked.currency), claimed != asked {
            throw ClaimFailure(path: "bill.billAmount", reason: "another_amount")
        }
        return AppClaim(meaning: base.meaning, code: base.code, receipt: receipt(issued), completion: base.completion)
    }

    /// The receipt that the app was told for the payer; an address elsewhere than at the provider is not kept.
    private func receipt(_ issued: IssuedPayment) -> Receipt? {
        guard let bill, let id = bill.id else { return nil }
        var fields = bill.receipt
        let home = issued.settings["gatewayUrl"]?.text ?? PortmoneSettings.defaultGatewayUrl
        if let url = fields[.url] ?? nil, WebAddress.origin(url) != WebAddress.origin(home) { fields[.url] = nil }
        return Receipt(String(id.prefix(200)), fields)
    }
}
