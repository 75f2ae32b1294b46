import Kernel

/// An order as the simulated provider keeps it; amounts are kopecks.
package struct DolyameOrder: Hashable, Sendable {
    package enum Status: String, Hashable, Sendable {
        case new, approved, rejected, canceled, committed, completed
        case waiting = "wait_for_commit"

        /// Whether the payer may still go on.
        var isOpen: Bool { self == .new || self == .approved }
    }

    package struct Item: Hashable, Sendable {
        let name: String
        let quantity: Int64
        let price: Int64

        init?(_ json: Json) {
            guard let name = json["name"]?.text, !name.isEmpty, let quantity = json["quantity"]?.integer,
                (1...Int64(Int32.max)).contains(quantity),
                let price = json["price"].flatMap(DolyameOrder.kopecks),
                price >= 0, !price.multipliedReportingOverflow(by: quantity).overflow
            else { return nil }
            self.name = name
            self.quantity = quantity
            self.price = price
        }

        var json: Json {
            ["name": .string(name), "quantity": .integer(quantity), "price": DolyameOrder.decimal(price)]
        }
    }

    package struct Refund: Hashable, Sendable {
        package let id: String
        package let amount: Int64
        let prepaid: Int64
        var isProcessed = false
    }

    package let id: String
    package internal(set) var amount: Int64
    var prepaid: Int64
    var items: [Item]
    package internal(set) var status: Status = .new
    package internal(set) var refunds: [Refund] = []
    let notificationUrl: String?
    let successUrl: String?
    let failUrl: String?
    let isDemo: Bool
    /// The merchant has told that everything was delivered.
    package internal(set) var isDelivered = false

    package var refunded: Int64 { refunds.reduce(0) { $0 + $1.amount } }

    /// Reads the provider's form; a text says what is wrong.
    static func read(_ body: Json, isDemo: Bool = false) -> Result<DolyameOrder, DolyameRefusal> {
        guard let order = body["order"], let id = order["id"]?.text, !id.isEmpty, id.count <= 30 else {
            return .failure(.validation("order.id", "is needed, at most 30 characters"))
        }
        switch Bill.read(order, items: "items", prepaid: "prepaid_amount") {
        case .failure(let refusal): return .failure(refusal)
        case .success(let bill):
            guard bill.amount >= 100 else {
                return .failure(.validation("order.amount", "is less than a ruble"))
            }
            return .success(
                DolyameOrder(
                    id: id,
                    amount: bill.amount,
                    prepaid: bill.prepaid,
                    items: bill.items,
                    notificationUrl: body["notification_url"]?.text,
                    successUrl: body["success_url"]?.text,
                    failUrl: body["fail_url"]?.text,
                    isDemo: isDemo
                )
            )
        }
    }

    /// The answer of info and of what changes an order.
    func json(link: String, withItems: Bool) -> Json {
        let list = refunds.map { refund -> Json in
            [
                "refund_id": .string(refund.id), "refunded_amount": Self.decimal(refund.amount),
                "refunded_prepaid_amount": Self.decimal(refund.prepaid),
                "status": refund.isProcessed ? "processed" : "pending",
            ]
        }
        return .compact([
            ("status", .string(status.rawValue)), ("amount", Self.decimal(amount)),
            ("residual_amount", Self.decimal(residual)), ("link", .string(link)),
            ("payment_schedule", status == .new ? nil : schedule),
            (
                "refund_info",
                [
                    "total_refunded_amount": Self.decimal(refunded),
                    "total_refunded_prepaid_amount": Self.decimal(refunds.reduce(0) { $0 + $1.prepaid }),
                    "items": .array(list),
                ]
            ), ("items", withItems ? .array(items.map(\.json)) : nil),
        ])
    }

    /// The body of a notification.
    var notice: Json {
        [
            "id": .string(id), "status": .string(status.rawValue), "amount": Self.decimal(amount),
            "residual_amount": Self.decimal(residual), "demo": .bool(isDemo),
            "client_info": ["first_name": "Иван", "last_name": "И.", "email": "t**@y*.ru"],
        ]
    }

    private var residual: Int64 {
        switch status {
        case .new, .approved, .rejected: amount
        case .canceled: 0
        case .waiting, .committed, .completed: max(0, amount - amount / 4 - refunded)
        }
    }

    private var schedule: Json {
        let part = amount / 4
        let dates = ["2026-03-02", "2026-03-16", "2026-03-30", "2026-04-13"]
        let first: Json =
            switch status {
            case .waiting: "hold"
            case .committed, .completed: "paid"
            case .new, .approved, .rejected, .canceled: "scheduled"
            }
        return .array(
            dates.enumerated().map { index, date in
                [
                    "payment_date": .string(date),
                    "amount": Self.decimal(index == 0 ? amount - 3 * part : part),
                    "status": index == 0 ? first : "scheduled",
                ]
            }
        )
    }

    static func kopecks(_ json: Json) -> Int64? {
        guard let text = json.scalarText, let rubles = Currency("RUB"),
            let money = try? Money(decimal: text, rubles)
        else { return nil }
        return money.minor
    }

    static func decimal(_ kopecks: Int64) -> Json {
        guard let rubles = Currency("RUB"), let number = try? Json(text: Money(kopecks, rubles).decimal)
        else { return .null }
        return number
    }

    /// Amounts and positions of a request, whose sums must agree.
    struct Bill {
        let amount: Int64
        let prepaid: Int64
        let items: [Item]

        static func read(_ json: Json, items name: String, prepaid: String) -> Result<
            Bill, DolyameRefusal
        > {
            guard let amount = json["amount"].flatMap(kopecks), amount >= 0 else {
                return .failure(.validation("amount", "is no amount"))
            }
            let before = json[prepaid].map(kopecks) ?? 0
            guard let before, before >= 0 else { return .failure(.validation(prepaid, "is no amount")) }
            guard let given = json[name]?.items, !given.isEmpty else {
                return .failure(.validation(name, "needs a position"))
            }
            let items = given.compactMap(Item.init)
            guard items.count == given.count else {
                return .failure(.validation(name, "has a broken position"))
            }
            var sum: Int64 = 0
            for item in items {
                let (next, overflow) = sum.addingReportingOverflow(item.price * item.quantity)
                if overflow { return .failure(.validation(name, "is too much")) }
                sum = next
            }
            guard !amount.addingReportingOverflow(before).overflow, amount + before == sum else {
                return .failure(.validation("amount", "must match items"))
            }
            return .success(Bill(amount: amount, prepaid: before, items: items))
        }
    }
}

/// A request that the simulated provider refuses.
struct DolyameRefusal: Error, Hashable {
    let status: Int
    let code: String
    let message: String
    var details: [String: String] = [:]

    static func validation(_ member: String, _ why: String) -> DolyameRefusal {
        DolyameRefusal(
            status: 422,
            code: "UNPROCESSABLE_ENTITY",
            message: "validation",
            details: [member: why]
        )
    }

    static let notFound = DolyameRefusal(status: 404, code: "NOT_FOUND", message: "no such order")

    static func conflict(_ why: String) -> DolyameRefusal {
        DolyameRefusal(status: 409, code: "CONFLICT", message: why)
    }

    var answer: SandboxAnswer {
        let members = details.sorted { $0.key < $1.key }.map { ($0.key, Json.string($0.value)) }
        return .json(
            status,
            .compact([
                ("code", .string(code)), ("message", .string(message)),
                ("details", members.isEmpty ? nil : .object(JsonObject(members))),
            ])
        )
    }
}
