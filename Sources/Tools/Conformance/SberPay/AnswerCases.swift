import Conformance
import Kernel
import Payments
import ProviderKit
import SberPay

/// Cases about answers of the gateway: to a registration and to a question.
enum AnswerCases {
    private static func body(_ item: Json) -> [UInt8] {
        item["response"]?.compactBytes ?? item["body_text"]?.text.map { Array($0.utf8) } ?? []
    }

    private static func answer(_ item: Json, _ call: GatewayCall) -> Answer {
        let status = item["http_status"]?.integer.flatMap { Int(exactly: $0) } ?? 200
        return Answer(status: status, body: body(item), call, CaseAccount.dialect(item))
    }

    // MARK: Registration

    static func registration(_ item: Json) -> [String] {
        let answer = answer(item, .register)
        let mode = CaseAccount.mode(item["context"])
        let facts = SberPayAdapter().interpret(
            .answered(
                .operation(mode.operation),
                status: item["http_status"]?.integer.flatMap { Int(exactly: $0) } ?? 200,
                headers: [:],
                body: body(item)
            ),
            InterpretContext(
                settings: CaseAccount.settings(CaseAccount.dialect(item)),
                paymentReference: "V-1",
                terms: CaseAccount.terms(mode, amount: 100),
                isHandover: false
            )
        )
        var order: ProviderOrder?
        for case .order(let opened) in facts { order = opened }
        let isQuestion = facts.contains { fact in
            switch fact {
            case .dispatch(.duplicate), .dispatch(.unknown): true
            case .dispatch, .operation, .statement, .complete, .attempt, .order, .instrument, .instrumentNews, .receipt,
                .dispute, .method,
                .series, .seriesDebit, .fee, .commission, .contradiction,
                .question, .firstAnswer, .unrecognised:
                false
            }
        }
        var actual: [String: Json] = [
            "ok": .bool(facts.contains(.dispatch(.accepted)) && order != nil), "error_code": .optional(answer.code),
            "class": .string(answer.kind.rawValue), "retry": .bool(answer.kind.mayRetry),
            "order_id": .optional(order?.id), "redirect": .bool(order?.handover[Handover.Name.page] != nil),
            "bank_invoice_id": order?.handover[Handover.Name.invoice] ?? .null,
            "deep_link_present": .bool(order?.handover[Handover.Name.link] != nil),
            "sberpay_available": .bool(order != nil && order?.handover[Handover.Name.inactive] == nil),
        ]
        if isQuestion { actual["next"] = "lookup_by_order_number" }
        return Comparison.violations(expected: item["expected"], actual: actual)
    }

    // MARK: Status

    static func status(_ item: Json) -> [String] {
        let call: GatewayCall = item.at("response", "success") == nil ? .status : .recurrentPayment
        let answer = answer(item, call)
        let isFound = answer.kind != .notFound
        var actual: [String: Json] = [
            "call_ok": .bool(answer.kind == .ok || !isFound), "found": .bool(isFound),
            "error_code": .optional(answer.code), "error_class": .string(answer.kind.rawValue),
            "retry": .bool(answer.kind.mayRetry),
        ]
        let status = OrderStatus(item["response"] ?? [:])
        let number = CaseNumber(item, told: status.orderNumber, fallback: "V-1")
        let facts = facts(item, status, answer, number.text)
        actual["transition"] = .bool(facts.contains { if case .operation = $0 { true } else { false } })
        actual["order_id"] = .optional(status.orderId)
        actual["amount"] = .optional(status.amount)
        actual["currency"] = .optional(status.currency)
        actual["registered_at_ms"] = .optional(status.registeredAtMs)
        actual["action_code"] = .optional(status.actionCode)
        actual["last_attempt_action_code"] = status.hasFailedTry ? .optional(status.actionCode) : .null
        actual["payment_way"] = .optional(status.card.way)
        actual["masked_pan"] = .optional(status.card.masked)
        actual["binding_id"] = status.bindingId ?? .null
        actual["retry_class"] = .optional(status.actionCode.flatMap(CodeTable.entry)?.kind.rawValue)
        addState(item, status, facts, &actual)
        return Comparison.violations(expected: item["expected"], actual: actual) + number.violations(facts)
    }

    private static func facts(_ item: Json, _ status: OrderStatus, _ answer: Answer, _ number: String) -> [Fact] {
        let known = item["context"]
        let mode = CaseAccount.mode(known)
        var operations: [KnownOperation] = []
        if let captured = known?["captured"]?.integer, let currency = Currency("RUB") {
            operations.append(
                KnownOperation(
                    kind: mode == .authorize ? .capture : .sale,
                    reference: "known",
                    requested: nil,
                    isAwaited: false,
                    moved: Money(captured, currency)
                )
            )
        }
        return SberPayAdapter().interpret(
            .answered(
                answer.body?["success"] == nil ? .query : .operation(mode.operation),
                status: item["http_status"]?.integer.flatMap { Int(exactly: $0) } ?? 200,
                headers: [:],
                body: body(item)
            ),
            InterpretContext(
                settings: CaseAccount.settings(CaseAccount.dialect(item)),
                paymentReference: number,
                terms: CaseAccount.terms(mode, amount: status.amount),
                isHandover: known?["link_issued"]?.flag ?? true,
                operations: operations
            )
        )
    }

    /// The provider-side reading: the fold's word, with what our side has done beside it.
    private static func addState(
        _ item: Json,
        _ status: OrderStatus,
        _ facts: [Fact],
        _ actual: inout [String: Json]
    ) {
        let known = item["context"]
        var view = SberPayStates.view()
        _ = view.apply(facts)
        func sum(_ kind: OperationKind) -> Int64 {
            view.operations.values.filter { $0.kind == kind && $0.outcome == .succeeded }
                .reduce(0) { $0 + ($1.amount.money?.minor ?? 0) }
        }
        actual["captured"] = .integer(view.captured)
        actual["authorized"] = .integer(sum(.authorize))
        actual["refunded"] = .integer(view.refunded)
        actual["terminal"] = .bool(facts.contains { if case .attempt(.closed) = $0 { true } else { false } })
        guard !view.operations.isEmpty else { return }
        var word = ProviderReading(view.state).rawValue
        switch view.state {
        case .captured where view.captured < sum(.authorize): word = "captured_partially"
        case .checked where status.status == 3: word = ProviderReading.voided.rawValue
        case .waiting:
            let isIssued = known?["link_issued"]?.flag ?? true
            if status.status == 0, known?["sdk_state"]?.text.map(isWaiting) == true {
                word = ProviderReading.pending.rawValue
            } else if view.action == .handover, !isIssued {
                word = ProviderReading.created.rawValue
            } else {
                actual["action"] = view.action == .threeDSecure ? "threeds" : "redirect"
            }
        case .unregistered, .processing, .indeterminate, .held, .captured, .partlyReturned, .returned, .released,
            .declined, .lapsed, .checked:
            break
        }
        actual["state"] = .string(word)
    }

    private static func isWaiting(_ state: String) -> Bool { ["waiting", "processing"].contains(state.lowercased()) }
}
