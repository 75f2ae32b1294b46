import Crypto
import EventSourcing
package import Http
package import Kernel
package import Payments
package import ProviderKit

/// A provider's own declaration and capabilities over the wire format of the models.
///
/// The real adapter answers what an account can do and how its payments begin; messages are spelled in one way for all.
package struct DeclaredAdapter: DeviceAdapter {
    private let real: any Adapter
    package let declaration: Declaration

    package init(_ real: any Adapter) {
        self.real = real
        let told = real.declaration
        declaration = Declaration(
            id: told.id,
            version: told.version,
            tableVersion: told.tableVersion,
            modes: told.modes,
            methods: told.methods,
            secrets: [],
            notifications: told.notifications,
            notificationBytes: 32 * 1024,
            requestDeadline: told.requestDeadline,
            identifierPaths: [],
            personalPaths: [],
            personalDetailPaths: []
        )
    }

    package var settings: any AccountReading.Type { real.settings }

    package func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        try real.capabilities(settings)
    }

    package func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure) {}
    package func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure) {}

    package func opening(_ terms: PaymentTerms, _ settings: AccountSettings) -> Opening {
        real.opening(terms, settings)
    }

    package func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate {
        let purpose: String
        let kind: OperationKind
        switch dispatch.purpose {
        case .handover: (purpose, kind) = ("handover", context.terms.mode.operation)
        case .query: (purpose, kind) = ("query", context.terms.mode.operation)
        case .operation(let asked): (purpose, kind) = ("operation", asked)
        case .auxiliary: (purpose, kind) = ("errand", context.terms.mode.operation)
        }
        return RequestTemplate(
            method: "POST",
            url: "https://model.example/\(purpose)",
            content: .compact([
                ("amount", dispatch.amount?.json), ("deadline", dispatch.deadline.json),
                ("isFull", .bool(dispatch.isFull)), ("kind", .string(kind.rawValue)),
                ("operation", dispatch.operationReference.map(Json.string)),
                ("payment", .string(dispatch.paymentReference)), ("purpose", .string(purpose)),
            ]),
            signing: "model"
        )
    }

    package func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails {
        .everything
    }

    package func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        OutgoingRequest(method: .post, url: template.url, body: template.content.compactBytes)
    }

    package func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        .parameters(template.content)
    }

    package func interpret(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        switch observation {
        case .notSent(_, let reason): [.dispatch(.notSent(reason: reason))]
        case .sentNoAnswer(_, let reason): [.dispatch(.unknown(reason: reason))]
        case .answered(_, let status, _, _) where status != 200: [.dispatch(.unknown(reason: "HTTP \(status)"))]
        case .answered(let purpose, _, _, let body): ModelWire.facts(body, for: purpose, context.paymentReference)
        case .notification(let body): ModelWire.facts(body, for: nil, context.paymentReference)
        }
    }

    /// The header that marks a notification of the model's own.
    static let signature = "Model-Signature"

    package func authenticate(
        _ request: HttpRequest,
        _ settings: AccountSettings,
        _ secrets: AccountSecrets
    ) -> Authentication {
        guard let json = try? Json(request.body), let reference = json["payment"]?.text else {
            return .rejected(reason: "malformed")
        }
        let notification = VerifiedNotification(keyId: "model", references: [("payment", reference)])
        switch declaration.notifications {
        case .unsigned: return .unsigned(notification)
        case .hmac, .rsa:
            let isOurs = request.head.headers[Self.signature] == "good"
            return isOurs ? .verified(notification) : .rejected(reason: "signature_mismatch")
        }
    }

    package func appResult(_ body: Json, of issued: IssuedPayment?) throws(ClaimFailure) -> AppClaim {
        AppClaim(meaning: .success, code: "success")
    }

    package var states: StateDiagram { real.states }

    package var view: ProviderView { real.view }
}
