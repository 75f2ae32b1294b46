import Conformance
import Ecommpay
import Kernel
import Payments
import ProviderKit

/// The knowledge of our side, as a case tells it, in the adapter's terms.
struct CaseContext {
    let account: AccountSettings
    let secrets: AccountSecrets
    private let known: Json
    private let isHandover: Bool
    private let mode: PaymentMode

    init(projectId: Json?, key: String?, known: Json?) {
        account = AccountSettings.ofCases(
            "ecommpay",
            .compact([("projectId", projectId), ("currencies", ["EUR"])])
        )
        secrets = AccountSecrets([EcommpayAdapter.secretKeyName: Secret(key ?? "")])
        self.known = known ?? [:]
        let asked = self.known["mode"]?.text ?? "sale"
        switch asked {
        case "auth": mode = .authorize
        case "verify": mode = .verify
        default: mode = .sale
        }
        isHandover = self.known["channel"]?.text.map { $0 != "gate" } ?? (asked != "recurring")
    }

    func interpretation(paymentReference: String) -> InterpretContext {
        InterpretContext(
            settings: account,
            paymentReference: paymentReference,
            terms: terms(nil),
            isHandover: isHandover
        )
    }

    func terms(_ amount: Money?) -> PaymentTerms {
        PaymentTerms.ofCase(mode, .hosted, amount)
    }

    /// The fold as it stood before, from the given word, sums and operations.
    func view(stateName: String, paymentReference: String) -> ProviderView {
        let state = known[stateName]?.text.flatMap(ProviderReading.init)?.state ?? .unregistered
        let context = interpretation(paymentReference: paymentReference)
        let before = priorOperations(context)
        var alone = EcommpayStates.view()
        _ = alone.apply(before)
        func sum(_ name: String) -> Int64 { known[name]?.integer ?? 0 }
        let baseline = ProviderView.Baseline(
            state: state,
            authorized: sum("authorized_minor") &- alone.authorized,
            captured: sum("captured_minor") &- alone.captured,
            refunded: sum("refunded_minor") &- alone.refunded
        )
        var view = EcommpayStates.view(baseline)
        _ = view.apply(before)
        return view
    }

    private func priorOperations(_ context: InterpretContext) -> [Fact] {
        let operations = (known["prior_operations"]?.items ?? []).map { prior in
            Self.operation(prior, currency: known["currency"])
        }
        let facts = EcommpayAdapter().interpret(
            .notification(body: Json.object(JsonObject([("operations", .array(operations))])).compactBytes),
            context
        )
        return facts.filter { if case .operation = $0 { true } else { false } }
    }

    /// An operation as the provider would write it, from the members that cases give.
    static func operation(_ given: Json, currency: Json?) -> Json {
        let sum = given["amount_minor"].map { amount in
            Json.compact([("amount", amount), ("currency", given["currency"] ?? currency)])
        }
        return .compact([
            ("id", given["id"]), ("type", given["type"]), ("status", given["status"]),
            ("created_date", given["created_date"]), ("date", given["date"]), ("code", given["code"]),
            ("sum_initial", sum),
        ])
    }
}
