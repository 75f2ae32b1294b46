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
package struct BillLimits: Hashable, Sendable, JsonWritable {
    package let billsPerChunk: Int
    package let chunksInFlight: Int
    /// Between two chunks of a batch at least.
    package let spacing: Duration

    package init(billsPerChunk: Int, chunksInFlight: Int, spacing: Duration) {
        self.billsPerChunk = billsPerChunk
        self.chunksInFlight = chunksInFlight
        self.spacing = spacing
    }

    package func write(into out: inout JsonText) {
        out.member("billsPerChunk", billsPerChunk)
        out.member("chunksInFlight", chunksInFlight)
        out.member("spacingMs", spacing.components.seconds * 1000 + spacing.components.attoseconds / Self.attoPerMs)
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
package struct BillBatchHead: Hashable, Sendable, JsonWritable {
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

    package func write(into out: inout JsonText) {
        out.member("account", account)
        out.member("byWallet", isByWallet)
        out.member("credentials", credentials)
        out.member("currency", currency.code)
        out.member("customer", customer)
        out.member("instrument", instrument)
        out.member("limits", limits)
        out.member("mode", mode)
        out.member("priced", isPriced)
        out.member("reference", reference)
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
package struct BillPageFacts: Hashable, Sendable, JsonWritable {
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

    package func write(into out: inout JsonText) {
        out.member("count", count)
        out.member("digest", digest)
        out.member("input", input)
        out.member("number", number)
        out.member("total", total)
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
package struct ChunkPlan: Hashable, Sendable, JsonWritable {
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

    package func write(into out: inout JsonText) {
        out.member("chunk", chunk)
        if case .slice(let page, let offset, let count) = bills {
            out.member("count", count)
            out.member("notBefore", notBefore)
            out.member("number", number)
            out.member("offset", offset)
            out.member("page", page)
        }
        if case .lines(let lines) = bills {
            out.member("lines", lines)
            out.member("notBefore", notBefore)
            out.member("number", number)
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
package struct ChunkReport: Hashable, Sendable, JsonWritable {
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

    package func write(into out: inout JsonText) {
        out.member("chunk", chunk)
        out.member("remaining", listing: remaining) { $0.write(into: &$1) }
        out.member("settled", isSettled)
        out.member("tally", tally.json)
        out.member("trouble", trouble)
        out.member("waitsFor", waitsFor)
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
