package import Kernel
package import Payments

/// The true effect of a message of ours at the provider.
package enum HostileTruth: String, Hashable, Sendable, CaseIterable {
    case nothing, done, otherAmount, twice
    /// It was done, and undone when everything had come to rest.
    case undone
}

/// The provider's answer to the message under test.
package enum HostileAnswer: Hashable, Sendable {
    /// The documented answer to what was done.
    case success
    /// A refusal that it documents, by its name.
    case refusal(String)
    /// The success with something wrong in it, by its name.
    case odd(String)
    /// An answer that nothing documents.
    case status(Int, Body)
    /// The success, cut off in the middle.
    case half
    case lost

    package enum Body: String, Hashable, Sendable, CaseIterable {
        case json, html, empty
    }

    package var name: String {
        switch self {
        case .success: "success"
        case .refusal(let name), .odd(let name): name
        case .status(let status, let body): "\(status)-\(body.rawValue)"
        case .half: "half"
        case .lost: "lost"
        }
    }

    /// Answers that no provider documents.
    static let undocumented: [HostileAnswer] =
        [400, 401, 403, 404, 409, 422, 429, 500].map { .status($0, .json) }
        + [200, 400, 403, 404, 409, 502].map { .status($0, .html) }
        + [200, 404, 503].map { .status($0, .empty) }
        + [.half, .lost]

    /// Of them each way to be no answer, where a scene differs from another in what follows alone.
    static let few: [HostileAnswer] = [
        .status(400, .json), .status(409, .json), .status(429, .json), .status(500, .json), .status(200, .html),
        .status(403, .html), .status(404, .empty), .half, .lost,
    ]
}

/// Which sending of the message gets the answer.
package enum HostileTurn: String, Hashable, Sendable, CaseIterable {
    case first
    /// The answer to the first sending is lost, and the next sending gets it.
    case repeated
}

/// The provider's way to answer a question.
package enum HostileLook: String, Hashable, Sendable, CaseIterable {
    case truth
    /// As it was before the message, nearly as long as the declaration allows.
    case lag
    /// That it knows nothing of it, nearly as long as the declaration allows.
    case absent
    /// Amounts that nobody can read, for good.
    case garbled
    /// Words that no document has where the state stands, for good.
    case unheard
    /// 500, for good.
    case error
    /// 403, for good.
    case refused
    /// How the payment stands in a word alone: no list of what followed and no sum of it, for good.
    case bare
    /// That nobody knows the payment, for good, though it was there before.
    case forgotten

    /// Whether a scene can have it: an order that was never seen is opened again once nobody knows it.
    func suits(_ scene: HostileScene) -> Bool { self != .forgotten || scene.before != .nothing }
}

