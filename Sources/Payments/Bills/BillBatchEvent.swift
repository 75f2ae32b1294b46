package import EventSourcing
package import Kernel

/// Who charges the bills of a batch.
package enum BillMode: String, Hashable, Sendable, CaseIterable {
    /// We do, unattended, by a saved card.
    case serverToken
    /// The payer's app does.
    case sdk
}

/// How bills may be sent to a provider.
package struct BillLimits: Hashable, Sendable {
    package let billsPerChunk: Int
    package let chunksInFlight: Int
    /// Between two chunks of a batch at least.
    package let spacing: Duration

    package init(billsPerChunk: Int, chunksInFlight: Int, spacing: Duration) {
        self.billsPerChunk = billsPerChunk
        self.chunksInFlight = chunksInFlight
        self.spacing = spacing
    }

    package var json: Json {
        [
            "billsPerChunk": .integer(Int64(billsPerChunk)), "chunksInFlight": .integer(Int64(chunksInFlight)),
            "spacingMs": .integer(spacing.components.seconds * 1000 + spacing.components.attoseconds / Self.attoPerMs),
        ]
    }

    private static let attoPerMs: Int64 = 1_000_000_000_000_000

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            billsPerChunk: try fields.int("billsPerChunk"),
            chunksInFlight: try fields.int("chunksInFlight"),
            spacing: .milliseconds(try fields.integer("spacingMs"))
        )
    }
}

/// The identity of a batch, fixed when it is made.
package struct BillBatchHead: Hashable, Sendable {
    package let account: Uuid
    package let mode: BillMode
    package let currency: Currency
    /// The saved card; the app may bring one of its own.
    package let instrument: InstrumentId?
    /// The saved credential that stands for the user's password.
    package let credentials: InstrumentId
    /// The payer at the merchant, as the merchant calls them.
    package let customer: String?
    /// The merchant's own name of the batch.
    package let reference: String?
    /// Whether all bills are priced before any is paid.
    package let isPriced: Bool
    /// The app pays by the device's wallet, which takes one bill.
    package let isByWallet: Bool
    package let limits: BillLimits

    package init(
        account: Uuid,
        mode: BillMode,
        currency: Currency,
        instrument: InstrumentId?,
        credentials: InstrumentId,
        customer: String?,
        reference: String?,
        isPriced: Bool,
        isByWallet: Bool,
        limits: BillLimits
    ) {
        self.account = account
        self.mode = mode
        self.currency = currency
        self.instrument = instrument
        self.credentials = credentials
        self.customer = customer
        self.reference = reference
        self.isPriced = isPriced
        self.isByWallet = isByWallet
        self.limits = limits
    }

    package var json: Json {
        .compact([
            ("account", account.json), ("byWallet", .bool(isByWallet)), ("credentials", credentials.json),
            ("currency", .string(currency.code)), ("customer", customer.map(Json.string)),
            ("instrument", instrument?.json), ("limits", limits.json), ("mode", .string(mode.rawValue)),
            ("priced", .bool(isPriced)), ("reference", reference.map(Json.string)),
        ])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        guard let currency = Currency(try fields.text("currency")) else { throw CodecFailure("currency") }
        self.init(
            account: try fields.uuid("account"),
            mode: try fields.word("mode"),
            currency: currency,
            instrument: try fields.optionalId("instrument"),
            credentials: try fields.id("credentials"),
            customer: try fields.optionalText("customer"),
            reference: try fields.optionalText("reference"),
            isPriced: try fields.flag("priced"),
            isByWallet: try fields.flag("byWallet"),
            limits: try BillLimits(fields.fields("limits"))
        )
    }
}

/// A page that was taken: where its bytes are, and what they add up to.
package struct BillPageFacts: Hashable, Sendable {
    package let number: Int
    /// The input that holds the page's bytes.
    package let input: Uuid
    package let count: Int
    /// SHA-256 of the bytes, in lower-case hexadecimal.
    package let digest: String
    package let total: Money

    package init(number: Int, input: Uuid, count: Int, digest: String, total: Money) {
        self.number = number
        self.input = input
        self.count = count
        self.digest = digest
        self.total = total
    }

    package var json: Json {
        [
            "count": .integer(Int64(count)), "digest": .string(digest), "input": input.json,
            "number": .integer(Int64(number)), "total": total.json,
        ]
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            number: try fields.int("number"),
            input: try fields.uuid("input"),
            count: try fields.int("count"),
            digest: try fields.text("digest"),
            total: try fields.money("total")
        )
    }
}

