import Crypto
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
    func saveCredentials(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let name = try form.needed("account", bytes: AccountConfiguration.nameCharacters)
        let login = try form.needed("login", bytes: BillLimitsOfApi.loginBytes)
        let password = try form.needed("password", bytes: BillLimitsOfApi.passwordBytes)
        let customer = try form.text("customer", bytes: Limits.identifierBytes)
        try form.end()
        let (account, _) = try await billTerms(name, call)
        let answer = try await ask(.credentials(login: login, password: Secret(password)), account, call, bills)
        let secret: Secret
        switch answer {
        case .credentials(let given): secret = given
        case .refused(let code):
            throw Problem(
                .credentialsRefused,
                "The provider does not take this login and password.",
                members: code.map { [("providerCode", .string($0))] } ?? []
            )
        case .card, .unreadable: throw .unavailable("the provider's answer can't be read")
        }
        let fingerprint = bills.fingerprint(login, account: account.id)
        let id = InstrumentId(.version5(namespace: account.id, name: "credentials:\(fingerprint)"))
        let command = InstrumentCommand.save(
            SavedInstrument(
                fact: InstrumentFact(
                    token: try await sealed(secret, id, customer, call),
                    fingerprint: fingerprint,
                    masked: Self.masked(login),
                    scheme: InstrumentFact.credentialsScheme,
                    expiryYear: nil,
                    expiryMonth: nil
                ),
                account: account.id,
                customer: customer,
                payment: nil
            )
        )
        let stream = StreamName(call.merchant, .instrument, id.uuid)
        let submission = try call.submission(stream, command.name.rawValue, command.json)
        // What tells a repeated request from another one must not hold the password.
        let submitted = try await submit(
            submission.with(fingerprint: ["account": .string(name), "login": .string(fingerprint)])
        )
        var response = HttpResponse.json(
            submitted.version == nil ? 202 : 200,
            [
                "id": id.json, "object": "bill_credentials", "masked": .string(Self.masked(login)),
                "account": .string(name),
            ]
        )
        if submitted.isReplay { response.headers.set("Idempotent-Replayed", "true") }
        return response
    }

    private func sealed(_ secret: Secret, _ id: InstrumentId, _ customer: String?, _ call: BillCall)
        async throws(Problem) -> Json
    {
        let text = secret.withBytes { String(decoding: $0, as: UTF8.self) }
        let document = try await read { () async throws(ReadFailure) in
            try await ports.personal.seal(
                ["token": .string(text)],
                paths: ["token"],
                customer: customer,
                payment: PaymentId(id.uuid),
                merchant: call.merchant
            )
        }
        return document["token"] ?? .null
    }

    /// Whether a saved card can still pay bills with these credentials.
    func checkCard(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let name = try form.needed("account", bytes: AccountConfiguration.nameCharacters)
        let login = try form.needed("login", bytes: BillLimitsOfApi.loginBytes)
        guard let card: InstrumentId = try form.id("instrument") else { throw form.missing("instrument") }
        guard let credentials: InstrumentId = try form.id("credentials") else { throw form.missing("credentials") }
        try form.end()
        let (account, _) = try await billTerms(name, call)
        let token = try await secret(card, account, "instrument", call, bills)
        let proof = try await secret(credentials, account, "credentials", call, bills)
        switch try await ask(.card(token: token, login: login, credentials: proof), account, call, bills) {
        case .card(let mask):
            return .json(200, .compact([("usable", .bool(mask != nil)), ("masked", mask.map(Json.string))]))
        case .refused(let code):
            throw Problem(
                .credentialsRefused,
                "The provider does not take these credentials.",
                members: code.map { [("providerCode", .string($0))] } ?? []
            )
        case .credentials, .unreadable: throw .unavailable("the provider's answer can't be read")
        }
    }

    private func secret(
        _ id: InstrumentId,
        _ account: AccountFacts,
        _ path: String,
        _ call: BillCall,
        _ bills: any BillDesk
    ) async throws(Problem) -> Secret {
        let found = try await read { () async throws(ReadFailure) in
            try await ports.reader.instrument(id, merchant: call.merchant)
        }
        guard let found, found.saved?.account == account.id, let sealed = found.usableToken else {
            throw Problem(.instrumentNotUsable, "It can't be used.", path: path)
        }
        let opened = try await read { () async throws(ReadFailure) in
            try await bills.open(sealed, merchant: call.merchant)
        }
        guard let opened else { throw Problem(.personalDataErased, "The payer's data was erased.", path: path) }
        return opened
    }

    private func ask(_ question: BillQuestion, _ account: AccountFacts, _ call: BillCall, _ bills: any BillDesk)
        async throws(Problem) -> BillQuestionAnswer
    {
        try await read { () async throws(ReadFailure) in
            try await bills.ask(question, account: account.id, merchant: call.merchant)
        }
    }

    /// The first and last letter of a login.
    private static func masked(_ login: String) -> String {
        login.count > 4 ? "\(login.prefix(1))***\(login.suffix(1))" : "***"
    }
}
