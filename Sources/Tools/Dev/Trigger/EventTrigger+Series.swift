import Daemon
import Http
import Kernel
import SystemKit

/// Saved cards and series: at ecommpay, and where it can't, at Worldline and Portmone.
extension EventTrigger {
    static let instruments: [String: Way] = [
        "instrument.saved": .scene { try await $0.savedCard() },
        "instrument.expired": .never("it is told when the last month of a card is over"),
        "instrument.invalid": .scene { try await $0.forgottenCard() },
        "instrument.removed": .scene { try await $0.removedCard() },
        "instrument.updated": .scene { try await $0.checkedCard() },
    ]

    static let schedules: [String: Way] = [
        "schedule.created": .scene { try await $0.series() },
        "schedule.activated": .scene { try await $0.activeSeries() },
        "schedule.paused": .scene { try await $0.activeSeries(then: ["pause"]) },
        "schedule.resumed": .scene { try await $0.activeSeries(then: ["pause", "resume"]) },
        "schedule.changed": .scene { try await $0.changedSeries() },
        "schedule.completed": .scene { try await $0.endingSeries() },
        "schedule.cancelled": .scene { try await $0.activeSeries(then: ["cancel"]) },
        "schedule.expired": .scene { try await $0.unwantedSeries() },
        "schedule.instrumentExpiring": .never("it is told when the last month of a card comes near"),
        "schedule.updated": .never("nothing here changes a schedule in a way that no other type tells"),
        "occurrence.due": .scene { try await $0.activeSeries(then: ["run"]) },
        "occurrence.actionRequired": .scene { try await $0.askingSeries() },
        "occurrence.paid": .scene { try await $0.activeSeries(then: ["run"]) },
        "occurrence.paidTwice": .never("it takes a provider that debits twice, and the sandbox's do not"),
        "occurrence.failed": .scene { try await $0.activeSeries(cents: 7701, then: ["run"]) },
        "occurrence.givenUp": .scene { try await $0.activeSeries(cents: 7703, then: ["run"]) },
        "occurrence.skipped": .scene { try await $0.skippedOccurrence() },
    ]

    private static let title = "trigger series"

    // MARK: Saved cards

    /// A card of a customer who had none before.
    private func savedCard() async throws -> String {
        let more: Json = ["customer": .string(run)]
        let payment = try await ecommpay.create(Self.title, mode: "tokenize", amount: nil, more)
        try await EcommpayScenes(ecommpay).pay(try await ecommpay.open(payment))
        return try await card(of: payment)
    }

    /// The card that a payment saved.
    private func card(of payment: String) async throws -> String {
        try await found("the saved card of \(payment)") {
            let seen = try await api.call(.get, DemoStage.path(payment))
            return seen["savedInstruments"]?.items?.first?.text
        }
    }

    private func removedCard() async throws -> String {
        let id = try await savedCard()
        try await api.call(.delete, "/v1/instruments/\(id)", key: ecommpay.key(Self.title, "remove"))
        return id
    }

    /// A card that Worldline keeps for us.
    private func worldlineCard() async throws -> (id: String, payment: String) {
        let scenes = WorldlineScenes(stage(WorldlineScenes.provider))
        let more: Json = ["customer": .string(run), "details": ["saveCredential": true]]
        let payment = try await scenes.create(Self.title, mode: "sale", cents: 3100, more)
        try await scenes.press(["approve"], on: payment)
        return (try await card(of: payment), payment)
    }

    private func checkedCard() async throws -> String {
        let (id, _) = try await worldlineCard()
        try await api.call(.post, "/v1/instruments/\(id)/check", key: ecommpay.key(Self.title, "check"))
        return id
    }