/// The bills that one message carries, by their place in the upload or, where they are tried again, by themselves.
package struct ChunkPlan: Hashable, Sendable {
    package enum Bills: Hashable, Sendable {
        case slice(page: Int, offset: Int, count: Int)
        case lines([BillLine])
    }

    package let chunk: Uuid
    package let number: Int
    package let bills: Bills
    package let notBefore: Timestamp

    package init(chunk: Uuid, number: Int, bills: Bills, notBefore: Timestamp) {
        self.chunk = chunk
        self.number = number
        self.bills = bills
        self.notBefore = notBefore
    }

    package var json: Json {
        let known: [(String, Json?)] = [
            ("chunk", chunk.json), ("notBefore", notBefore.json), ("number", .integer(Int64(number))),
        ]
        switch bills {
        case .slice(let page, let offset, let count):
            return .compact(
                known + [
                    ("count", .integer(Int64(count))), ("offset", .integer(Int64(offset))),
                    ("page", .integer(Int64(page))),
                ]
            )
        case .lines(let lines): return .compact(known + [("lines", .array(lines.map(\.json)))])
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        let bills: Bills
        if let items = try fields.optional("lines", \.items) {
            bills = .lines(try BillLine.list(items))
        } else {
            bills = .slice(
                page: try fields.int("page"),
                offset: try fields.int("offset"),
                count: try fields.int("count")
            )
        }
        self.init(
            chunk: try fields.uuid("chunk"),
            number: try fields.int("number"),
            bills: bills,
            notBefore: try fields.time("notBefore")
        )
    }
}

extension BillLine {
    static func list(_ items: [Json]) throws(CodecFailure) -> [BillLine] {
        var lines: [BillLine] = []
        for item in items { lines.append(try BillLine(Fields(item))) }
        return lines
    }
}

/// How a chunk stands, told to its batch; the newest counts.
package struct ChunkReport: Hashable, Sendable {
    package let chunk: Uuid
    package let tally: BillTally
    package let isSettled: Bool
    /// The bill whose payer must act.
    package let waitsFor: String?
    /// Bills that the provider did not reach: known to be unpaid, for another chunk.
    package let remaining: [BillLine]
    package let trouble: BillTrouble?

    package init(
        chunk: Uuid,
        tally: BillTally,
        isSettled: Bool,
        waitsFor: String?,
        remaining: [BillLine],
        trouble: BillTrouble?
    ) {
        self.chunk = chunk
        self.tally = tally
        self.isSettled = isSettled
        self.waitsFor = waitsFor
        self.remaining = remaining
        self.trouble = trouble
    }

    package var json: Json {
        .compact([
            ("chunk", chunk.json), ("remaining", remaining.isEmpty ? nil : .array(remaining.map(\.json))),
            ("settled", .bool(isSettled)), ("tally", tally.json),
            ("trouble", (trouble?.rawValue).map(Json.string)), ("waitsFor", waitsFor.map(Json.string)),
        ])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            chunk: try fields.uuid("chunk"),
            tally: try BillTally(fields.fields("tally")),
            isSettled: try fields.flag("settled"),
            waitsFor: try fields.optionalText("waitsFor"),
            remaining: try BillLine.list(try fields.optional("remaining", \.items) ?? []),
            trouble: try fields.has("trouble") ? fields.word("trouble") : nil
        )
    }
}

/// A fact about a batch of bills.
package enum BillBatchEvent: StoredEvent, Hashable {
    case created(BillBatchHead, by: String, at: Timestamp)
    case pageTaken(BillPageFacts)
    /// No page comes any more; the digest covers all of them.
    case submitted(count: Int, total: Money, digest: String, at: Timestamp)
    /// A page's bills are asked for their price.
    case priceLicensed(page: Int, DispatchLicense)
    case priceObserved(page: Int, EffectId, DispatchOutcome)
    case pagePriced(page: Int, commission: Money)
    /// The provider knows no bill of these ids: nothing is paid.
    case priceRefused(page: Int, reason: String, at: Timestamp)
    case chunkMade(ChunkPlan)
    case chunkReported(ChunkReport)
    /// With the recovery epoch that stopped it.
    case paused(BillTrouble, at: Timestamp, epoch: Int32? = nil)
    case continued(credentials: InstrumentId, by: String, at: Timestamp)
    /// Every bill was asked for: how the whole stands now.
    case rolledUp(BillWhole, BillTally, at: Timestamp)

    package enum Name: String, Hashable, Sendable, CaseIterable {
        case created = "bill_batch.created.v1"
        case pageTaken = "bill_batch.page_taken.v1"
        case submitted = "bill_batch.submitted.v1"
        case priceLicensed = "bill_batch.price_licensed.v1"
        case priceObserved = "bill_batch.price_observed.v1"
        case pagePriced = "bill_batch.page_priced.v1"
        case priceRefused = "bill_batch.price_refused.v1"
        case chunkMade = "bill_batch.chunk_made.v1"
        case chunkReported = "bill_batch.chunk_reported.v1"
        case paused = "bill_batch.paused.v1"
        case continued = "bill_batch.continued.v1"
        case rolledUp = "bill_batch.rolled_up.v1"
    }
}

