import Conformance
import Kernel
import Payments
import Portmone
import ProviderKit

/// A call after creation and its answer: status, capture, void, refund, wallet payment and its 3-D Secure.
struct CallCase {
    enum Family {
        case status, preauth, refund, wallet
    }

    private let item: Json
    private let family: Family
    private let call: CaseCall
    private let answer: Answer

    init(_ item: Json, _ family: Family) {
        self.item = item
        self.family = family
        call = CaseCall(item["request"])
        answer = Answer(Self.bytes(item.at("response", "body")))
    }

    /// A body as the case gives it: text as it stands, a document in compact form.
    static func bytes(_ body: Json?) -> [UInt8] {
        switch body {
        case .string(let text): Array(text.utf8)
        case .null, nil: []
        case .bool, .number, .array, .object: body?.compactBytes ?? []
        }
    }

    var violations: [String] {
        call.violations + Comparison.violations(expected: item["expected"], actual: actual)
            + number.violations(facts(kind.map(DispatchPurpose.operation) ?? .query, shop(known(kind), mode)))
    }

    /// The number in our own request, else in the answer; the provider's examples of wallets answer with another number.
    private var number: CaseNumber {
        let asked = family == .wallet ? nil : call.number
        return CaseNumber(
            item,
            told: rows.first?.orderNumber,
            given: asked.map(Json.string),
            fallback: call.number ?? "ORD"
        )
    }

    private var mode: PaymentMode { kind == .capture || kind == .void ? .authorize : .sale }

    private var rows: [Row] { if case .rows(let rows) = answer { rows } else { [] } }

    private var kind: OperationKind? {
        switch family {
        case .status: return nil
        case .wallet: return .sale
        case .refund: return .refund
        case .preauth: return call.kind ?? (rows.first?.status == .rejected ? .void : .capture)
        }
    }

    private var rowAmount: Money? {
        CaseShop.money(rows.first?.amountText).map { Money(abs($0.minor), $0.currency) }
    }

    private var priorAmount: Money? { CaseShop.money(item.at("prior", "amount")?.scalarText) }

    /// The payment before the call: the hold that is captured or given back, the payment that is refunded.
    private func known(_ kind: OperationKind?) -> [ProviderOperation] {
        let id = call.billId ?? rows.first?.billId ?? "1"
        func seen(_ kind: OperationKind, _ id: String) -> [ProviderOperation] {
            let amount = priorAmount ?? call.amount ?? rowAmount
            return [ProviderOperation(providerId: id, kind: kind, outcome: .succeeded, amount: EvidenceAmount(amount))]
        }
        switch kind {
        case .capture, .void: return seen(.authorize, id)
        // A recorded refund may repeat the id of the payment; its own row is what is read here.
        case .refund: return seen(.sale, "paid-\(id)")
        case .sale, .authorize, .verify, .tokenize, .transfer, .refundReversal, nil: return []
        }
    }

    private func facts(_ purpose: DispatchPurpose, _ shop: CaseShop) -> [Fact] {
        let response = item["response"] ?? [:]
        return CaseShop.adapter.interpret(
            .answered(
                purpose,
                status: Int(response["status"]?.integer ?? 200),
                headers: [:],
                body: Self.bytes(response["body"])
            ),
            shop.interpretation
        )
    }

    private func shop(_ known: [ProviderOperation], _ mode: PaymentMode) -> CaseShop {
        var shop = CaseShop()
        let row = rows.first
        shop.settings = call.settings
        if let payee = row?.payeeId { shop.settings.append(("payeeId", .string(payee))) }
        shop.reference = number.text
        shop.mode = mode
        shop.method = family == .wallet ? .wallet : .hosted
        shop.amount = priorAmount ?? (family == .wallet ? rowAmount : call.amount ?? rowAmount)
        shop.known = known
        if family == .wallet { shop.order = call.billId.map { ProviderOrder(id: $0) } }
        return shop
    }

    private func view(_ known: [ProviderOperation], _ facts: [Fact]) -> ProviderView {
        var view = PortmoneStates.view()
        _ = view.apply(known.map(Fact.operation))
        _ = view.apply(facts)
        return view
    }

