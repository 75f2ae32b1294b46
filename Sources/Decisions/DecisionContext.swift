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
    /// The credential that stands for a user's password at the provider, for bills.
    package var credentials: Instrument?
    /// Pages of a batch's upload by their numbers.
    package var pages: [Int: StoredPage] = [:]
    /// The other accounts that the payment was tried at.
    package let otherAccounts: [ConfiguredAccount]
    /// The routing and its candidates, where a decision chooses an account or may.
    package let routes: Routes?
    /// Zones, calendars and instruments, for schedules.
    package var schedule: ScheduleSurroundings?
    /// The newest recovery epoch, for payments and for batches of bills.
    package var epoch: RecoveryEpoch?
    /// The reading of the merchant's own clock, for payments; `nil` where it has none.
    package var clock: Timestamp?
    /// Names that evidence would give to this stream and that belong to another one; a payer's mandate that another payment
    /// took while this one was decided is one, too.
    package var foreignReferences: [Reference] = []

    /// The routing and the accounts among which it chooses.
    package struct Routes: Sendable {
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
        routes: Routes? = nil
    ) {
        self.now = now
        self.publicUrl = publicUrl
        self.account = account
        self.instrument = instrument
        self.otherAccounts = otherAccounts
        self.routes = routes
    }

    /// The part that the decision record keeps: enough to resolve the same values again.
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
            ("taken", foreignReferences.isEmpty ? nil : .array(foreignReferences.map(\.named))),
            (
                "ways",
                routes.map {
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
        return otherAccounts.first { $0.facts.id == id } ?? routes?.accounts.first { $0.facts.id == id }
    }
}

extension ConfiguredAccount {
    fileprivate var named: Json { ["id": facts.id.json, "version": .integer(Int64(facts.version))] }
}

extension Reference {
    fileprivate var named: Json { ["account": account.json, "kind": .string(kind), "value": .string(value)] }

    /// Reads what a record names.
    package init?(named json: Json) {
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