extension BillBatchEvent {
    package var name: Name {
        switch self {
        case .created: .created
        case .pageTaken: .pageTaken
        case .submitted: .submitted
        case .priceLicensed: .priceLicensed
        case .priceObserved: .priceObserved
        case .pagePriced: .pagePriced
        case .priceRefused: .priceRefused
        case .chunkMade: .chunkMade
        case .chunkReported: .chunkReported
        case .paused: .paused
        case .continued: .continued
        case .rolledUp: .rolledUp
        }
    }

    package var json: Json {
        switch self {
        case .created(let head, let by, let at): ["at": at.json, "by": .string(by), "head": head.json]
        case .pageTaken(let page): page.json
        case .submitted(let count, let total, let digest, let at):
            ["at": at.json, "count": .integer(Int64(count)), "digest": .string(digest), "total": total.json]
        case .priceLicensed(let page, let license): ["license": license.json, "page": .integer(Int64(page))]
        case .priceObserved(let page, let effect, let outcome):
            ["effect": effect.json, "outcome": outcome.json, "page": .integer(Int64(page))]
        case .pagePriced(let page, let commission): ["commission": commission.json, "page": .integer(Int64(page))]
        case .priceRefused(let page, let reason, let at):
            ["at": at.json, "page": .integer(Int64(page)), "reason": .string(reason)]
        case .chunkMade(let plan): plan.json
        case .chunkReported(let report): report.json
        case .paused(let trouble, let at, let epoch):
            .compact([
                ("at", at.json), ("epoch", epoch.map { .integer(Int64($0)) }), ("trouble", .string(trouble.rawValue)),
            ])
        case .continued(let credentials, let by, let at):
            ["at": at.json, "by": .string(by), "credentials": credentials.json]
        case .rolledUp(let whole, let tally, let at):
            ["at": at.json, "tally": tally.json, "whole": .string(whole.rawValue)]
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        switch name {
        case .created:
            self = .created(
                try BillBatchHead(fields.fields("head")),
                by: try fields.text("by"),
                at: try fields.time("at")
            )
        case .pageTaken: self = .pageTaken(try BillPageFacts(fields))
        case .submitted:
            self = .submitted(
                count: try fields.int("count"),
                total: try fields.money("total"),
                digest: try fields.text("digest"),
                at: try fields.time("at")
            )
        case .priceLicensed:
            self = .priceLicensed(page: try fields.int("page"), try DispatchLicense(fields.fields("license")))
        case .priceObserved:
            self = .priceObserved(
                page: try fields.int("page"),
                try fields.id("effect"),
                try DispatchOutcome(fields.fields("outcome"))
            )
        case .pagePriced: self = .pagePriced(page: try fields.int("page"), commission: try fields.money("commission"))
        case .priceRefused:
            self = .priceRefused(
                page: try fields.int("page"),
                reason: try fields.text("reason"),
                at: try fields.time("at")
            )
        case .chunkMade: self = .chunkMade(try ChunkPlan(fields))
        case .chunkReported: self = .chunkReported(try ChunkReport(fields))
        case .paused:
            self = .paused(
                try fields.word("trouble"),
                at: try fields.time("at"),
                epoch: try fields.optional("epoch") { $0.integer.flatMap { Int32(exactly: $0) } }
            )
        case .continued:
            self = .continued(
                credentials: try fields.id("credentials"),
                by: try fields.text("by"),
                at: try fields.time("at")
            )
        case .rolledUp:
            self = .rolledUp(
                try fields.word("whole"),
                try BillTally(fields.fields("tally")),
                at: try fields.time("at")
            )
        }
    }
}
