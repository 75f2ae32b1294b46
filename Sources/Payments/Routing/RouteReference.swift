package import EventSourcing
package import Kernel

/// The references by which the account of a new payment was chosen, for the decision that chooses it again.
///
/// They are references so that an input stays small and nobody has to trust the one who wrote it.
package struct RouteReference: Hashable, Sendable, JsonWritable {
    package let at: Timestamp
    package let question: RouteQuestion
    /// Version of the routing stream.
    package let routing: Int32
    /// The candidates with the versions that were seen.
    package let accounts: [(id: Uuid, version: Int32)]

    package init(_ decision: RouteDecision) {
        at = decision.at
        question = decision.question
        routing = decision.routingVersion
        accounts = decision.candidates.compactMap { candidate in
            candidate.facts.map { (id: $0.id, version: $0.version) }
        }
    }

    package static func == (left: RouteReference, right: RouteReference) -> Bool { left.json == right.json }

    package func hash(into hasher: inout Hasher) { hasher.combine(json) }

    package func write(into out: inout JsonText) {
        out.member("accounts", listing: accounts, isAlwaysShown: true) { account, out in
            out.member("id", account.id)
            out.member("version", account.version)
        }
        out.member("at", at)
        out.member("question", question)
        out.member("routing", routing)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        at = try fields.time("at")
        question = try RouteQuestion(fields.fields("question"))
        routing = try fields.int32("routing")
        var accounts: [(id: Uuid, version: Int32)] = []
        for item in try fields.items("accounts") {
            let fields = Fields(item)
            accounts.append((id: try fields.uuid("id"), version: try fields.int32("version")))
        }
        self.accounts = accounts
    }
}
