package import EventSourcing
package import Kernel
package import Payments

/// Everything a decision saw beside the stream and the input, with the values that its record names resolved.
package struct DecisionContext: Sendable {
    package let now: Timestamp
    package let publicUrl: String
    package let account: ConfiguredAccount?
    /// The credential that the payment names, whoever's it is and whatever became of it; `nil` where there is none.
    package let instrument: Instrument?
    /// What stands for a user's password at the provider, for bills.
    package var credentials: Instrument?
    /// Pages of a batch's upload by their numbers.
    package var pages: [Int: StoredPage] = [:]
    /// The other accounts that the payment was tried at.
    package let otherAccounts: [ConfiguredAccount]
    /// The routing and its candidates, where a decision chooses an account or may.
    package let ways: Ways?
    /// What a schedule's decision sees besides.
    package var schedule: ScheduleSurroundings?
    /// The newest recovery epoch, for payments and for batches of bills.
    package var epoch: RecoveryEpoch?
    /// What the merchant's own clock showed, for payments; `nil` where it has none.
    package var clock: Timestamp?
    /// Names that evidence would give to this stream and that belong to another one; a payer's leave that another payment
    /// took while this one was decided is one, too.
    package var taken: [Reference] = []

    /// What a routing decision looks at.
    package struct Ways: Sendable {
        package let routing: Routing
        package let accounts: [ConfiguredAccount]

        package init(routing: Routing, accounts: [ConfiguredAccount]) {
            self.routing = routing
            self.accounts = accounts
        }
    }

    package init(
        now: Timestamp,
        publicUrl: String,
        account: ConfiguredAccount?,
        instrument: Instrument?,
        otherAccounts: [ConfiguredAccount] = [],
        ways: Ways? = nil
    ) {
        self.now = now
        self.publicUrl = publicUrl
        self.account = account
        self.instrument = instrument
        self.otherAccounts = otherAccounts
        self.ways = ways
    }

    /// What the decision record keeps: enough to resolve the same values again.
    package var json: Json {
        .compact([
            (
                "account",
                account.map(\.named)
            ),
            (
                "instrument",
                instrument.map { ["id": $0.id.json, "version": .integer(Int64($0.version))] }
            ),
            (
                "credentials",
                credentials.map { ["id": $0.id.json, "version": .integer(Int64($0.version))] }
            ),
            (
                "pages",
                pages.isEmpty
                    ? nil
                    : .object(
                        JsonObject(pages.sorted { $0.key < $1.key }.map { (String($0.key), $0.value.input.json) })
                    )
            ),
            ("clock", clock?.json), ("epoch", epoch?.json), ("now", now.json),
            ("otherAccounts", otherAccounts.isEmpty ? nil : .array(otherAccounts.map(\.named))),
            ("publicUrl", .string(publicUrl)), ("schedule", schedule?.json),
            ("taken", taken.isEmpty ? nil : .array(taken.map(\.named))),
            (
                "ways",
                ways.map {
                    [
                        "accounts": .array($0.accounts.map(\.named)),
                        "routing": .integer(Int64($0.routing.version)),
                    ]
                }
            ),
        ])
    }

    /// The account with that id, if the decision sees it.
    package func account(_ id: Uuid) -> ConfiguredAccount? {
        if let account, account.facts.id == id { return account }
        return otherAccounts.first { $0.facts.id == id } ?? ways?.accounts.first { $0.facts.id == id }
    }
}

extension ConfiguredAccount {
    fileprivate var named: Json { ["id": facts.id.json, "version": .integer(Int64(facts.version))] }
}

extension Reference {
    fileprivate var named: Json { ["account": account.json, "kind": .string(kind), "value": .string(value)] }

    /// Reads what a record names.
    init?(named json: Json) {
        guard let account = json["account"]?.text.flatMap({ Uuid($0) }), let kind = json["kind"]?.text,
            let value = json["value"]?.text
        else { return nil }
        self.init(account: account, kind: kind, value: value)
    }
}

/// A page of an upload as its input holds it.
package struct StoredPage: Hashable, Sendable {
    package let input: Uuid
    package let bytes: [UInt8]

    package init(input: Uuid, bytes: [UInt8]) {
        self.input = input
        self.bytes = bytes
    }
}

