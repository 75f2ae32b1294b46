package import Kernel

/// An order as the provider tells it: the answer of create, info, commit, cancel and delivery.
package struct OrderInfo: Hashable {
    /// One refund; there may be several.
    package struct Refund: Hashable {
        package let id: String
        package let amount: Int64
        let prepaid: Int64
        /// `pending` or `processed`.
        package let status: String?
    }

    /// A position, as far as the provider keeps it as it was given.
    struct Item: Hashable {
        let price: Int64
        let quantity: Int64
    }

    /// The provider's word.
    package let word: String
    package let amount: Int64
    package let residual: Int64
    /// The form's address, sealed where it was stored; `null` where no payer can be sent to it.
    package let link: Json
    package let refunds: [Refund]
    /// Whether a list or a total of refunds is there; both are optional, and prove nothing where they are left out.
    let hasRefunds: Bool
    /// The total that the provider names beside its list, or without one.
    let totalRefunded: Int64?
    package let schedule: [Int64]
    package let installmentTerm: Int64?
    /// The positions and how often each stands there; `nil` where they are not told, or not as we know them.
    let items: [Item: Int]?
    /// Not in the provider's document; an older client read one.
    let id: String?

    /// Why an answer can't be used.
    package struct Malformed: Error, Hashable {
        let member: String
    }

    /// Demands what must be there and amounts of kopecks; unknown members and `null` are passed over.
    package init(_ json: Json) throws(Malformed) {
        guard let word = json["status"]?.text else { throw Malformed(member: "status") }
        self.word = word
        amount = try Self.kopecks(json, "amount")
        residual = try Self.kopecks(json, "residual_amount")
        guard let link = json["link"], link.text != nil || link.isNull || Sealed(link) != nil else {
            throw Malformed(member: "link")
        }
        self.link = link
        let returned = try Self.returned(json["refund_info"])
        refunds = returned.refunds
        totalRefunded = returned.total
        hasRefunds = returned.isTold
        var schedule: [Int64] = []
        for part in json["payment_schedule"]?.items ?? [] {
            if let amount = try Self.optionalKopecks(part, "amount") { schedule.append(amount) }
        }
        self.schedule = schedule
        items = Self.items(json["items"])
        installmentTerm = json.at("installment_info", "term")?.integer
        id = json["id"]?.text
    }

    /// The block about refunds; one in another shape than the documented can't be read.
    private static func returned(_ block: Json?) throws(Malformed) -> (refunds: [Refund], total: Int64?, isTold: Bool) {
        guard let block, !block.isNull else { return ([], nil, false) }
        let list = block["items"].flatMap { $0.isNull ? nil : $0 }
        guard block.members != nil, list == nil || list?.items != nil else { throw Malformed(member: "refund_info") }
        var refunds: [Refund] = []
        for item in list?.items ?? [] {
            guard let id = item["refund_id"]?.scalarText, !id.isEmpty else {
                throw Malformed(member: "refund_info.items.refund_id")
            }
            refunds.append(
                Refund(
                    id: id,
                    amount: try kopecks(item, "refunded_amount"),
                    prepaid: try optionalKopecks(item, "refunded_prepaid_amount") ?? 0,
                    status: item["status"]?.text
                )
            )
        }
        let total = try optionalKopecks(block, "total_refunded_amount")
        return (refunds, total, list != nil || total != nil)
    }

    /// The total, where it disagrees with the list.
    var disputedTotal: Int64? { totalRefunded == refunded ? nil : totalRefunded }

    /// The sum of the list, each refund once.
    var refunded: Int64 {
        var told: Set<String> = []
        return refunds.reduce(0) { sum, refund in
            told.insert(refund.id).inserted ? sum.addingReportingOverflow(refund.amount).partialValue : sum
        }
    }

    private static func items(_ json: Json?) -> [Item: Int]? {
        guard let listed = json?.items, !listed.isEmpty else { return nil }
        var found: [Item: Int] = [:]
        for item in listed {
            guard let price = item["price"].flatMap({ try? Rubles.kopecks($0) }),
                let quantity = item["quantity"]?.integer
            else { return nil }
            found[Item(price: price, quantity: quantity), default: 0] += 1
        }
        return found
    }

    private static func kopecks(_ json: Json, _ name: String) throws(Malformed) -> Int64 {
        guard let value = try optionalKopecks(json, name) else { throw Malformed(member: name) }
        return value
    }

    private static func optionalKopecks(_ json: Json, _ name: String) throws(Malformed) -> Int64? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let kopecks = try? Rubles.kopecks(value) else { throw Malformed(member: name) }
        return kopecks
    }
}

/// The answer to a refund or correction.
package struct RefundAnswer: Hashable {
    package let id: String
    /// The payer's debt after this refund, and not the sum that went back.
    package let remaining: Int64

    package init?(_ json: Json) {
        guard let id = json["refund_id"]?.scalarText, !id.isEmpty,
            let remaining = json["amount"].flatMap({ try? Rubles.kopecks($0) })
        else { return nil }
        self.id = id
        self.remaining = remaining
    }
}
