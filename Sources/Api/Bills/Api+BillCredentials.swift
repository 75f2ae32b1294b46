import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

extension Api {
    /// Exchanges a user's own login and password for what stands for them, once.
    ///
    /// The password is in memory while this request lasts and nowhere else; where the process dies meanwhile, nothing was
    /// kept and the user enters it again. A refusal is an answer and nothing is tried twice.
    func saveCredentials(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let name = try form.needed("account", bytes: AccountConfiguration.nameCharacters)
        let login = try form.needed("login", bytes: BillLimitsOfApi.loginBytes)
        let password = try form.needed("password", bytes: BillLimitsOfApi.passwordBytes)
        let customer = try form.text("customer", bytes: Limits.identifierBytes)
        try form.end()
        let account = try await openBillAccount(name, call)
        let answer = try await ask(.credentials(login: login, password: Secret(password)), account, call)
        let secret: Secret
        switch answer {
        case .credentials(let given): secret = given
        case .refused(let code): throw .refused(code, "The provider does not take this login and password.")
        case .card, .unreadable: throw .unavailable("the provider's answer can't be read")
        }
        let (id, fingerprint) = try await credentialsName(of: login, at: account.id, call.merchant)
        let kept = try await sealed(["token": Self.json(secret), "login": .string(login)], id, customer, call)
        let command = InstrumentCommand.save(
            SavedInstrument(
                fact: InstrumentFact(
                    token: kept["token"] ?? .null,
                    fingerprint: fingerprint,
                    masked: Self.masked(login),
                    scheme: InstrumentFact.credentialsScheme,
                    expiryYear: nil,
                    expiryMonth: nil,
                    login: kept["login"]
                ),
                account: account.id,
                customer: customer,
                payment: nil
            )
        )
        let stream = StreamName(call.merchant, .instrument, id.uuid)
        let submission = call.submission(stream, command.name.rawValue, command.canonical)
        // What tells a repeated request from another one must not hold the password.
        let submitted = try await submit(
            submission.with(
                fingerprint: .compact([
                    ("account", .string(name)), ("customer", customer.map(Json.string)),
                    ("login", .string(fingerprint)),
                ])
            )
        )
        return .outcome(
            of: submitted,
            [
                "id": id.json, "object": "bill_credentials", "masked": .string(Self.masked(login)),
                "account": .string(name),
            ]
        )
    }

    /// The instrument of a login at an account; credentials that were saved under an older master key keep theirs.
    private func credentialsName(of login: String, at account: Uuid, _ merchant: MerchantNumber) async throws(Problem)
        -> (id: InstrumentId, fingerprint: String)
    {
        let names = keys.codes(.idempotency, Array("credentials:\(account):\(login)".utf8)).map { code in
            let fingerprint = Hex.encode(code)
            return (InstrumentId(.version5(namespace: account, name: "credentials:\(fingerprint)")), fingerprint)
        }
        for name in names.dropFirst() where try await reader.instrument(name.0, merchant: merchant) != nil {
            return name
        }
        return names[0]
    }

    /// The members of a document, each sealed under its owner's key.
    func sealed(_ document: Json, _ id: InstrumentId, _ customer: String?, _ call: Call) async throws(Problem)
        -> Json
    {
        try await seal(
            document,
            paths: ["*"],
            customer: customer,
            payment: PaymentId(id.uuid),
            merchant: call.merchant
        )
    }

    static func json(_ secret: Secret) -> Json { .string(secret.withBytes { String(decoding: $0, as: UTF8.self) }) }

    func ask(_ question: BillQuestion, _ account: AccountFacts, _ call: Call)
        async throws(Problem) -> BillQuestionAnswer
    {
        do throws(HandoverFailure) {
            return try await engine.bills.ask(question, account: account.id, call.merchant)
        } catch {
            guard case .unavailable(let what) = error else { throw .unavailable("the question can't be asked") }
            throw .unavailable(what)
        }
    }

    /// The first and last letter of a login.
    private static func masked(_ login: String) -> String {
        login.count > 4 ? "\(login.prefix(1))***\(login.suffix(1))" : "***"
    }
}

extension Problem {
    /// The provider refused what stands for a user.
    static func refused(_ code: String?, _ detail: String) -> Problem {
        Problem(.credentialsRefused, detail, members: code.map { [("providerCode", .string($0))] } ?? [])
    }
}

extension FormSchema {
    static let billCredentials = FormSchema(
        "BillCredentials",
        Schema.closed(
            [
                ("account", Schema.text(atMost: 64)), ("login", Schema.text(atMost: BillLimitsOfApi.loginBytes)),
                ("password", Schema.text("Used once and written nowhere.", atMost: BillLimitsOfApi.passwordBytes)),
                ("customer", Schema.text(atMost: Limits.identifierBytes)),
            ],
            required: ["account", "login", "password"]
        ),
        example: ["account": "portmone-uah", "login": "user", "password": "the user's own"]
    )
}
