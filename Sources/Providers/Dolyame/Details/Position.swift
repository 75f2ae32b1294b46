package import Kernel

/// One line of an order; the provider knows no line id, so name, price and article number are all there is.
package struct Position: Hashable {
    let name: String
    package let quantity: Int64
    /// Price of one in kopecks.
    package let price: Int64
    let sku: String?
    /// The receipt's members in the provider's form, or nothing.
    let receipt: Json?

    /// The members that tell positions apart.
    struct Identity: Hashable {
        let name: [UInt8]
        let price: Int64
    }

    var identity: Identity { Identity(name: Array(name.utf8), price: price) }

    func with(quantity: Int64, price: Int64) -> Position {
        Position(name: name, quantity: quantity, price: price, sku: sku, receipt: receipt)
    }

    func wire(_ money: (Int64) -> Json) -> Json {
        .compact([
            ("name", .string(name)), ("quantity", .integer(quantity)), ("price", money(price)),
            ("sku", sku.map(Json.string)), ("receipt", receipt),
        ])
    }
}

/// A position as it was given, before anything is known to be right.
package struct RawPosition: Hashable {
    let name: String
    package let quantity: Json
    package let price: Json
    let sku: String?
    let receipt: Json?

    init(name: String, quantity: Json, price: Json, sku: String?, receipt: Json?) {
        self.name = name
        self.quantity = quantity
        self.price = price
        self.sku = sku
        self.receipt = receipt
    }

    /// Reads the provider's form.
    package init(wire json: Json) {
        self.init(
            name: json["name"]?.text ?? "",
            quantity: json["quantity"] ?? .null,
            price: json["price"] ?? .null,
            sku: json["sku"]?.text,
            receipt: json["receipt"].flatMap { $0.members == nil ? nil : $0 }
        )
    }
}

/// Positions whose structure is right, and their sum.
package struct Basket: Hashable {
    package let positions: [Position]
    package let sum: Int64

    package static let empty = Basket(positions: [], sum: 0)

    private init(positions: [Position], sum: Int64) {
        self.positions = positions
        self.sum = sum
    }

    /// Positions of ours; `nil` where the sum leaves the range.
    init?(_ positions: [Position]) {
        guard let sum = Self.sum(positions) else { return nil }
        self.init(positions: positions, sum: sum)
    }

    private static func sum(_ positions: [Position]) -> Int64? {
        var sum: Int64 = 0
        for position in positions {
            let (line, overflow) = position.price.multipliedReportingOverflow(by: position.quantity)
            let (total, carry) = sum.addingReportingOverflow(line)
            guard !overflow, !carry else { return nil }
            sum = total
        }
        return sum
    }

    /// Reads positions; everything that is wrong with their structure is named.
    package static func read(_ raw: [RawPosition]) throws(Broken) -> Basket {
        var rules: Set<Rule> = []
        if raw.isEmpty { rules.insert(.itemsEmpty) }
        var positions: [Position] = []
        for item in raw {
            let quantity = item.quantity.integer ?? item.quantity.text.flatMap { Int64($0) }
            if !(1...Int64(Int32.max)).contains(quantity ?? 0) { rules.insert(.quantity) }
            do throws(MoneyFailure) {
                let price = try Rubles.kopecks(item.price)
                if price < 0 { rules.insert(.price) }
                positions.append(
                    Position(
                        name: item.name,
                        quantity: quantity ?? 0,
                        price: price,
                        sku: item.sku,
                        receipt: item.receipt
                    )
                )
            } catch {
                rules.insert(Rule(error, otherwise: .price))
            }
        }
        guard rules.isEmpty else { throw Broken(rules: rules) }
        guard let basket = Basket(positions) else { throw Broken(rules: [.overflow]) }
        return basket
    }

    /// Takes away positions that went back; `nil` where one of them is not here or not so often.
    func subtracting(_ returned: Basket) -> Basket? {
        var left = positions
        for position in returned.positions {
            var wanted = position.quantity
            for index in left.indices where wanted > 0 && left[index].identity == position.identity {
                let taken = min(wanted, left[index].quantity)
                left[index] = left[index].with(quantity: left[index].quantity - taken, price: left[index].price)
                wanted -= taken
            }
            guard wanted == 0 else { return nil }
        }
        return Basket(left.filter { $0.quantity > 0 })
    }
}

/// The faults of an order, by the codes of our reference.
package enum Rule: String, Hashable, Sendable, CaseIterable, Comparable {
    case itemsEmpty = "ITEMS_EMPTY"
    case quantity = "QTY"
    case price = "PRICE"
    case precision = "PRECISION"
    case overflow = "OVERFLOW"
    case sum = "SUM"
    case sumCommit = "SUM_COMMIT"
    case sumRefund = "SUM_REFUND"
    case sumCorrection = "SUM_CORR"
    case minimum = "MIN_1"
    case range = "RANGE"
    case commitCap = "COMMIT_CAP"
    case refundCap = "REFUND_CAP"
    case refundItems = "REFUND_ITEMS"
    case fiscalParameters = "FISCAL_PARAMS"
    case state = "STATE"

    init(_ failure: MoneyFailure, otherwise malformed: Rule) {
        switch failure {
        case .malformed, .mixedCurrencies: self = malformed
        case .wrongScale: self = .precision
        case .overflow: self = .overflow
        }
    }

    package static func < (left: Rule, right: Rule) -> Bool { left.rawValue < right.rawValue }
}

/// Something that breaks rules and so is not sent.
package struct Broken: Error, Hashable {
    package let rules: Set<Rule>

    /// The codes in a fixed order.
    var text: String { rules.sorted().map(\.rawValue).joined(separator: ", ") }
}