    /// Worldline forgets a token, and says so to who opens a session with it.
    private func forgottenCard() async throws -> String {
        let (id, payment) = try await worldlineCard()
        let seen = try await api.call(.get, DemoStage.path(payment))
        let reference = seen.at("attempt", "reference")?.text ?? "?"
        let known = try await control("/worldline/sandbox/payments")["payments"]?.items ?? []
        let paid = known.last { $0.canonicalText.contains(reference) }
        guard let token = paid?.at("paymentOutput", "cardPaymentMethodSpecificOutput", "token")?.text else {
            throw ApiClient.Failure(description: "the sandbox shows no token of \(payment)")
        }
        try await control("/worldline/sandbox/tokens/\(token)/forget", [:])
        let question: Json = ["customer": .string(run), "instruments": [.string(id)]]
        try await api.call(.post, "/v1/accounts/\(seen.at("account", "id")?.text ?? "")/sessions", question)
        return id
    }

    // MARK: Series

    private func series(_ more: Json = [:], cents: Int64 = 7700) async throws -> String {
        try await ecommpay.schedule(Self.title, amount: EcommpayScenes.euros(cents), more)
    }

    /// A series whose payer has agreed, and what is done to it then.
    private func activeSeries(cents: Int64 = 7700, _ more: Json = [:], then verbs: [String] = []) async throws -> String
    {
        let id = try await series(more, cents: cents)
        try await EcommpayScenes(ecommpay).begin(Self.title, id)
        for verb in verbs { try await command(verb, id) }
        return id
    }

    private func command(_ verb: String, _ id: String, _ body: Json = [:]) async throws {
        try await api.call(.post, "/v1/schedules/\(id)/\(verb)", body, key: ecommpay.key(Self.title, verb))
    }

    private func changedSeries() async throws -> String {
        let id = try await activeSeries()
        try await command("change", id, ["amount": EcommpayScenes.euros(8800)])
        return id
    }

    /// A daily rule that begins so many seconds from now.
    private static func daily(inSeconds seconds: Int64, _ more: Json = [:]) -> Json {
        let soon = WallClock.now().adding(.seconds(seconds)).wholeSeconds
        let members: [(String, Json)] = [
            ("period", "day"), ("start", .string(String(soon.prefix(10)))),
            ("time", .string(String(soon.dropFirst(11).prefix(8)))), ("zone", "UTC"),
        ]
        return .object(JsonObject(members + (more.members?.members ?? []).map { ($0.name, $0.value) }))
    }

    /// One debit by the platform, and no other after it.
    private func endingSeries() async throws -> String {
        let today = String(WallClock.now().adding(.seconds(8)).wholeSeconds.prefix(10))
        let rule = Self.daily(inSeconds: 8, ["end": ["lastDate": .string(today)]])
        return try await activeSeries(["kind": "regular", "rule": rule, "runner": "provider"])
    }

    private func unwantedSeries() async throws -> String {
        try await series(["activateBy": .string(WallClock.now().adding(.seconds(3)).wholeSeconds)])
    }

    /// Portmone debits nobody without him.
    private func askingSeries() async throws -> String {
        let stage = stage(PortmoneScenes.provider)
        let scenes = PortmoneScenes(stage)
        let amount = PortmoneScenes.hryvnias(7700)
        let id = try await stage.schedule(Self.title, amount: amount, ["presence": "customerPresent"])
        let first = try await stage.create(
            Self.title,
            mode: "sale",
            amount: PortmoneScenes.hryvnias(100),
            ["schedule": .string(id)]
        )
        try await scenes.press(first, ["approve"])
        try await stage.wait(schedule: id, for: "active")
        try await stage.run(schedule: id, Self.title, "run", ["presence": "customerPresent"])
        return id
    }

    /// What fell due while a series was paused is left out.
    private func skippedOccurrence() async throws -> String {
        let rule = Self.daily(inSeconds: 8)
        let id = try await activeSeries(
            ["kind": "regular", "presence": "customerPresent", "rule": rule],
            then: ["pause"]
        )
        try await Task.sleep(for: .seconds(9))
        try await command("resume", id, ["missed": "skip"])
        return id
    }
}
