package import EventSourcing
package import Kernel

extension BillEvent {
    package var json: Json {
        switch self {
        case .reserved(let reservation, let at): ["at": at.json, "claim": reservation.json]
        case .reported(let standing, let chunk, let cause, let at):
            ["at": at.json, "cause": cause.json, "chunk": chunk.json, "standing": standing.json]
        case .resolutionProposed(let resolution, let at): ["at": at.json, "resolution": resolution.json]
        case .resolutionApproved(let id, let by, let at): ["at": at.json, "by": .string(by), "id": id.json]
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

    package var json: Json {
        switch self {
        case .reserve(let reservation): reservation.json
        case .report(let standing, let chunk): ["chunk": chunk.json, "standing": standing.json]
        case .propose(let outcome, let paid, let evidence, let seen):
            .compact([
                ("evidence", .string(evidence)), ("outcome", .string(outcome.rawValue)), ("paid", paid?.json),
                ("seenVersion", .integer(Int64(seen))),
            ])
        case .approve(let id, let seen): ["resolution": id.json, "seenVersion": .integer(Int64(seen))]
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

    package var json: Json {
        switch self {
        case .begin(let head): head.json
        case .billAnswered(let bill, let refusal):
            .compact([("bill", .string(bill)), ("refusal", refusal.map(Json.string))])
        case .billResolved(let standing): standing.json
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
    package var json: Json {
        switch self {
        case .create(let head): head.json
        case .addPage: [:]
        case .submit(let count, let total):
            .compact([("count", count.map { .integer(Int64($0)) }), ("total", total?.json)])
        case .chunkReported(let report): report.json
        case .resume(let credentials): .compact([("credentials", credentials?.json)])
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