    private var actual: [String: Json] {
        guard let kind else { return statusWords }
        let known = known(kind)
        let facts = facts(.operation(kind), shop(known, mode))
        let view = view(known, facts)
        var actual = errorWords(kind, facts)
        guard actual["error"] == nil else { return actual }
        actual["state"] = .string(stateWord(kind, view))
        if view.state == .waiting, view.action == .threeDSecure { actual["action"] = "3ds" }
        let own = view.operations.values.first { $0.kind == kind && $0.outcome == .succeeded }
        actual["amount"] = text((own?.amount.money ?? rowAmount)?.decimal)
        actual["captured"] = text(money(view.captured))
        actual["refunded"] = text(money(view.refunded))
        if view.captured > 0, let held = priorAmount?.minor, held > view.captured {
            actual["released"] = text(money(held - view.captured))
        }
        guard let row = rows.first else { return actual }
        for (name, value) in rowWords(row) where actual[name] == nil { actual[name] = value }
        actual["refundBillId"] = kind == .refund ? text(row.billId) : nil
        actual["transactionId"] = text(row.text("transactionid"))
        actual["receiptUrl"] = text(row.text("pdfurl"))
        actual["token"] = row.token
        actual["md"] = row.value("md")
        actual["actionUrl"] = row.value("actionmpi")
        actual["actionMPI"] = row.value("actionmpi")
        return actual
    }

    /// A refund whose payment the case does not tell is a row and no more.
    private func stateWord(_ kind: OperationKind, _ view: ProviderView) -> String {
        if kind == .refund, item["request"] == nil, item["prior"] == nil { return "refund_row" }
        return view.caseWord
    }

    private func errorWords(_ kind: OperationKind?, _ facts: [Fact]) -> [String: Json] {
        for fact in facts {
            switch fact {
            case .dispatch(.notExecuted(let decline)):
                let state = kind == .capture && asksAgain(facts) ? "repoll" : "unchanged"
                let kind: Json? = kind == nil ? "credentials_or_request" : nil
                return [
                    "error": .compact([("code", decline.code.map(Json.string)), ("kind", kind)]),
                    "state": .string(state),
                ]
            case .dispatch(.duplicate(let code)):
                return ["error": ["code": .string(code)], "state": "voided_if_repoll_shows_REJECTED"]
            case .dispatch(.unknown):
                let isReadable = if case .unreadable = answer { false } else { true }
                return ["error": ["kind": isReadable ? "protocol" : "unparsable"], "state": "unchanged"]
            case .dispatch, .operation, .statement, .complete, .attempt, .order, .instrument, .instrumentNews, .receipt,
                .dispute, .method,
                .series, .seriesDebit, .fee, .commission, .contradiction,
                .question, .firstAnswer, .unrecognised:
                continue
            }
        }
        return [:]
    }

    private func asksAgain(_ facts: [Fact]) -> Bool {
        facts.contains(.attempt(.reading(.moneyWithoutOperation(Interpretation.changedWord))))
    }

    // MARK: Status

    private var statusWords: [String: Json] {
        let plain = facts(.query, shop([], .sale))
        var actual = errorWords(nil, plain)
        guard actual["error"] == nil else { return actual }
        actual["rows"] = .array(
            rows.map { row in
                .object(JsonObject(rowWords(row).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }))
            }
        )
        let state = Json.string(view([], plain).caseWord)
        actual["state"] = state
        actual["stateIfNoPriorHold"] = state
        let id = rows.first?.billId ?? "1"
        let hold = ProviderOperation(
            providerId: id,
            kind: .authorize,
            outcome: .succeeded,
            amount: EvidenceAmount(rowAmount)
        )
        actual["stateIfPriorHold"] = .string(
            view([hold], facts(.query, shop([hold], .authorize))).caseWord
        )
        return actual
    }

    private func rowWords(_ row: Row) -> [String: Json] {
        [
            "shopBillId": text(row.billId), "shopOrderNumber": text(row.orderNumber),
            "status": text(row.statusText), "amount": text(CaseShop.money(row.amountText)?.decimal),
            "payDate": text(row.payDateIso), "errorCode": text(row.errorCode), "authCode": text(row.authCode),
            "cardMask": text(row.cardMask), "commission": text(CaseShop.money(row.commissionText)?.decimal),
        ]
    }

    private func text(_ value: String?) -> Json { value.map(Json.string) ?? .null }

    private func money(_ minor: Int64) -> String? { Amounts.hryvnia.map { Money(minor, $0).decimal } }
}
