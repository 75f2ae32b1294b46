package import Kernel
package import Payments

/// An adapter's declaration about its provider, read by the daemon and printed for people.
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
    /// Bytes of a notification's body: what the provider sends and some room.
    package let notificationBytes: Int
    /// Total time for one request.
    package let requestDeadline: Duration
    /// Paths of bodies that hold identifiers and never card numbers.
    package let identifierPaths: Set<JsonPath>
    /// Where clients bring the provider's identifiers, never card numbers either.
    package let given: GivenIdentifiers
    /// Paths of notifications and answers that hold personal data and are sealed at ingest.
    package let personalPaths: [JsonPath]
    /// Paths of answers that say where a payer is sent; an address that no payer may be sent to is kept as `null`.
    package let payerAddressPaths: [JsonPath]
    /// Paths of a command's `details` that hold personal data and are sealed at ingest.
    package let personalDetailPaths: [JsonPath]
    /// Paths of a command's `details` that pass through memory once and are stored nowhere, not even sealed.
    package let onceDetailPaths: [JsonPath]
    /// Headers of answers that readings need beside the content's type, the date and the pause before a repetition; in
    /// small letters.
    package let answerHeaders: [String]
    /// How it tells a refusal where HTTP calls it an error.
    package let refusals: RefusalForm

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
        notificationBytes: Int,
        requestDeadline: Duration,
        identifierPaths: Set<JsonPath>,
        given: GivenIdentifiers = GivenIdentifiers(),
        personalPaths: [JsonPath],
        payerAddressPaths: [JsonPath] = [],
        personalDetailPaths: [JsonPath],
        onceDetailPaths: [JsonPath] = [],
        answerHeaders: [String] = [],
        refusals: RefusalForm = .none
    ) {
        self.id = id
        self.version = version
        self.tableVersion = tableVersion
        self.modes = modes
        self.methods = methods
        self.secrets = secrets
        self.optionalSecrets = optionalSecrets + [Self.authoritiesName]
        precondition(notificationBytes <= Limits.notificationBodyBytes, "a notification is a few tens of kilobytes")
        self.notifications = notifications
        self.notificationBytes = notificationBytes
        self.requestDeadline = requestDeadline
        self.identifierPaths = identifierPaths
        self.given = given
        self.personalPaths = personalPaths
        self.payerAddressPaths = payerAddressPaths
        self.personalDetailPaths = personalDetailPaths
        self.onceDetailPaths = onceDetailPaths
        self.answerHeaders = answerHeaders
        self.refusals = refusals
    }
}

/// Where clients write identifiers that the provider or we have made: tokens, references, numbers of accounts.
///
/// They may look like a card's number and are none, through the API and the SQL entrance alike.
package struct GivenIdentifiers: Hashable, Sendable {
    /// Of a command's `details`.
    package var details: Set<JsonPath>
    /// Of an account's settings.
    package var settings: Set<JsonPath>

    package init(
        details: Set<JsonPath> = [],
        settings: Set<JsonPath> = []
    ) {
        self.details = details
        self.settings = settings
    }

    package func union(_ other: GivenIdentifiers) -> GivenIdentifiers {
        GivenIdentifiers(
            details: details.union(other.details),
            settings: settings.union(other.settings)
        )
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
