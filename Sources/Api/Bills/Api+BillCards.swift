import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

/// Cards that pay a user's bills: saved in the app under the user's credentials, and asked about.
extension Api {
    /// Gives the app's SDK the object that it saves a card for bills with: the user's login and credentials, opened for this moment.
    func billCardParameters(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let name = try form.needed("account", bytes: AccountConfiguration.nameCharacters)
        let id: InstrumentId = try form.neededId("credentials")
        let language = try form.text("language", bytes: BillLimitsOfApi.languageBytes)
        try form.end()
        let account = try await openBillAccount(name, call)
        let user = try await billUser(id, nil, account, call)
        let settings = try await reader.settings(of: account, call.merchant)
        let parameters: Json?
        do throws(PlanFailure) {
            parameters = try adapters[account.provider]?.bills?.cardSaving(user, language: language, settings)
        } catch {
            throw Problem(error)
        }
        guard let parameters else { throw Problem(.billsNotTaken, "This provider saves no cards for bills.") }
        try await recordAccess("bill_card_parameters", StreamName(call.merchant, .instrument, id.uuid), call)
        return .json(200, ["parameters": parameters]).with("Cache-Control", "no-store")
    }

    /// Keeps the token that the app got for a card, once the provider says that it can be used.
    func saveBillCard(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let name = try form.needed("account", bytes: AccountConfiguration.nameCharacters)
        let credentials: InstrumentId = try form.neededId("credentials")
        let token = try form.needed("token", bytes: BillLimitsOfApi.tokenBytes)
        let customer = try form.text("customer", bytes: Limits.identifierBytes)
        try form.end()
        let account = try await openBillAccount(name, call)
        let user = try await billUser(credentials, nil, account, call)
        guard let mask = try await card(Secret(token), user, account, call) else {
            throw Problem(.instrumentNotUsable, "The provider can't use this card.", path: "token")
        }
        let kept = try await sealed(["token": .string(token)], credentials, customer, call)["token"] ?? .null
        let fingerprint = Sealed(kept).flatMap(\.blindIndex).map { Hex.encode($0) } ?? ""
        let id = SavedInstrument.id(fingerprint, customer: customer, account: account.id)
        let command = InstrumentCommand.save(
            SavedInstrument(
                fact: InstrumentFact(
                    token: kept,
                    fingerprint: fingerprint,
                    masked: mask,
                    scheme: nil,
                    expiryYear: nil,
                    expiryMonth: nil
                ),
                account: account.id,
                customer: customer,
                payment: nil
            )
        )
        let stream = StreamName(call.merchant, .instrument, id.uuid)
        let submission = call.submission(stream, command.name.rawValue, command.canonical)
        let submitted = try await submit(
            submission.with(
                fingerprint: .compact([
                    ("account", .string(name)), ("credentials", credentials.json),
                    ("customer", customer.map(Json.string)), ("token", .string(fingerprint)),
                ])
            )
        )
        return .outcome(
            of: submitted,
            ["id": id.json, "object": "bill_card", "masked": .string(mask), "account": .string(name)]
        )
    }

    /// Whether a saved card can still pay bills with these credentials.
    func checkCard(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let name = try form.needed("account", bytes: AccountConfiguration.nameCharacters)
        let login = try form.text("login", bytes: BillLimitsOfApi.loginBytes)
        let card: InstrumentId = try form.neededId("instrument")
        let credentials: InstrumentId = try form.neededId("credentials")
        try form.end()
        let account = try await openBillAccount(name, call)
        let token = try await opened(
            try await saved(card, account, "instrument", call).token,
            "instrument",
            call
        )
        let user = try await billUser(credentials, login, account, call)
        let mask = try await self.card(token, user, account, call)
        return .json(200, .compact([("usable", .bool(mask != nil)), ("masked", mask.map(Json.string))]))
    }

    /// The masked card behind a token; `nil` where the provider can't use it.
    private func card(
        _ token: Secret,
        _ user: BillUser,
        _ account: AccountFacts,
        _ call: Call
    ) async throws(Problem) -> String? {
        switch try await ask(.card(token: token, user: user), account, call) {
        case .card(let mask): return mask
        case .refused(let code): throw .refused(code, "The provider does not take these credentials.")
        case .credentials, .unreadable: throw .unavailable("the provider's answer can't be read")
        }
    }

    /// Whoever the credentials are of; `login` is what the caller says where it was not kept.
    private func billUser(
        _ id: InstrumentId,
        _ login: String?,
        _ account: AccountFacts,
        _ call: Call
    ) async throws(Problem) -> BillUser {
        let fact = try await saved(id, account, "credentials", call)
        let credentials = try await opened(fact.token, "credentials", call)
        if let login { return BillUser(login: Secret(login), credentials: credentials) }
        guard let sealed = fact.login else {
            throw Problem(
                .instrumentNotUsable,
                "They were saved without their login: save them again.",
                path: "credentials"
            )
        }
        return BillUser(login: try await opened(sealed, "credentials", call), credentials: credentials)
    }

    private func saved(_ id: InstrumentId, _ account: AccountFacts, _ path: String, _ call: Call)
        async throws(Problem) -> InstrumentFact
    {
        let found = try await reader.instrument(id, merchant: call.merchant)
        guard let found, let saved = found.saved, saved.account == account.id, found.usableToken != nil else {
            throw Problem(.instrumentNotUsable, "It can't be used.", path: path)
        }
        return saved.fact
    }

    private func opened(_ sealed: Json, _ path: String, _ call: Call) async throws(Problem) -> Secret {
        let opened: Secret?
        do throws(VaultFailure) { opened = try await engine.bills.open(sealed, call.merchant) } catch {
            throw .unavailable(error.detail)
        }
        guard let opened else { throw Problem(.personalDataErased, "The payer's data was erased.", path: path) }
        return opened
    }
}

extension FormSchema {
    private static let instrument: Json = "ins_01900000000070008000000000000001"
    private static let credentials: Json = "ins_01900000000070008000000000000002"

    static let checkBillCard = FormSchema(
        "CheckBillCard",
        Schema.closed(
            [
                ("account", Schema.text(atMost: 64)),
                (
                    "login",
                    Schema.text("Where the credentials were saved without it.", atMost: BillLimitsOfApi.loginBytes)
                ),
                ("instrument", Schema.id("ins")), ("credentials", Schema.id("ins")),
            ],
            required: ["account", "instrument", "credentials"]
        ),
        example: ["account": "portmone-uah", "login": "user", "instrument": instrument, "credentials": credentials]
    )

    static let billCardParameters = FormSchema(
        "BillCardParameters",
        Schema.closed(
            [
                ("account", Schema.text(atMost: 64)), ("credentials", Schema.id("ins")),
                ("language", Schema.text("A BCP 47 tag.", atMost: BillLimitsOfApi.languageBytes)),
            ],
            required: ["account", "credentials"]
        ),
        example: ["account": "portmone-uah", "credentials": credentials, "language": "uk"]
    )

    static let saveBillCard = FormSchema(
        "SaveBillCard",
        Schema.closed(
            [
                ("account", Schema.text(atMost: 64)), ("credentials", Schema.id("ins")),
                ("token", Schema.text("Asked about at the provider, then sealed.", atMost: BillLimitsOfApi.tokenBytes)),
                ("customer", Schema.text(atMost: Limits.identifierBytes)),
            ],
            required: ["account", "credentials", "token"]
        ),
        example: [
            "account": "portmone-uah", "credentials": credentials, "token": "what the SDK gave", "customer": "cust-7",
        ]
    )
}
