import Conformance
import Http
import Kernel
import Payments
import Portmone
import ProviderKit

/// An account and a payment as a case tells them, in the adapter's terms.
struct CaseShop {
    var settings: [(String, Json)] = []
    var reference = "ORD"
    var mode = PaymentMode.sale
    var method = PaymentMethod.hosted
    var amount: Money?
    var description: String?
    var details: Json = [:]
    var accountMode = AccountFacts.Mode.test
    var returnUrl = "https://merchant.example/return"
    var known: [ProviderOperation] = []
    var order: ProviderOrder?
    var password = "SHOP_PASSWORD"
    var signingKey = ""
    var token: Json?
    /// A wallet's token, which stands in memory alone.
    var walletToken: String?

    static let adapter = PortmoneAdapter()

    var account: AccountSettings {
        var values = JsonObject([
            ("payeeId", "1185"), ("login", "SHOP_LOGIN"), ("dtTimeZone", "UTC"),
            ("currencies", .array(PortmoneSettings.knownCurrencies.sorted().map(Json.string))),
        ])
        for (name, value) in settings { values[name] = value }
        return AccountSettings.ofCases("portmone", .object(values), mode: accountMode, returnUrl: returnUrl)
    }

    var terms: PaymentTerms {
        PaymentTerms.ofCase(
            mode,
            method,
            mode == .tokenize ? nil : amount,
            description: description,
            details: details
        )
    }

    var interpretation: InterpretContext {
        InterpretContext(
            settings: account,
            paymentReference: reference,
            terms: terms,
            isHandover: method != .wallet,
            order: order,
            known: known
        )
    }

    func materials(_ now: Timestamp) -> Materials {
        Materials(
            secrets: AccountSecrets([
                Finishing.passwordName: Secret(password), Finishing.signingKeyName: Secret(signingKey),
            ]),
            open: { [walletToken] hole in OnceHole.isHole(hole) ? walletToken.map(Json.string) : nil },
            now: now
        )
    }

    func dispatch(
        _ purpose: DispatchPurpose,
        amount: Money?,
        isFull: Bool = true,
        reason: String? = nil,
        deadline: Timestamp = .distantFuture
    ) -> PlannedDispatch {
        PlannedDispatch(
            purpose: purpose,
            paymentReference: reference,
            operationReference: nil,
            amount: amount,
            isFull: isFull,
            deadline: deadline,
            reason: reason,
            methodAtProvider: nil,
            order: order
        )
    }

    /// A request as it leaves the house: the adapter's own plan and signature.
    func body(_ dispatch: PlannedDispatch, at now: Timestamp) -> Result<[UInt8], CaseFailure> {
        do throws(PlanFailure) {
            let context = PlanContext(terms: terms, settings: account, instrumentToken: token)
            let template = try Self.adapter.plan(dispatch, context)
            do throws(FinishFailure) {
                return .success(try Self.adapter.finish(template, materials(now)).body)
            } catch { return .failure(CaseFailure(text: "the request can't be signed: \(error)")) }
        } catch { return .failure(CaseFailure(text: "the request can't be made: \(error.code) \(error.detail)")) }
    }

    static func money(_ text: String?, _ code: String = "UAH") -> Money? {
        Amounts.read(text, Currency(code))
    }
}

struct CaseFailure: Error {
    let text: String
}

extension ProviderView {
    /// The state in the words of the files.
    var caseWord: String {
        if state == .captured, authorized > captured, operations.values.contains(where: { $0.kind == .capture }) {
            return "captured_partially"
        }
        if state == .captured, operations.values.contains(where: { $0.providerId.hasSuffix("/rest") }) {
            return "captured_partially"
        }
        return ProviderReading(state).rawValue
    }
}