/// A decision in the form that is committed, before its templates are sealed.
package struct Decided: Hashable, Sendable {
    package var events: [EventDraft] = []
    package var outcome: DecisionOutcome = .events(0)
    package var versions: Json = [:]
    package var references: [Reference] = []
    package var effects: [PlannedEffect] = []
    package var wakes: Wakes = .none
    package var forwards: [InputRecord] = []
    /// What somebody is told of beside the log: figures and lines, no part of the decision.
    package var alerts: [Alert] = []
    /// What surprised about money.
    package var alarms: [Alarm] = []

    /// Money that nobody expected, or that two claims tell differently; told at once, whoever owes what then.
    package struct Alarm: Hashable, Sendable {
        package enum What: String, Hashable, Sendable, CaseIterable {
            /// Paid after it was told as failed, expired or cancelled.
            case lateSuccess = "late_success"
            /// A rule gives money back that arrived for a cancelled payment or a superseded attempt.
            case givenBack = "given_back"
            case contradiction
            /// More was taken or given back than was held or asked for.
            case excess
            /// The provider took or undid what nobody asked it to.
            case unasked
            /// The provider no longer shows what it had shown.
            case vanished
            /// The provider tells money, look after look, and no operation that explains it.
            case moneyWithoutOperation = "money_without_operation"
            case overReturned = "over_returned"
            /// The provider debited what no occurrence of a schedule explains.
            case debitUnmatched = "debit_unmatched"
            /// A debit of a series is missing, another than was due, or one too many; or the series can't be ended.
            case series
            /// A word of the provider that no table knows.
            case unrecognised
        }

        package let provider: String
        package let what: What
        package let detail: String
    }

    /// Something that an app reported and a person must know of.
    package struct Alert: Hashable, Sendable {
        package let provider: String
        package let concern: ClaimConcern
        package let code: String
    }
    /// What the input showed about an account's provider; counted beside the log, no part of the decision.
    package var sign: AccountHealthSignal?

    package init() {}

    /// A timer that found nothing it could do rests for a while instead of being due at once again.
    func resting(until later: Timestamp, from now: Timestamp) -> Decided {
        guard let machine = wakes.machine, machine <= now else { return self }
        var decided = self
        decided.wakes = Wakes(machine: later, business: wakes.business)
        return decided
    }

    package static func rejected(_ rejection: Rejection, keeping wakes: Wakes, versions: Json) -> Decided {
        var decided = Decided()
        decided.outcome = .rejected(code: rejection.code, detail: rejection.json.canonical)
        decided.wakes = wakes
        decided.versions = versions
        return decided
    }
}

/// What one message showed about the provider of an account.
package struct AccountHealthSignal: Hashable, Sendable {
    package let account: Uuid
    package let sign: HealthSignal
}

/// An effect row in the making.
package enum PlannedEffect: Hashable, Sendable {
    /// `template` is canonical JSON, not sealed.
    case create(
        EffectId,
        account: Uuid,
        template: [UInt8],
        notBefore: Timestamp,
        sendBefore: Timestamp,
        deadline: Duration
    )
    case resend(EffectId, ordinal: Int32, notBefore: Timestamp, sendBefore: Timestamp)
    case revoke(EffectId)
    case remove(EffectId)
}

/// An input or history that can't be decided: it goes to quarantine and its stream goes on.
package struct Undecidable: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// What travels in an input's `meta`.
package struct InputMeta: Sendable {
    package let json: Json

    package init(_ json: Json) { self.json = json }

    package init(_ input: InputRecord) throws(Undecidable) {
        guard let json = try? Json(input.meta) else { throw Undecidable("meta") }
        self.json = json
    }

    package var actor: Actor {
        Actor(id: json.at("actor", "id")?.text ?? "unknown", isOperator: json.at("actor", "operator")?.flag ?? false)
    }
    package var account: Uuid? { json["account"]?.text.flatMap { Uuid($0) } }
    package var route: RouteReference? { json["route"].flatMap { try? RouteReference(Fields($0)) } }
    package var effect: EffectId? { json["effect"]?.text.flatMap { EffectId($0) } }
    package var ordinal: Int32? { json["ordinal"]?.integer.flatMap { Int32(exactly: $0) } }
    /// The versions of the stream that the command is meant for; any where the client named none.
    private var wantedVersions: [Int64]? { json["versions"]?.items?.compactMap(\.integer) }

    /// Refuses a command that is meant for another version than this one.
    func demand(_ version: Int32) throws(Rejection) {
        guard let wanted = wantedVersions, !wanted.contains(Int64(version)) else { return }
        throw Rejection(
            planCode: Self.preconditionFailed,
            "It is at version \(version) now: read it again, and send what you then want under another key.",
            path: "If-Match"
        )
    }

    package static let preconditionFailed = "precondition_failed"

    package var trust: Trust { json["trust"]?.text == Trust.hint.rawValue ? .hint : .verified }

    /// The meta of a command.
    package static func command(
        actor: Actor,
        account: Uuid?,
        traceparent: String?,
        correlation: String?,
        route: RouteReference? = nil,
        versions: [Int32]? = nil
    ) -> Json {
        .compact([
            ("account", account?.json), ("actor", ["id": .string(actor.id), "operator": .bool(actor.isOperator)]),
            ("correlation", correlation.map(Json.string)), ("route", route?.json),
            ("traceparent", traceparent.map(Json.string)),
            ("versions", versions.map { .array($0.map { .integer(Int64($0)) }) }),
        ])
    }
}
