package import Kernel

/// A merchant of the simulated Worldline Direct: its keys, and what its portal is set to.
package struct WorldlineMerchant: Hashable, Sendable {
    /// A pair of name and secret, for requests or for events.
    package struct Key: Hashable, Sendable {
        package let id: String
        package let secret: Secret

        package init(id: String, secret: Secret) {
            self.id = id
            self.secret = secret
        }
    }

    /// How ids of payments are written.
    package enum IdForm: String, Hashable, Sendable, CaseIterable {
        /// Digits, of which the last three count operations.
        case digits
        /// A number, an underscore, and the operation's index.
        case underscore
    }

    /// The PSPID.
    package let id: String
    package internal(set) var apiKeys: [Key]
    /// The last one signs; an older one is revoked as soon as there is a new one.
    package internal(set) var webhookKeys: [Key]
    /// Addresses that the portal knows, beside those that a payment names.
    package internal(set) var webhookUrls: [String] = []
    package internal(set) var idForm = IdForm.digits
    /// So many events about one address are gathered into a list; one is sent as an object.
    package internal(set) var batch = 1
    /// Whether lists of products show the merchant's saved cards.
    package internal(set) var listsAccounts = false

    package init(id: String, apiKeys: [Key], webhookKeys: [Key]) {
        self.id = id
        self.apiKeys = apiKeys
        self.webhookKeys = webhookKeys
    }
}

/// How fast the simulated provider's time goes.
package struct WorldlineTimings: SimulatorTimings {
    /// From an accepted request or a click to its outcome at the acquirer.
    package var settlement = Duration.milliseconds(150)
    /// From a change to its event.
    package var event = Duration.milliseconds(50)
    /// The provider's own long waits are shortened by this factor.
    package var speed: Int64 = 1

    static let session = Duration.seconds(10_800)
    static let idempotence = Duration.seconds(86_400)
    static let skew = Duration.seconds(300)
    /// How long a list of events waits for more.
    static let gathering = Duration.seconds(1)
    /// From one attempt at an event to the next.
    static let retries: [Duration] = [
        .seconds(600), .seconds(3600), .seconds(7200), .seconds(28_800), .seconds(86_400),
    ]

    package init() {}
}

/// Something that goes wrong on demand, at a call or at `event`.
package enum WorldlineFaultKind: String, Hashable, Sendable, CaseIterable {
    /// The answer is held back; the same key answers 409 until then.
    case slow
    /// The effect happens and no answer comes.
    case lost
    /// A 500 after the effect.
    case errorAfter
    /// A 503 in place of the effect.
    case errorBefore
    /// A page in place of JSON, after the effect.
    case html
    /// Turned away with 429.
    case throttled
    /// The acquirer declines or refuses.
    case declined
    /// The acquirer's answer takes until somebody settles it.
    case pending
    case duplicateEvent, withheldEvent, forgedEvent, unknownKeyEvent, truncatedEvent

    /// Whether it strikes events and not requests.
    var isOfEvents: Bool {
        switch self {
        case .duplicateEvent, .withheldEvent, .forgedEvent, .unknownKeyEvent, .truncatedEvent: true
        case .slow, .lost, .errorAfter, .errorBefore, .html, .throttled, .declined, .pending: false
        }
    }
}
