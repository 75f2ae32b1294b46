import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit

extension Api {
    /// Tells the payer's device what to do now; an address is rendered here and nowhere else.
    func nextAction(_ call: Call) async throws(Problem) -> HttpResponse {
        let snapshot = try await snapshot(try call.paymentId(), call)
        let payment = snapshot.payment
        guard !payment.isMisdirected else {
            return shown(["reason": "contradicted", "type": .string(NextActionKind.none.rawValue)], payment)
        }
        guard let action = payment.payerAction, action != .approval else {
            let kind: NextActionKind = payment.status.isOpen ? .wait : .none
            return shown(
                .compact([("type", .string(kind.rawValue)), ("action", payment.payerAction?.shown)]),
                payment
            )
        }
        var members = JsonObject([("type", .string(action.kind(of: payment).rawValue)), ("action", action.shown)])
        let rendered: RenderedHandover
        do throws(HandoverFailure) {
            rendered = try await handovers.render(call.stream(of: payment.id), snapshot.events)
        } catch {
            guard error.isFinal else { throw Problem(error).with(payment.account?.mode) }
            let reason: Json = .string(error.problem.rawValue)
            return shown(["reason": reason, "type": .string(NextActionKind.none.rawValue)], payment)
        }
        switch rendered {
        case .redirect(let url):
            // What a provider opened for an app's payment may be an address: 3-D Secure in the browser.
            if members["type"]?.text == NextActionKind.sdk.rawValue {
                members["type"] = .string(NextActionKind.redirect.rawValue)
            }
            members["url"] = .string(url)
        case .parameters:
            // A saved card that the app's SDK charges.
            if members["type"]?.text == NextActionKind.redirect.rawValue {
                members["type"] = .string(NextActionKind.sdk.rawValue)
            }
            members["appParameters"] = .string("\(PaymentResource.location(of: payment))/app-parameters")
        }
        members["deadline"] = payment.attempt?.deadline.json
        return shown(.object(members), payment)
    }

    /// The exact object that the SDK needs, for this moment; each time it is given out is recorded.
    func appParameters(_ call: Call) async throws(Problem) -> HttpResponse {
        try Form(call.body).end()
        let snapshot = try await snapshot(try call.paymentId(), call)
        let payment = snapshot.payment
        switch try await handover(call, snapshot) {
        case .redirect:
            throw Problem(.notAnAppPayment, "This payment is made on a page, not in an app.").with(
                payment.account?.mode
            )
        case .parameters(let parameters):
            try await recordAccess("app_parameters", call.stream(of: payment.id), call)
            let attempt = payment.attempt
            let body: Json = .compact([
                ("provider", (payment.account?.provider).map(Json.string)), ("parameters", parameters),
                ("deadline", attempt?.deadline.json),
            ])
            return shown(body, payment)
        }
    }

    /// Signs the string that the SDK on the device made.
    func signature(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        guard let value = form.value("paramsForSignature") else { throw form.missing("paramsForSignature") }
        guard let text = value.text else { throw form.wrongType("paramsForSignature", "A text") }
        try form.end()
        guard !text.isEmpty else { throw Problem(.textEmpty, "The text is empty.", path: "paramsForSignature") }
        guard text.utf8.count <= Limits.deviceStringBytes else {
            throw Problem(.textTooLong, "At most \(Limits.deviceStringBytes) bytes.", path: "paramsForSignature")
        }
        let snapshot = try await snapshot(try call.paymentId(), call)
        let payment = snapshot.payment
        let signature: String
        do throws(HandoverFailure) {
            signature = try await handovers.sign(text, call.stream(of: payment.id), snapshot.events)
        } catch {
            throw Problem(error).with(payment.account?.mode)
        }
        try await recordAccess("signature", call.stream(of: payment.id), call)
        return shown(["signature": .string(signature)], payment)
    }

    private func handover(_ call: Call, _ snapshot: PaymentSnapshot) async throws(Problem) -> RenderedHandover {
        let payment = snapshot.payment
        do throws(HandoverFailure) {
            return try await handovers.render(call.stream(of: payment.id), snapshot.events)
        } catch {
            throw Problem(error).with(payment.account?.mode)
        }
    }

    /// Keeps who was given app parameters, a signature or an app's session, when and for which stream.
    func recordAccess(_ what: String, _ stream: StreamName, _ call: Call) async throws(Problem) {
        try await asked { () async throws(StoreFailure) in
            try await reader.tables.recordAccess(what, stream, key: call.caller.keyId.description)
        }
    }

    private func shown(_ body: Json, _ payment: Payment) -> HttpResponse {
        HttpResponse.json(200, body).with("Cache-Control", "no-store").with(payment.account?.mode)
    }
}

/// Names of the payer's next steps.
enum NextActionKind: String, CaseIterable {
    case redirect, sdk, clarify, retryInForm, wait, none
}

extension PayerAction {
    fileprivate func kind(of payment: Payment) -> NextActionKind {
        switch self {
        case .clarify: return .clarify
        case .retryInForm: return .retryInForm
        case .approval: return .wait
        case .handover, .threeDSecure, .redirect, .customerAction:
            switch payment.terms?.method {
            case .sdk, .wallet: return .sdk
            case .hosted, .instrument, nil: return .redirect
            }
        }
    }
}

extension HandoverFailure {
    /// Whether it will be the same however often it is asked.
    var isFinal: Bool {
        switch self {
        case .notOpen, .changed, .erased, .impossible: true
        case .paymentUnknown, .refused, .unavailable: false
        }
    }

    var problem: ProblemCode {
        switch self {
        case .paymentUnknown: .paymentUnknown
        case .notOpen: .noActionOpen
        case .changed: .handoverChanged
        case .erased: .personalDataErased
        case .impossible: .handoverImpossible
        case .refused: .signatureRefused
        case .unavailable: .unavailable
        }
    }
}

extension Problem {
    init(_ failure: HandoverFailure) {
        var members: [(String, Json)] = []
        let detail: String
        switch failure {
        case .paymentUnknown: detail = "There is no such payment."
        case .notOpen: detail = "The payment does not wait for its payer."
        case .changed: detail = "The configuration no longer gives what was licensed."
        case .erased: detail = "The payer's data was erased."
        case .impossible: detail = "Nothing can be given to the payer's device any more."
        case .refused(let refusal):
            detail = refusal.reason
            if !refusal.members.isEmpty { members = [("members", .array(refusal.members.map(Json.string)))] }
        case .unavailable(let what): detail = what
        }
        self.init(failure.problem, detail, members: members)
    }
}

extension FormSchema {
    static let deviceString = FormSchema(
        "DeviceString",
        Schema.closed(
            [
                (
                    "paramsForSignature",
                    Schema.text("What getParamsForSignature of the SDK gave.", atMost: Limits.deviceStringBytes)
                )
            ],
            required: ["paramsForSignature"]
        ),
        example: ["paramsForSignature": "payment_amount:1999;payment_currency:EUR"]
    )
}
