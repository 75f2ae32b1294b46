import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

extension Api {
    /// What the payer's device must do now; an address is rendered here and nowhere else.
    func nextAction(_ call: Call) async throws(Problem) -> HttpResponse {
        let payment = try await snapshot(try call.paymentId(), call).payment
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
        switch await ports.handovers.render(call.stream(of: payment.id)) {
        case .failure(let refusal) where refusal.isFinal:
            let reason: Json = .string(refusal.code.rawValue)
            return shown(["reason": reason, "type": .string(NextActionKind.none.rawValue)], payment)
        case .failure(let refusal): throw Problem(refusal).with(payment.account?.mode)
        case .success(.redirect(let url)):
            // What a provider opened for an app's payment may be an address: 3-D Secure in the browser.
            if members["type"]?.text == NextActionKind.sdk.rawValue {
                members["type"] = .string(NextActionKind.redirect.rawValue)
            }
            members["url"] = .string(url)
        case .success(.parameters):
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
        let payment = try await snapshot(try call.paymentId(), call).payment
        switch try await handover(call, payment) {
        case .redirect:
            throw Problem(.notAnAppPayment, "This payment is made on a page, not in an app.").with(
                payment.account?.mode
            )
        case .parameters(let parameters):
            try await recordAccess("app_parameters", call, payment)
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
        let payment = try await snapshot(try call.paymentId(), call).payment
        switch await ports.handovers.sign(text, call.stream(of: payment.id)) {
        case .failure(let refusal): throw Problem(refusal).with(payment.account?.mode)
        case .success(let signature):
            try await recordAccess("signature", call, payment)
            return shown(["signature": .string(signature)], payment)
        }
    }

    private func handover(_ call: Call, _ payment: Payment) async throws(Problem) -> RenderedHandover {
        switch await ports.handovers.render(call.stream(of: payment.id)) {
        case .success(let rendered): return rendered
        case .failure(let refusal): throw Problem(refusal).with(payment.account?.mode)
        }
    }

    private func recordAccess(_ what: String, _ call: Call, _ payment: Payment) async throws(Problem) {
        try await read { () async throws(ReadFailure) in
            try await ports.handovers.recordAccess(
                what,
                call.stream(of: payment.id),
                key: call.caller.keyId.description
            )
        }
    }

    private func shown(_ body: Json, _ payment: Payment) -> HttpResponse {
        var response = HttpResponse.json(200, body).with("Cache-Control", "no-store")
        response.headers.set("Paystream-Mode", payment.account?.mode.rawValue)
        return response
    }
}

/// What the payer's device must do, by name.
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

extension Problem {
    init(_ refusal: HandoverRefusal) {
        let members: [(String, Json)] =
            refusal.members.isEmpty ? [] : [("members", .array(refusal.members.map(Json.string)))]
        let code: ProblemCode
        switch refusal.code {
        case .paymentUnknown: code = .paymentUnknown
        case .notOpen: code = .noActionOpen
        case .changed: code = .handoverChanged
        case .erased: code = .personalDataErased
        case .impossible: code = .handoverImpossible
        case .signatureRefused: code = .signatureRefused
        case .unavailable: code = .unavailable
        }
        self.init(code, refusal.detail, members: members)
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
