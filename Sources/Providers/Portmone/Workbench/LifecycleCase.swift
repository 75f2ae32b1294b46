import Kernel
import Payments
import ProviderKit

/// A whole history: what our side did, then the provider's rows, through the adapter and the payment aggregate.
struct LifecycleCase {
    private let item: Json
    private let history: [(word: String, amount: Money?)]
    private let rows: [Json]
    private let asked: Money?
    private let mode: PaymentMode

    init(_ item: Json) {
        self.item = item
        asked = CaseShop.money(item["authorizedAmount"]?.scalarText)
        history = (item["history"]?.items ?? []).compactMap(\.text).map { step in
            let halves = step.split(separator: ":", maxSplits: 1).map(String.init)
            return (halves.first ?? "", halves.count > 1 ? CaseShop.money(halves[1]) : nil)
        }
        rows = item["rows"]?.items ?? []
        let words = Set(history.map(\.word))
        let isHold = !words.isDisjoint(with: ["authorized", "void_requested", "capture_requested"])
        let isSaving = item["flow"] == "save_card" || item["mode"] == "tokenize"
        if isSaving {
            mode = .tokenize
        } else {
            mode = isHold || rows.contains { $0["status"] == "PREAUTH" } ? .authorize : .sale
        }
    }

    private func did(_ word: String) -> Bool { history.contains { $0.word == word } }

    /// The bill that the payment began with.
    private var firstId: String {
        let own = rows.first { $0["status"] != "RETURN" } ?? rows.first
        return own.flatMap { Row($0).billId } ?? "1"
    }

    /// The rows that our side had seen before, by what it knew.
    private var earlier: [[Json]] {
        guard let amount = asked?.decimal else { return [] }
        func row(_ status: String) -> [Json] {
            [["shopBillId": .string(firstId), "status": .string(status), "billAmount": .string(amount)]]
        }
        var found: [[Json]] = []
        if did("authorized") { found.append(row("PREAUTH")) }
        if did("captured") { found.append(row("PAYED")) }
        if did("failed") { found.append(row("REJECTED")) }
        return found
    }

    var violations: [String] {
        var shop = CaseShop()
        shop.mode = mode
        shop.amount = asked
        if item["environment"] == "live-autocancel" || item["accountMode"] == "live-autocancel" {
            shop.accountMode = .liveAutoCancel
        }
        shop.order = ProviderOrder(id: shop.reference)
        var view = PortmoneStates.view()
        guard var payment = LifecyclePayment(shop) else { return ["the case makes no payment"] }
        var isOdd = false
        for (index, rows) in (earlier + [rows]).enumerated() {
            // What our side asked for came after all that it had seen.
            if index == earlier.count { for step in history { payment.command(step.word, step.amount) } }
            shop.known = view.operations.keys.sorted().compactMap { view.operations[$0] }
            let facts = CaseShop.adapter.interpret(
                .answered(.query, status: 200, headers: [:], body: Json.array(rows).compactBytes),
                shop.interpretation
            )
            isOdd = !view.apply(facts).isEmpty || isOdd
            payment.observe(facts)
            isOdd = isOdd || facts.contains { if case .unrecognised = $0 { true } else { false } }
        }
        let late = (did("expired") || did("failed")) && view.state.moneyRank != nil
        var actual = words(view)
        actual["alert"] = .bool(isOdd || late || view.refunded > view.captured)
        let expected = item["expected"]
        let wanted = expected?.text.map { Json.object(JsonObject([("state", .string($0))])) } ?? expected
        return Comparison.violations(expected: wanted, actual: actual) + payment.violations(view)
    }

    private func words(_ view: ProviderView) -> [String: Json] {
        func text(_ minor: Int64) -> Json { Amounts.hryvnia.map { .string(Money(minor, $0).decimal) } ?? .null }
        let opened = view.operations.values.filter { $0.kind == .authorize && $0.outcome == .succeeded }
        let held = opened.reduce(Int64(0)) { sum, operation in
            let (total, overflow) = sum.addingReportingOverflow(operation.amount.money?.minor ?? asked?.minor ?? 0)
            return overflow ? sum : total
        }
        return [
            "state": .string(state(view)),
            "authorized": text(held),
            "captured": text(view.captured),
            "refunded": text(view.refunded),
            "net": text(view.captured &- view.refunded),
            "released": text(max(0, held &- view.captured)),
        ]
    }

    /// Without a row the state is what our side knew: nothing, a page that was shown, or a claim that nobody confirmed.
    private func state(_ view: ProviderView) -> String {
        guard view.state == .unregistered else { return view.caseWord }
        if did("expired") { return ProviderReading.expired.rawValue }
        if did("claimed") || did("success_claimed") { return ProviderReading.pending.rawValue }
        return (did("requires_action") ? ProviderReading.requiresAction : .created).rawValue
    }
}

/// A payment of ours that is told a history: what the aggregate makes of the adapter's facts.
struct LifecyclePayment {
    private var payment = Payment(id: PaymentId(Uuid(high: 0, low: 1)))
    private let account: AccountFacts
    private let capabilities: Capabilities
    private var inputs: UInt64 = 0

    init?(_ shop: CaseShop) {
        guard let settings = try? PortmoneSettings(shop.account.values) else { return nil }
        account = shop.account.account
        capabilities = settings.capabilities(in: account.mode)
        guard let created = try? payment.decide(.create(shop.terms), context()) else { return nil }
        for event in created.events { payment.evolve(event) }
    }

    /// What our side did; a command that the books refuse changes nothing.
    mutating func command(_ word: String, _ amount: Money?) {
        let command: PaymentCommand
        switch word {
        case "capture_requested": command = .capture(amount: amount, reason: nil)
        case "void_requested": command = .void(amount: nil, reason: nil)
        case "refund_requested": command = .refund(amount: amount, capture: nil, reason: nil)
        default: return
        }
        inputs += 1
        guard let decided = try? payment.decide(command, context()) else { return }
        for event in decided.events { payment.evolve(event) }
    }

    mutating func observe(_ facts: [Fact]) {
        inputs += 1
        for event in payment.decide(.facts(facts, trust: .verified, dispatch: nil), context()).events {
            payment.evolve(event)
        }
    }

    private func context() -> PaymentContext {
        PaymentContext(
            now: .epoch,
            input: Uuid(high: 1, low: inputs),
            actor: Actor(id: "workbench", isOperator: false),
            account: account,
            capabilities: capabilities,
            adapterVersion: PortmoneDeclaration.declaration.version,
            opening: .request
        )
    }

    /// The books must hold what the provider's reading holds.
    func violations(_ view: ProviderView) -> [String] {
        var found: [String] = []
        if payment.amounts.captured != view.captured {
            found.append("payment: captured \(payment.amounts.captured), the provider says \(view.captured)")
        }
        if payment.amounts.refunded != view.refunded {
            found.append("payment: refunded \(payment.amounts.refunded), the provider says \(view.refunded)")
        }
        if let allowed = Self.statuses(view.state), !allowed.contains(payment.status) {
            found.append("payment: \(payment.status.rawValue) where the provider says \(view.caseWord)")
        }
        return found
    }

    /// The statuses that a state in which money moved allows.
    private static func statuses(_ state: ProviderState) -> Set<PaymentStatus>? {
        switch state {
        case .held: [.authorized]
        case .taken: [.captured, .partiallyCaptured]
        case .partlyReturned: [.partiallyRefunded]
        case .returned: [.refunded]
        case .released: [.voided, .released]
        case .checked: [.verified]
        case .unregistered, .waiting, .processing, .indeterminate, .declined, .lapsed: nil
        }
    }
}
