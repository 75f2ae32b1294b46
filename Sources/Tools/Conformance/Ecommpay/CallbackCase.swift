import Conformance
import Ecommpay
import Http
import Kernel
import Payments
import ProviderKit

/// One callback: its verdict, then the reading after it.
struct CallbackCase {
    private let item: Json
    private let body: [UInt8]
    private let context: CaseContext

    init(_ item: Json, _ file: Json) {
        self.item = item
        body =
            item["raw_body"]?.text.map { Array($0.utf8) }
            ?? item["body_base64"]?.text.flatMap { Base64.decode($0) } ?? []
        context = CaseContext(projectId: file["our_project_id"], key: item["key"]?.text, known: item["context"])
    }

    var violations: [String] {
        let verdict = EcommpayAdapter().authenticate(
            HttpRequest(method: .post, target: "/", body: body),
            context.account,
            context.secrets
        )
        let expectsRejection = item.at("expected", "normalized") == "reject"
        var found = signatureViolations
        switch verdict {
        case .rejected(let reason):
            let actual: [String: Json] = ["normalized": "reject", "reason": .string(reason)]
            found += compare(actual)
        case .verified:
            if expectsRejection { found.append("normalized: expected a rejection, got a verified callback") }
            found += expectsRejection ? [] : reading
        case .unsigned, .unrecognised: found.append("the adapter took an unsigned callback")
        }
        return found
    }

    private func compare(_ actual: [String: Json]) -> [String] {
        Comparison.violations(expected: item["expected"], actual: actual, compared: item["compared"])
    }

    /// Holds the signature alone against `signature_valid`.
    private var signatureViolations: [String] {
        guard let expected = item["signature_valid"]?.flag else { return [] }
        var isValid = false
        if let json = try? Json(body), case .found(let claimed) = Signature.claim(in: json),
            let key = item["key"]?.text
        {
            isValid = Signature.verify(claimed, of: json, key: Secret(key), acceptsByteOrder: true) != nil
        }
        return isValid == expected ? [] : ["signature_valid: expected \(expected), got \(isValid)"]
    }

    /// Holds everything that the adapter reads out of the callback against the case.
    private var reading: [String] {
        guard let json = try? Json(body) else { return compare([:]) }
        let message = Message(json)
        let number = CaseNumber(item, told: message.paymentId)
        let facts = EcommpayAdapter().interpret(
            .notification(body: body),
            context.interpretation(paymentReference: number.text)
        )
        return compare(words(message, facts, number.text)) + number.violations(facts)
    }

    private func words(_ message: Message, _ facts: [Fact], _ reference: String) -> [String: Json] {
        var view = context.view(stateName: "prior_state", paymentReference: reference)
        _ = view.apply(facts)
        var actual: [String: Json] = [
            "recurring_id": number(message.seriesId), "series_id": number(message.seriesId),
            "series_status": text(message.seriesStatus), "token": message.token ?? .null,
            "token_status": text(message.tokenStatus),
        ]
        guard message.hasPayment || message.hasOperations else { return actual }
        actual["normalized"] = .string(ProviderReading(view.state).rawValue)
        actual["ambiguous"] = .bool(view.state == .indeterminate)
        actual["authorized"] = .integer(view.authorized)
        actual["captured"] = .integer(view.captured)
        let before = item.at("context", "authorized_minor")?.integer ?? 0
        if view.captured < before { actual["partial_of_authorized"] = .integer(before) }
        addOperation(facts, message, view, &actual)
        addAction(message, view, &actual)
        return actual
    }

    private func addOperation(
        _ facts: [Fact],
        _ message: Message,
        _ view: ProviderView,
        _ actual: inout [String: Json]
    ) {
        let code = message.operations.last?.code
        actual["code"] = text(code)
        actual["retry"] = text(code.flatMap(CodeTable.retry)?.rawValue)
        actual["series"] = text(code.flatMap(CodeTable.series)?.rawValue)
        for fact in facts {
            guard case .operation(let operation) = fact else { continue }
            if let amount = operation.amount.money { actual["currency"] = .string(amount.currency.code) }
            guard !operation.kind.isInitial else { continue }
            switch operation.outcome {
            case .succeeded: break
            case .declined, .expired: actual["operation"] = "failed"
            case .waiting, .processing, .ambiguous: actual["operation"] = "pending"
            }
            guard operation.kind == .refund else { continue }
            actual["refund_amount"] = operation.amount.money.map { .integer($0.minor) }
            actual["refunded"] = .integer(view.refunded)
            if message.operations.last?.type.map(Words.normalized) == "reversal" { actual["via"] = "reversal" }
        }
    }

    private func addAction(_ message: Message, _ view: ProviderView, _ actual: inout [String: Json]) {
        guard let action = view.action else { return }
        actual["action"] = text(Self.word(action, message))
        actual["fields"] = .array(message.clarification.map(Json.string))
        if case .retryInForm(_, let seconds?) = action { actual["timeout_s"] = .integer(Int64(seconds)) }
        actual["protocol"] = text(message.threeDSecure?.version)
        actual["step"] = text(message.threeDSecure?.step?.rawValue)
    }

    /// The file's word for an action; approvals are told apart by the message.
    static func word(_ action: PayerAction, _ message: Message) -> String? {
        switch action {
        case .handover: return nil
        case .threeDSecure: return Awaited.threeDSecure.rawValue
        case .redirect: return Awaited.redirect.rawValue
        case .clarify: return Awaited.clarification.rawValue
        case .retryInForm: return Awaited.retry.rawValue
        case .customerAction: return Awaited.customerAction.rawValue
        case .approval:
            let words = message.operations.compactMap(\.status).reversed() + [message.status].compactMap(\.self)
            let entries = words.compactMap { StatusTable.lookUp($0, byForm: true)?.awaited }
            return entries.first { $0 == .merchantAuth || $0 == .approval }?.rawValue
        }
    }

    private func text(_ value: String?) -> Json { value.map(Json.string) ?? .null }

    private func number(_ digits: String?) -> Json {
        digits.map { text in Int64(text).map(Json.integer) ?? .string(text) } ?? .null
    }
}
