import Conformance
import Kernel
import Payments
import ProviderKit
import WorldlineDirect

/// One answer of the provider: what it says about the request, and about the payment in it.
struct ResponseCase {
    private let item: Json
    private let status: Int
    private let json: Json?
    private let body: [UInt8]

    init(_ item: Json) {
        self.item = item
        status = item["http_status"]?.integer.map(Int.init) ?? 0
        body = item["body_json"]?.compactBytes ?? item["body"]?.text.map { Array($0.utf8) } ?? []
        json = try? Json(body)
    }

    var violations: [String] {
        Comparison.violations(expected: item["expect"], actual: actual)
            + (payment?.members == nil ? [] : number.violations(facts))
    }

    private enum Endpoint { case session, opening, query, cancel, product, connection, other }

    private var endpoint: Endpoint {
        let words = item["endpoint"]?.text?.split(separator: " ").map(String.init) ?? []
        let path = words.last ?? ""
        if path.hasSuffix("/sessions") { return .session }
        if path.hasSuffix("/testconnection") { return .connection }
        if path.contains("/products") { return .product }
        if path.hasSuffix("/cancel") { return .cancel }
        if path.contains("/payments") { return words.first == "GET" ? .query : .opening }
        return .other
    }

    private var payment: Json? {
        let found = json?["payment"] ?? json?.at("paymentResult", "payment")
        return found ?? (endpoint == .query ? json : nil)
    }

    private var actual: [String: Json] {
        let verdict = Answer(status: status, body: json?.members == nil ? nil : json)
        var actual = words(verdict)
        actual["json"] = .bool(json != nil)
        switch endpoint {
        case .session: addSession(&actual)
        case .connection: if json?["result"] == "OK", status == 200 { actual["outcome"] = "credentials_ok" }
        case .product: addProduct(&actual)
        case .opening, .query, .cancel, .other: break
        }
        if payment?.members != nil { addPayment(verdict, &actual) }
        return actual
    }

    private func words(_ verdict: Answer) -> [String: Json] {
        let errors = ErrorBody(json)
        var actual: [String: Json] = [:]
        actual["error_code"] = errors.code.map(Json.string)
        switch verdict {
        case .accepted: actual["outcome"] = "accepted"
        case .declined:
            actual["outcome"] = "declined"
            actual["retry"] = .bool(errors.entries.contains(where: \.retriable))
        case .rejected(_, let property):
            actual["outcome"] = "request_error"
            actual["retry"] = false
            actual["property"] = property.map(Json.string)
        case .inProgress:
            actual["outcome"] = "in_progress"
            actual["retry"] = true
            actual["same_idempotence_key"] = true
        case .configuration: actual["outcome"] = "configuration"
        case .notFound: actual["outcome"] = "not_found"
        case .unknown:
            actual["outcome"] = "platform_error"
            actual["retry"] = true
            actual["outcome_unknown"] = true
        }
        return actual
    }

    private func addSession(_ actual: inout [String: Json]) {
        guard let answer = json.flatMap(SessionAnswer.init) else { return }
        actual["pass_to_client"] = .array((answer.session.members?.names ?? []).map(Json.string))
        actual["expires_after_seconds"] = .integer(SessionAnswer.lifetime.components.seconds)
    }

    private func addProduct(_ actual: inout [String: Json]) {
        guard let product = json.flatMap({ ProductList($0) })?.products.first else { return }
        let fields = product["fields"]?.items ?? []
        actual["id"] = product["id"]
        actual["field_ids"] = .array(fields.compactMap { $0["id"] })
        let required = fields.compactMap { field -> (String, Json)? in
            guard let id = field["id"]?.text else { return nil }
            return (id, .bool(field.at("dataRestrictions", "isRequired")?.flag ?? false))
        }
        actual["required"] = .object(JsonObject(required))
    }

    private var number: CaseNumber {
        CaseNumber(item, told: payment.flatMap { PaymentMessage($0).merchantReference })
    }

    private var context: InterpretContext { CaseContext.interpretation(reference: number.text) }

    private var facts: [Fact] {
        let purpose: DispatchPurpose =
            switch endpoint {
            case .query: .query
            case .cancel: .operation(.void)
            case .session, .opening, .product, .connection, .other: .operation(.authorize)
            }
        return Interpretation.facts(.answered(purpose, status: status, headers: [:], body: body), context)
    }

    private func addPayment(_ verdict: Answer, _ actual: inout [String: Json]) {
        guard let payment else { return }
        let message = PaymentMessage(payment)
        var view = WorldlineStates.view()
        let facts = facts
        _ = view.apply(endpoint == .cancel ? PaymentReading(message: message, context: context).facts : facts)
        actual.merge(StatusCase.operation(message.own.word)) { _, new in new }
        // The files call a void after the request where they show its answer.
        if actual["operation"] == "void" { actual["operation"] = "cancel" }
        actual["lifecycle"] = .string(ProviderReading(view.state).rawValue)
        actual["payment_id"] = message.id.map(Json.string)
        actual["amount"] = message.own.amount.money.map { .integer($0.minor) }
        actual["currency"] = message.own.amount.money.map { .string($0.currency.code) }
        actual["isCancellable"] = payment.at("statusOutput", "isCancellable")
        actual["statusCode"] = message.own.status.code.map(Json.integer)
        actual["captured_amount"] = .integer(view.captured)
        actual["operations"] = .array(
            message.entries.map { entry in
                .compact([
                    ("amount", entry.amount.money.map { .integer($0.minor) }), ("id", entry.id.map(Json.string)),
                    ("status", entry.status.status.map(Json.string)),
                ])
            }
        )
        if view.action == .redirect { actual["action"] = "redirect" }
        add(facts, &actual)
    }

    private func add(_ facts: [Fact], _ actual: inout [String: Json]) {
        for fact in facts {
            switch fact {
            case .order(let order): actual["return_mac"] = order.handover[Handover.returnMac]
            case .instrument(let instrument): actual["token"] = instrument.token
            case .operation(let operation):
                if case .declined(let decline) = operation.outcome {
                    actual["failure_reason"] = .string(Self.words(decline.reason))
                }
            case .statement, .complete, .attempt, .dispatch, .instrumentNews, .receipt, .dispute, .method, .series,
                .seriesDebit, .fee,
                .commission,
                .contradiction, .question, .firstAnswer, .unrecognised:
                break
            }
        }
    }

    /// The reason in the words of the files: small letters with lines between.
    private static func words(_ reason: DeclineClass) -> String {
        reason.rawValue.reduce(into: "") { text, letter in
            text += letter.isUppercase ? "_" + letter.lowercased() : String(letter)
        }
    }
}
