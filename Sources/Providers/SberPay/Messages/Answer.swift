package import Kernel
import Payments
import ProviderKit

/// An answer of the gateway, and its word about the call that it answers.
package struct Answer {
    package let kind: ErrorCodes.Class
    package let code: Int64?
    /// `nil` where the body is no JSON object.
    package let body: Json?
    /// HTTP's word for it where that decides.
    let reason: String

    package init(status: Int, body bytes: [UInt8], _ call: GatewayCall, _ dialect: Dialect) {
        let json = (try? Json(bytes)).flatMap { $0.members == nil ? nil : $0 }
        let told = json.flatMap(ErrorCodes.code)
        let kind: ErrorCodes.Class
        switch status {
        case 429: kind = .throttled
        case 404, 405: kind = .configuration
        case 200:
            if let json {
                // An envelope that failed without a code says nothing.
                let failed = json["success"]?.flag == false && told == 0
                kind = failed ? .unknown : ErrorCodes.kind(told, call, dialect)
            } else {
                kind = .transient
            }
        // No other status is documented: what comes with it says nothing.
        default: kind = .transient
        }
        self.kind = kind
        code = json == nil ? nil : told
        body = json
        reason = "HTTP \(status), code \(code.map(String.init) ?? "none")"
    }
}

extension Answer {
    /// The outcome of our operation beside its word about money; `nil` for an acceptance.
    func refusal(isInitial: Bool) -> [Fact]? {
        switch kind {
        case .ok: return nil
        case .conflict: return [.dispatch(.duplicate(code: code.map(String.init) ?? "1"))]
        case .transient, .throttled, .details, .unknown: return [.dispatch(.unknown(reason: reason))]
        case .configuration, .callerBug, .notFound:
            let decline = Decline(
                reason: .configuration,
                code: code.map(String.init),
                tableVersion: ErrorCodes.version
            )
            let refused = Fact.dispatch(.notExecuted(decline))
            return isInitial ? [refused, .attempt(.closed(.declined(decline)))] : [refused]
        }
    }

    /// The order that a registration opened, with what its payer needs.
    func order(of method: PaymentMethod, isAddressNeeded: Bool) -> ProviderOrder? {
        guard let id = (body?["orderId"] ?? body?.at("data", "orderId"))?.text, !id.isEmpty else { return nil }
        let external = body?["externalParams"]
        let inactive = external?["sbolInactive"] ?? body?["sbolInactive"]
        let isInactive = inactive?.flag == true || inactive?.text?.lowercased() == "true"
        func given(_ value: Json?) -> Json? { value.flatMap { $0.isNull || $0 == "" ? nil : $0 } }
        let link = isInactive ? nil : given(external?["sbolDeepLink"])
        let invoice = given(external?["sbolBankInvoiceId"])
        let page = given(body?["formUrl"])
        let leadsOn =
            switch method {
            case .hosted, .instrument: page != nil
            case .wallet: page != nil || link != nil
            case .sdk: page != nil || link != nil || invoice != nil
            }
        // Where nothing leads on, it is kept that the address is missing: the payer has nowhere to go.
        let isCut = isAddressNeeded && !leadsOn
        return ProviderOrder(
            id: id,
            handover: .compact([
                (Handover.Name.page, isCut ? .null : page), (Handover.Name.link, link),
                (Handover.Name.invoice, invoice), (Handover.Name.inactive, isInactive ? true : nil),
            ])
        )
    }
}
