package import EventSourcing
package import Kernel
package import Payments

/// A saved instrument's row in the read model `instrument_view`: a function of its whole stream up to one event.
package struct InstrumentRow: Hashable, Sendable {
    /// Raised when the same stream gives another row: the read model is rebuilt.
    package static let version: Int32 = 2

    package let merchant: MerchantNumber
    package let id: InstrumentId
    /// Version of the stream that the row shows.
    package let version: Int32
    /// Place of that version's event in the log.
    package let position: Int64
    package let status: InstrumentStatus
    package let customer: String?
    package let account: Uuid
    package let createdAt: Timestamp
    /// The document that lists show, in canonical JSON.
    package let document: Json

    /// Makes the row of a stream that was folded up to `last`; `nil` before anything was saved.
    package init?(_ instrument: Instrument, last: RecordedEvent) {
        guard let saved = instrument.saved, let savedAt = instrument.savedAt else { return nil }
        merchant = last.stream.merchant
        id = instrument.id
        version = instrument.version
        position = last.position
        status = instrument.status
        customer = saved.customer
        account = saved.account
        createdAt = savedAt
        document = instrument.shown
    }

    package var cursor: PageCursor { PageCursor(createdAt: createdAt, id: id.uuid) }
}

extension Instrument {
    /// A saved credential in answers: masked data, never its token.
    package var shown: Json {
        let fact = saved?.fact
        return .compact([
            ("id", id.json), ("object", "instrument"), ("version", .integer(Int64(version))),
            ("status", .string(status.rawValue)), ("usable", .bool(isUsable)),
            ("scheme", fact?.scheme.map(Json.string)), ("masked", fact?.masked.map(Json.string)),
            ("expiryYear", fact?.expiryYear.map { .integer(Int64($0)) }),
            ("expiryMonth", fact?.expiryMonth.map { .integer(Int64($0)) }),
            ("customer", saved?.customer.map(Json.string)), ("payment", saved?.payment?.json),
            ("account", saved?.account.json), ("savedAt", savedAt?.json), ("uses", .integer(uses)),
            ("lastUsedAt", lastUsedAt?.json), ("ended", shownEnd), ("removedAt", removedAt?.json),
            ("removal", removed.map { _ in shownRemoval }), ("mandate", shownMandate), ("listing", shownListing),
        ])
    }

    private var shownMandate: Json? {
        mandate.map { mandate in
            .compact([
                ("endsAt", mandate.endsAt?.json), ("days", .integer(mandate.days)), ("chargedAt", chargedAt?.json),
            ])
        }
    }

    /// The provider's last word about keeping it.
    private var shownListing: Json? {
        guard openCheck == nil else { return ["is": "asked"] }
        guard let listing else { return nil }
        return .compact([("is", listing.answer.json["is"]), ("at", listing.at.json)])
    }

    private var shownEnd: Json? {
        guard let ended = ended?.json else { return nil }
        return .compact([("at", endedAt?.json), ("because", ended["is"]), ("code", ended["code"])])
    }

    private static func shown(remover: String) -> String {
        remover == payer || remover == provider ? remover : "merchant"
    }

    /// Who removed it, and whether the provider has forgotten it, too.
    private var shownRemoval: Json {
        let atProvider = removal?.word ?? (requests.isEmpty ? RemovalEnd.notSupported.word : "asked")
        return .compact([
            ("by", removed.map { .string(Self.shown(remover: $0.by)) }),
            ("atProvider", .string(atProvider)), ("code", removal?.code.map(Json.string)),
        ])
    }
}
