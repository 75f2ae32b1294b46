package import EventSourcing
package import Kernel
package import Payments
package import Settlement

package enum SettlementFileKind: IdentifierKind { package static let prefix = "stl" }
/// Names a settlement file that was imported.
package typealias SettlementFileId = Identifier<SettlementFileKind>

package enum SettlementExceptionKind: IdentifierKind { package static let prefix = "exc" }
/// Names something that does not fit between our books and a provider's files.
package typealias SettlementExceptionId = Identifier<SettlementExceptionKind>

/// A settlement file as somebody brings it.
package struct SettlementImport: Hashable, Sendable {
    package let merchant: MerchantNumber
    package let account: AccountFacts
    package let mapping: SettlementMapping
    /// Whether the mapping is for this file alone, and not the account's.
    package var isMappingOnce = false
    /// SHA-256 of the file's bytes.
    package let digest: [UInt8]
    /// The days that it is about, as `2026-11-21`, the second no longer; `nil` where its lines tell.
    package var period: (first: String, end: String)?
    /// The file that it corrects.
    package var corrects: SettlementFileId?
    /// Whether it takes no file's place, though its bytes took one before.
    package var isAlone = false
    package let actor: String
    /// What it may hold, unpacked.
    package var contentBytes = SettlementLimits.contentBytes
    package var mostLines = SettlementLimits.lines
    /// How long one statement of the import may take: it looks at every line.
    package var statementSeconds = 1800

    package init(
        merchant: MerchantNumber,
        account: AccountFacts,
        mapping: SettlementMapping,
        digest: [UInt8],
        actor: String
    ) {
        self.merchant = merchant
        self.account = account
        self.mapping = mapping
        self.digest = digest
        self.actor = actor
    }

    package static func == (left: Self, right: Self) -> Bool {
        left.merchant == right.merchant && left.account == right.account && left.mapping == right.mapping
            && left.digest == right.digest && left.corrects == right.corrects && left.actor == right.actor
            && left.period?.first == right.period?.first && left.period?.end == right.period?.end
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(digest) }
}

/// What became of a settlement file that was brought.
package enum SettlementOutcome: Hashable, Sendable {
    case imported(SettlementFileId)
    /// The same bytes were read by the same mapping before: nothing is changed.
    case known(SettlementFileId)
    /// Nothing of it is kept.
    case refused(SettlementFault)
    case outsidePeriod
    /// The file that it is said to correct is none of the account's.
    case correctsNothing
    /// The same bytes were read before, and do not stand in the place of the file that they are said to correct.
    case standsElsewhere(SettlementFileId)
    case zoneUnknown
}

/// Selects exceptions of a merchant.
package struct ExceptionQuery: Hashable, Sendable {
    package var account: Uuid?
    package var word: ExceptionClass?
    package var owner: String?
    /// The file whose lines they are about.
    package var file: SettlementFileId?
    package var isOpen = true
    /// Where the page begins; `nil` for the oldest.
    package var cursor: PageCursor?
    package var limit = Limits.pageRows

    package init() {}
}

/// How books and files do not fit; the raw values are stored and shown.
package enum ExceptionClass: String, Hashable, Sendable, CaseIterable {
    /// A line that no movement of ours explains, and a movement that no line tells of though its time is over.
    case missingHere, missingThere
    case amount, fee, currency
    /// A line that was there before.
    case duplicate
    /// A movement that no line tells of yet.
    case timing
    /// The mapping does not know the file's word.
    case unknownKind

    /// What whoever looks at one does first.
    package var suggestion: String {
        switch self {
        case .missingHere: "link it with a movement that has no line, ask the provider, or adjust"
        case .missingThere: "ask the provider; link it with a line that has no movement, or adjust"
        case .amount, .fee, .currency: "ask the provider whose figure holds; adjust to follow it"
        case .duplicate: "disregard it, or adjust where it did happen twice"
        case .timing: "wait for the next file"
        case .unknownKind: "name the word in the mapping and import the file again, or disregard it"
        }
    }
}

/// How an exception is resolved.
package enum ExceptionVerdict: Hashable, Sendable {
    /// The books follow the file; the other side is suspense.
    case adjust
    /// The line counts no longer.
    case disregard
    /// The line is about the movement at this place of the log.
    case linkMovement(position: Int64, number: Int32)
    /// The movement is what this line tells of.
    case linkLine(SettlementFileId, line: Int32)

    package var json: Json {
        switch self {
        case .adjust: ["is": "adjust"]
        case .disregard: ["is": "disregard"]
        case .linkMovement(let position, let number):
            ["is": "link", "position": .integer(position), "number": .integer(Int64(number))]
        case .linkLine(let file, let line):
            ["is": "link", "file": .string(file.uuid.description), "line": .integer(Int64(line))]
        }
    }
}

/// What became of a step about an exception.
package enum ExceptionStep: String, Hashable, Sendable, CaseIterable {
    case ok
    case unknown
    /// It is settled already.
    case ended
    /// Whoever proposed it can't approve it.
    case sameActor
    /// Another proposal came since.
    case stale
    /// The verdict can't resolve what it is about.
    case unfit
}
