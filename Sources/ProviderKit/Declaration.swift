package import Kernel
package import Payments

/// What an adapter declares about its provider, read by the daemon and printed for people.
package struct Declaration: Sendable {
    /// As in `ecommpay`; part of addresses and references.
    package let id: String
    /// The adapter's version; a change of a request, a reading or a table raises it.
    package let version: Int
    /// Version of the code and status tables.
    package let tableVersion: Int
    package let modes: Set<PaymentMode>
    package let methods: Set<PaymentMethod>
    /// Secrets that an account needs, by name.
    package let secrets: [String]
    /// Secrets that an account may have, by name.
    package let optionalSecrets: [String]
    package let notifications: NotificationSecurity
    /// Total time for one request.
    package let requestDeadline: Duration
    /// Paths of bodies that hold identifiers and never card numbers.
    package let identifierPaths: Set<JsonPath>
    /// Paths of notifications and answers that hold personal data and are sealed at ingest.
    package let personalPaths: [JsonPath]
    /// Paths of a command's `details` that hold personal data and are sealed at ingest.
    package let personalDetailPaths: [JsonPath]
    /// Paths of a command's `details` that pass through memory once and are stored nowhere, not even sealed.
    package let onceDetailPaths: [JsonPath]
    /// Paths of an app's claim that pass through memory once, too.
    package let onceClaimPaths: [JsonPath]
    /// Headers of answers that readings need beside the content's type, the date and the pause before a repetition; in
    /// small letters.
    package let answerHeaders: [String]
    /// The series of debits that payments may register; none where the provider keeps none.
    package let recurring: Set<RecurringTerms.Kind>

    /// The optional secret of every account: PEM text of authorities that its provider's certificate may be of.
    package static let authoritiesName = "authorities"

    package init(
        id: String,
        version: Int,
        tableVersion: Int,
        modes: Set<PaymentMode>,
        methods: Set<PaymentMethod>,
        secrets: [String],
        optionalSecrets: [String] = [],
        notifications: NotificationSecurity,
        requestDeadline: Duration,
        identifierPaths: Set<JsonPath>,
        personalPaths: [JsonPath],
        personalDetailPaths: [JsonPath],
        onceDetailPaths: [JsonPath] = [],
        onceClaimPaths: [JsonPath] = [],
        answerHeaders: [String] = [],
        recurring: Set<RecurringTerms.Kind> = []
    ) {
        self.id = id
        self.version = version
        self.tableVersion = tableVersion
        self.modes = modes
        self.methods = methods
        self.secrets = secrets
        self.optionalSecrets = optionalSecrets + [Self.authoritiesName]
        self.notifications = notifications
        self.requestDeadline = requestDeadline
        self.identifierPaths = identifierPaths
        self.personalPaths = personalPaths
        self.personalDetailPaths = personalDetailPaths
        self.onceDetailPaths = onceDetailPaths
        self.recurring = recurring
        self.onceClaimPaths = onceClaimPaths
        self.answerHeaders = answerHeaders
    }
}

/// How a provider's notifications are proved.
package enum NotificationSecurity: String, Hashable, Sendable, CaseIterable {
    case hmac, rsa, unsigned
}

/// The provider-side states and legal moves, as data.
package struct StateDiagram: Hashable, Sendable {
    package struct Move: Hashable, Sendable {
        package let from: String
        package let to: String
        package let cause: String

        package init(from: String, to: String, cause: String) {
            self.from = from
            self.to = to
            self.cause = cause
        }
    }

    package let initial: String
    package let moves: [Move]

    package init(initial: String, moves: [Move]) {
        self.initial = initial
        self.moves = moves
    }

    /// The diagram as Mermaid text.
    package var mermaid: String {
        let lines = moves.map { "    \($0.from) --> \($0.to): \($0.cause)" }
        return (["stateDiagram-v2", "    [*] --> \(initial)"] + lines).joined(separator: "\n") + "\n"
    }
}
