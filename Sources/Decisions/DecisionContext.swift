package import EventSourcing
package import Kernel
package import Payments

/// Everything a decision saw beside the stream and the input, with the values that its record names resolved.
package struct DecisionContext: JsonWritable {
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
    package func write(into out: inout JsonText) {
        if let account { out.member("account") { account.writeName(into: &$0) } }
        out.member("clock", clock)
        if let credentials { out.member("credentials") { credentials.writeName(into: &$0) } }
        out.member("epoch", epoch)
        if let instrument { out.member("instrument") { instrument.writeName(into: &$0) } }
        out.member("now", now)
        out.member("otherAccounts", listing: otherAccounts) { $0.writeName(into: &$1) }
        if !pages.isEmpty {
            out.member("pages", .object(JsonObject(pages.map { (String($0.key), $0.value.input.json) })))
        }
        out.member("publicUrl", publicUrl)
        out.member("schedule", schedule)
        out.member("taken", listing: foreignReferences) { $0.writeName(into: &$1) }
        if let routes {
            out.member("ways") { out in
                out.member("accounts", listing: routes.accounts, isAlwaysShown: true) { $0.writeName(into: &$1) }
                out.member("routing", routes.routing.version)
            }
        }
    }

    /// The account with that id, if the decision sees it.
    package func account(_ id: Uuid) -> ConfiguredAccount? {
        if let account, account.facts.id == id { return account }
        return otherAccounts.first { $0.facts.id == id } ?? routes?.accounts.first { $0.facts.id == id }
    }
}

/// What a record says of a stream whose state the decision saw: enough to read the same state again.
extension ConfiguredAccount {
    fileprivate func writeName(into out: inout JsonText) {
        out.member("id", facts.id)
        out.member("version", facts.version)
    }
}

extension Instrument {
    func writeName(into out: inout JsonText) {
        out.member("id", id)
        out.member("version", version)
    }
}

extension Reference {
    fileprivate func writeName(into out: inout JsonText) {
        out.member("account", account)
        out.member("kind", kind)
        out.member("value", value)
    }

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
