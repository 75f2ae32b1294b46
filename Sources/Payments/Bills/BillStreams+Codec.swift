package import EventSourcing
package import Kernel

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

    package func write(into out: inout JsonText) {
        switch self {
        case .created(let head, let by, let at):
            out.member("at", at)
            out.member("by", by)
            out.member("head", head)
        case .pageTaken(let page): page.write(into: &out)
        case .submitted(let count, let total, let digest, let at):
            out.member("at", at)
            out.member("count", count)
            out.member("digest", digest)
            out.member("total", total)
        case .priceLicensed(let page, let license):
            out.member("license", license)
            out.member("page", page)
        case .priceObserved(let page, let effect, let outcome):
            out.member("effect", effect)
            out.member("outcome", outcome)
            out.member("page", page)
        case .pagePriced(let page, let commission):
            out.member("commission", commission)
            out.member("page", page)
        case .priceRefused(let page, let reason, let at):
            out.member("at", at)
            out.member("page", page)
            out.member("reason", reason)
        case .chunkMade(let plan): plan.write(into: &out)
        case .chunkReported(let report): report.write(into: &out)
        case .paused(let trouble, let at, let epoch):
            out.member("at", at)
            out.member("epoch", epoch)
            out.member("trouble", trouble)
        case .continued(let credentials, let by, let at):
            out.member("at", at)
            out.member("by", by)
            out.member("credentials", credentials)
        case .rolledUp(let whole, let tally, let at):
            out.member("at", at)
            out.member("tally", tally.json)
            out.member("whole", whole)
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

extension BillEvent {
    package func write(into out: inout JsonText) {
        switch self {
        case .reserved(let reservation, let at):
            out.member("at", at)
            out.member("claim", reservation)
        case .reported(let standing, let chunk, let cause, let at):
            out.member("at", at)
            out.member("cause", cause)
            out.member("chunk", chunk)
            out.member("standing", standing)
        case .resolutionProposed(let resolution, let at):
            out.member("at", at)
            out.member("resolution", resolution)
        case .resolutionApproved(let id, let by, let at):
            out.member("at", at)
            out.member("by", by)
            out.member("id", id)
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        let at = try fields.time("at")
        switch name {
        case .reserved: self = .reserved(try BillReservation(fields.fields("claim")), at: at)
        case .reported:
            self = .reported(
                try BillStanding(fields.fields("standing")),
                chunk: try fields.uuid("chunk"),
                cause: try fields.uuid("cause"),
                at: at
            )
        case .resolutionProposed:
            self = .resolutionProposed(try BillResolution(fields.fields("resolution")), at: at)
        case .resolutionApproved:
            self = .resolutionApproved(try fields.uuid("id"), by: try fields.text("by"), at: at)
        }
    }
}

extension BillCommand {
    package var name: Name {
        switch self {
        case .reserve: .reserve
        case .report: .report
        case .propose: .propose
        case .approve: .approve
        }
    }

    package func write(into out: inout JsonText) {
        switch self {
        case .reserve(let reservation): reservation.write(into: &out)
        case .report(let standing, let chunk):
            out.member("chunk", chunk)
            out.member("standing", standing)
        case .propose(let outcome, let paid, let evidence, let seen):
            out.member("evidence", evidence)
            out.member("outcome", outcome)
            out.member("paid", paid)
            out.member("seenVersion", seen)
        case .approve(let id, let seen):
            out.member("resolution", id)
            out.member("seenVersion", seen)
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        let fields = Fields(json)
        switch name {
        case .reserve: self = .reserve(try BillReservation(fields))
        case .report:
            self = .report(try BillStanding(fields.fields("standing")), chunk: try fields.uuid("chunk"))
        case .propose:
            self = .propose(
                try fields.word("outcome"),
                paid: try fields.optionalMoney("paid"),
                evidence: try fields.text("evidence"),
                seen: try fields.int32("seenVersion")
            )
        case .approve: self = .approve(try fields.uuid("resolution"), seen: try fields.int32("seenVersion"))
        }
    }
}

extension ChunkCommand {
    package var name: Name {
        switch self {
        case .begin: .begin
        case .billAnswered: .billAnswered
        case .billResolved: .billResolved
        }
    }

    package func write(into out: inout JsonText) {
        switch self {
        case .begin(let head): head.write(into: &out)
        case .billAnswered(let bill, let refusal):
            out.member("bill", bill)
            out.member("refusal", refusal)
        case .billResolved(let standing): standing.write(into: &out)
        }
    }

    /// Reads a stored command; a claim is read by the provider's adapter.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        let fields = Fields(json)
        switch name {
        case .begin: self = .begin(try ChunkHead(fields))
        case .billAnswered:
            self = .billAnswered(try fields.text("bill"), refusal: try fields.optionalText("refusal"))
        case .billResolved: self = .billResolved(try BillStanding(fields))
        case .claim: throw CodecFailure("name")
        }
    }
}

extension BillBatchCommand {
    package var name: Name {
        switch self {
        case .create: .create
        case .addPage: .addPage
        case .submit: .submit
        case .chunkReported: .chunkReported
        case .resume: .resume
        }
    }

    /// The stored body; a page's body is its bytes and not this.
    package func write(into out: inout JsonText) {
        switch self {
        case .create(let head): head.write(into: &out)
        case .addPage: break
        case .submit(let count, let total):
            out.member("count", count)
            out.member("total", total)
        case .chunkReported(let report): report.write(into: &out)
        case .resume(let credentials): out.member("credentials", credentials)
        }
    }

    /// Reads a stored command; a page is read from its bytes.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        let fields = Fields(json)
        switch name {
        case .create: self = .create(try BillBatchHead(fields))
        case .submit:
            self = .submit(count: try fields.optionalInt("count"), total: try fields.optionalMoney("total"))
        case .chunkReported: self = .chunkReported(try ChunkReport(fields))
        case .resume: self = .resume(credentials: try fields.optionalId("credentials"))
        case .addPage: throw CodecFailure("name")
        }
    }
}
