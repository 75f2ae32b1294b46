import Conformance
import Kernel
import Payments
import Portmone
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
        let number = CaseNumber(
            item,
            told: rows.lazy.compactMap { Row($0).orderNumber }.first,
            fallback: shop.reference
        )
        guard var told = CasePayment(CaseShop.adapter, shop.account, shop.terms, number: number.text),
            told.perform(.create(shop.terms)) != nil, let reference = told.payment.attempt?.reference
        else { return ["the case makes no payment"] }
        told.tell([.order(ProviderOrder(id: reference))])
        for (index, rows) in (earlier + [rows]).enumerated() {
            // What our side asked for came after all that it had seen.
            if index == earlier.count {
                for wish in history.compactMap({ command($0.word, $0.amount) }) { told.perform(wish) }
                if did("expired") { told.tell([.attempt(.closed(.expired))]) }
            }
            told.observe(.answered(.query, status: 200, headers: [:], body: Json.array(rows).compactBytes))
        }
        let view = told.view
        var actual = words(view)
        actual["alert"] = .bool(told.isAlarming)
        let expected = item["expected"]
        let wanted = expected?.text.map { Json.object(JsonObject([("state", .string($0))])) } ?? expected
        return Comparison.violations(expected: wanted, actual: actual) + violations(told)
            + number.violations(told.facts)
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

    /// The steps that our side took.
    private func command(_ word: String, _ amount: Money?) -> PaymentCommand? {
        switch word {
        case "capture_requested": .capture(amount: amount, reason: nil)
        case "void_requested": .void(amount: nil, reason: nil)
        case "refund_requested": .refund(amount: amount, capture: nil, reason: nil)
        default: nil
        }
    }

    /// The books must hold what the provider's reading holds.
    private func violations(_ told: CasePayment) -> [String] {
        let (sums, view) = (told.payment.amounts, told.view)
        // A page lives on after a decline: its payer may try again.
        var found = view.state == .declined || view.state == .lapsed ? [] : told.statusViolations
        if sums.captured != view.captured {
            found.append("payment: captured \(sums.captured), the provider says \(view.captured)")
        }
        if sums.refunded != view.refunded {
            found.append("payment: refunded \(sums.refunded), the provider says \(view.refunded)")
        }
        return found
    }
}
