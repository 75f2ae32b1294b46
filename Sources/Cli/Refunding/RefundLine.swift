import EventSourcing
import Kernel
import SystemKit

/// One refund of a file: of which payment, how much, and why.
struct RefundLine: Hashable, Sendable {
    /// How the file names the payment.
    enum Target: Hashable, Sendable {
        case payment(PaymentId)
        /// The merchant's own, which one payment has.
        case reference(String)
    }

    /// Of the file; the first line is 1.
    let number: Int
    let target: Target
    /// `nil` is all that is left.
    let amount: Money?
    let reason: String?
    /// The idempotency key that the line brings itself.
    let ownKey: String?

    /// The members of a line, and the columns of a table.
    static let names = ["payment", "reference", "amount", "currency", "reason", "key"]
    private static let reasonCharacters = 255

    /// Reads the cells of a table's row, by the names of its columns; empty cells are none.
    init(number: Int, cells: [String: String]) throws(UsageError) {
        var given = cells.filter { _, cell in cell.contains { $0 != " " } }
        let (decimal, code) = (given.removeValue(forKey: "amount"), given.removeValue(forKey: "currency"))
        var amount: Money?
        if let decimal {
            guard let code else { throw UsageError("an amount has a currency") }
            guard let currency = Currency(code) else { throw UsageError("'\(code)' is no currency of ISO 4217") }
            guard let money = try? Money(written: decimal, currency) else {
                throw UsageError("'\(decimal)' is no amount in \(code)")
            }
            amount = money
        } else if code != nil {
            throw UsageError("a currency has an amount; without both all that is left is refunded")
        }
        try self.init(number, given, amount)
    }

    /// Reads a line of JSON: `{"payment" or "reference", "amount"?: {"value", "currency"}, "reason"?, "key"?}`.
    init(number: Int, json: Json) throws(UsageError) {
        guard let members = json.members else { throw UsageError("a line is an object") }
        var given: [String: String] = [:]
        var amount: Money?
        for member in members.members {
            guard Self.names.contains(member.name), member.name != "currency" else {
                throw UsageError("there is no member '\(member.name)'")
            }
            if member.name == "amount" {
                guard let money = Money(json: member.value) else {
                    throw UsageError("amount is {\"value\": minor units, \"currency\": code}")
                }
                amount = money
            } else {
                guard let text = member.value.text else { throw UsageError("\(member.name) is a text") }
                given[member.name] = text
            }
        }
        try self.init(number, given, amount)
    }

    private init(_ number: Int, _ given: [String: String], _ amount: Money?) throws(UsageError) {
        switch (given["payment"], given["reference"]) {
        case (let text?, nil):
            guard let id = PaymentId(text) else { throw UsageError("'\(text)' is no payment's id") }
            target = .payment(id)
        case (nil, let text?):
            guard text.utf8.count <= Limits.referenceBytes else { throw UsageError("no reference is that long") }
            target = .reference(text)
        case (nil, nil): throw UsageError("it names no payment and no reference")
        case (.some, .some): throw UsageError("it names a payment and a reference; one is enough")
        }
        if let amount, amount.minor <= 0 { throw UsageError("an amount is more than zero") }
        if let reason = given["reason"], reason.count > Self.reasonCharacters {
            throw UsageError("a reason has at most \(Self.reasonCharacters) characters")
        }
        if let key = given["key"] {
            guard key.utf8.count <= Limits.idempotencyKeyBytes, key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
            else { throw UsageError("a key is of printable ASCII without spaces, at most 255") }
        }
        self.number = number
        self.amount = amount
        reason = given["reason"]
        ownKey = given["key"]
    }

    /// What the line says, whichever line it is.
    var content: Json {
        .compact([
            ("payment", payment.map { .string($0.text) }), ("reference", reference.map(Json.string)),
            ("amount", amount?.json), ("reason", reason.map(Json.string)),
        ])
    }

    var payment: PaymentId? { if case .payment(let id) = target { id } else { nil } }
    var reference: String? { if case .reference(let text) = target { text } else { nil } }

    /// The body of its command.
    var body: Json { .compact([("amount", amount?.json), ("reason", reason.map(Json.string))]) }
}

/// A line that can't be sent as it is.
struct RefundFault: Hashable, Sendable {
    let line: Int
    let reason: String

    var json: Json {
        ["line": .integer(Int64(line)), "outcome": "bad", "detail": .string(reason)]
    }
}