/// One message of a payment's life, with what goes before it.
package struct HostileScene: Hashable, Sendable {
    package enum Before: String, Hashable, Sendable {
        case nothing, held, captured
    }

    package private(set) var name: String
    package let kind: OperationKind
    package let mode: PaymentMode
    package let method: PaymentMethod
    package let before: Before
    /// The amount that the message is about; `nil` for all there is.
    package let minor: Int64?
    package let details: Json
    /// Members for the adapter alone, in a command beside the payment's beginning.
    package let commandDetails: Json?
    /// Effects that can have happened, and that a look can show.
    package private(set) var truths: [HostileTruth]
    /// Whether the provider's own people do it: no message of ours is under test, and only looks tell.
    package let isTheirs: Bool
    /// The amount of the same kind that the provider's own people move right before the message under test comes.
    package let beside: Int64
    /// Whether the payer goes through with what was opened, once there is something; else nobody comes.
    package private(set) var isPaid = false
    /// Whether the payer's device is given all that it needs by us, and no message of ours begins the payment.
    package private(set) var isHandover = false
    /// Whether a schedule charges a saved card with it.
    package let isOccurrence: Bool

    package init(
        _ name: String,
        _ kind: OperationKind,
        mode: PaymentMode = .sale,
        method: PaymentMethod = .hosted,
        before: Before = .nothing,
        minor: Int64? = nil,
        details: Json = [:],
        commandDetails: Json? = nil,
        without: Set<HostileTruth> = [],
        isTheirs: Bool = false,
        beside: Int64 = 0,
        isOccurrence: Bool = false
    ) {
        self.name = name
        self.kind = kind
        self.mode = mode
        self.method = method
        self.before = before
        self.minor = minor
        self.details = details
        self.commandDetails = commandDetails
        truths = HostileTruth.allCases.filter { !without.contains($0) }
        self.isTheirs = isTheirs
        self.beside = beside
        self.isOccurrence = isOccurrence
    }

    /// The same done in part in the provider's cabinet.
    var inCabinet: HostileScene {
        HostileScene(
            "cabinet-\(name)",
            kind,
            mode: mode,
            method: method,
            before: before,
            minor: 3000,
            details: details,
            without: Set(HostileTruth.allCases).subtracting([.done]),
            isTheirs: true
        )
    }

    /// The same while the provider's own people do another of its kind.
    var besideCabinet: HostileScene {
        HostileScene(
            "\(name)-beside",
            kind,
            mode: mode,
            method: method,
            before: before,
            minor: minor,
            details: details,
            commandDetails: commandDetails,
            without: [.twice, .undone],
            beside: 2000
        )
    }

    /// The same, and the payer goes through with what was opened.
    package func paid(without: Set<HostileTruth> = [.twice]) -> HostileScene {
        var other = self
        other.name = "\(name)-paid"
        other.truths = HostileTruth.allCases.filter { !without.contains($0) }
        other.isPaid = true
        return other
    }

    /// The same by a page or an SDK that the payer is given without a message of ours.
    package func handedOver(without: Set<HostileTruth> = [.twice]) -> HostileScene {
        var other = paid(without: without)
        other.name = name
        other.isHandover = true
        return other
    }

    /// Whether no message of ours is under test: what happens is told by looks and by the provider's own messages.
    var isSilent: Bool { isTheirs || isHandover }

    /// Whether it checks or saves a card, and no money is to stay with anybody.
    var isCheck: Bool { kind == .verify || kind == .tokenize }

    /// The amount that is asked for in all.
    package static let total: Int64 = 10_000

    /// The amount that the message under test asks for.
    var asked: Int64 { minor ?? (isCheck ? 0 : Self.total) }

    /// The amount of a provider that takes another one than it was asked for.
    var other: Int64 { minor == nil ? Self.total - 4000 : asked + 1000 }

    /// Over how much an order is opened that is asked for over `minor`; a check that takes money takes it behind its order.
    func ordered(_ minor: Int64?, _ truth: HostileTruth) -> Int64? {
        truth == .otherAmount && !isCheck ? other : minor
    }
}

/// A coordinate of the table; its name plays it again.
package struct HostileCase: HostileCoordinate {
    package let provider: String
    package let scene: HostileScene
    package let truth: HostileTruth
    package let answer: HostileAnswer
    package let turn: HostileTurn
    package let look: HostileLook

    package var name: String {
        [provider, scene.name, truth.rawValue, answer.name, turn.rawValue, look.rawValue].joined(separator: "/")
    }

    /// How the names of documented answers begin that leave it open what was done.
    static let unclear = "unclear"

    /// Whether the provider's documented words to the first sending are false, and no question follows that could show it.
    ///
    /// A success is believed, but for a void's, behind which a look is taken. A refusal of what opens a payment is believed,
    /// as there is nothing yet to look at; and so is that a message was not read and is to be sent again. What follows a
    /// payment is looked at after the proof time before its refusal counts, whatever the looks say.
    func isLie(_ wire: any HostileWire) -> Bool {
        guard turn == .first, !scene.isSilent else { return false }
        let isRefusal: Bool
        switch answer {
        case .success: return truth == .nothing && (scene.kind != .void || look != .truth)
        case .refusal(let name): isRefusal = !name.hasPrefix(Self.unclear)
        case .status(let status, let body): isRefusal = wire.documents(status, body, of: scene)
        case .odd, .half, .lost: isRefusal = false
        }
        guard isRefusal, truth != .nothing else { return false }
        return scene.before == .nothing || wire.isUnread(answer)
    }
}
