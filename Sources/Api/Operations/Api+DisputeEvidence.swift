import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Projections

/// Files about disputes: kept sealed beside the log, read by whoever may audit, each reading recorded.
extension Api {
    private static let evidenceTypes = ["application/pdf", "image/png", "image/jpeg", "text/plain"]
    static let accessToEvidence = "dispute_evidence"

    /// Keeps a file about an open dispute; the same file again is the same.
    func addDisputeEvidence(_ call: Call) async throws(Problem) -> HttpResponse {
        let (payment, dispute) = try await disputeInPath(call)
        var form = try QueryForm(call.query)
        guard let name = try form.text("name", bytes: Limits.identifierBytes) else {
            throw Problem(.queryInvalid, "Name the file, as receipt.pdf.", path: "name")
        }
        try form.end()
        guard dispute.stage == .opened else {
            throw Problem(status: 422, code: Rejection.Code.disputeClosed.rawValue, detail: "The dispute has ended.")
        }
        guard let type = call.headers.mediaType,
            let known = Self.evidenceTypes.first(where: { HttpHeaders.isSame($0, type) })
        else {
            throw Problem(
                .mediaTypeUnsupported,
                "The body is one of \(Self.evidenceTypes.joined(separator: ", ")).",
                path: "Content-Type"
            )
        }
        let bytes = try await evidence(call.upload)
        guard CardGuard.scan(bytes: bytes).isEmpty else {
            throw Problem(.cardDataRefused, "Card data does not enter here.", path: "body")
        }
        let sealed = try await sealed(name, bytes, of: payment, call)
        let evidence = DisputeEvidence(
            id: random.uuid(at: now),
            dispute: dispute.id,
            digest: Digest.sha256(bytes),
            mediaType: known,
            bytes: bytes.count,
            name: sealed["name"] ?? .null,
            addedAt: now,
            addedBy: call.actor.id
        )
        let content = sealed["content"] ?? .null
        let kept = try await asked { () async throws(StoreFailure) in
            try await reader.tables.keep(evidence, content: content, of: call.merchant)
        }
        guard let kept else {
            throw Problem(.tooMany, "At most \(DisputeEvidence.perDispute) files about a dispute.", path: "body")
        }
        return .json(kept.id == evidence.id ? 201 : 200, try await shown(kept, call))
    }

    func listDisputeEvidence(_ call: Call) async throws(Problem) -> HttpResponse {
        let (_, dispute) = try await disputeInPath(call)
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.evidence(of: dispute.id, call.merchant)
        }
        var items: [Json] = []
        for evidence in found { items.append(try await shown(evidence, call)) }
        return Self.page(items, next: nil)
    }

    /// Shows a file with its content, unless its payer was forgotten; that it was read is recorded.
    func readDisputeEvidence(_ call: Call) async throws(Problem) -> HttpResponse {
        let (payment, dispute) = try await disputeInPath(call)
        let unknown = Problem(.evidenceUnknown, "The dispute has no such file.")
        guard let id = call.path["evidence"].flatMap({ Uuid($0) }) else { throw unknown }
        try takeFile(call)
        defer { uploads.release(call.merchant) }
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.evidence(id, of: dispute.id, call.merchant)
        }
        guard let found else { throw unknown }
        try await recordAccess(Self.accessToEvidence, call.stream(of: payment.id), call)
        guard case .object(var members) = try await shown(found.evidence, call) else { throw unknown }
        members["content"] = try await opened(found.content, call)
        return .json(200, .object(members))
    }

    private func disputeInPath(_ call: Call) async throws(Problem) -> (Payment, Dispute) {
        let payment = try await snapshot(try call.paymentId(), call).payment
        guard let id = call.path["dispute"].flatMap({ DisputeId($0) }), let dispute = payment.disputes[id] else {
            throw Problem(.disputeUnknown, "There is no such dispute.")
        }
        return (payment, dispute)
    }

    func evidence(_ reader: any BodyReader) async throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(BodyFailure) {
            while let piece = try await reader.next() {
                bytes += piece
                guard bytes.count <= Limits.evidenceFileBytes else { throw BodyFailure(.tooLarge) }
            }
        } catch {
            switch error.code {
            case .cut: throw Problem(.uploadCut, "The upload ended early; nothing of it was kept.")
            case .tooLarge: throw Problem(.bodyTooLarge, "At most \(Limits.evidenceFileBytes) bytes.")
            }
        }
        guard !bytes.isEmpty else { throw Problem(.bodyMissing, "The file is empty.") }
        return bytes
    }

    /// Name and content under the key of the payment's payer.
    private func sealed(_ name: String, _ bytes: [UInt8], of payment: Payment, _ call: Call) async throws(Problem)
        -> Json
    {
        let subject = PayerSubject.of(
            customer: payment.terms?.customer,
            payment: payment.id.uuid,
            merchant: call.merchant
        )
        do throws(VaultFailure) {
            return try await vault.seal(
                ["content": .string(Base64.encode(bytes)), "name": .string(name)],
                paths: ["content", "name"],
                subject: subject,
                merchant: call.merchant
            )
        } catch {
            guard error.code == .erased else { throw .unavailable(error.detail) }
            throw Problem(
                status: 422,
                code: .personalDataErased,
                "The payer's data were erased; nothing is kept of them."
            )
        }
    }

    /// What a sealed value says; `nil` where its payer was forgotten.
    private func opened(_ value: Json, _ call: Call) async throws(Problem) -> Json? {
        do throws(VaultFailure) { return try await vault.open(["value": value], merchant: call.merchant)[value] } catch
        {
            throw .unavailable(error.detail)
        }
    }

    private func shown(_ evidence: DisputeEvidence, _ call: Call) async throws(Problem) -> Json {
        let name = try await opened(evidence.name, call)
        return .compact([
            ("id", .string(evidence.id.compact)), ("object", "disputeEvidence"), ("dispute", evidence.dispute.json),
            ("name", name), ("type", .string(evidence.mediaType)),
            ("bytes", .integer(Int64(evidence.bytes))), ("digest", .string(Hex.encode(evidence.digest))),
            ("addedAt", evidence.addedAt.json), ("addedBy", .string(evidence.addedBy)),
        ])
    }
}

/// Schemas of files about disputes.
enum DisputeEvidenceSchemas {
    static let all: [(String, Json)] = [
        ("DisputeEvidence", evidence([])), ("DisputeEvidencePage", Schema.page(Schema.ref("DisputeEvidence"))),
        ("DisputeEvidenceContent", evidence([("content", Schema.text("The file, in base64."))])),
    ]

    static let body = Body.raw(
        "application/octet-stream",
        ["type": "string", "format": "binary"],
        "The file: application/pdf, image/png, image/jpeg or text/plain, told by Content-Type or by its content."
    )

    private static func evidence(_ more: [(String, Json)]) -> Json {
        Schema.object(
            [
                ("id", Schema.pattern("^[0-9a-f]{32}$")), ("object", ["type": "string", "const": "disputeEvidence"]),
                ("dispute", Schema.id("dsp")), ("name", Schema.text()), ("type", Schema.text()),
                ("bytes", Schema.integer(from: 1)), ("digest", Schema.pattern("^[0-9a-f]{64}$")),
                ("addedAt", Schema.time), ("addedBy", Schema.text()),
            ] + more,
            required: ["id", "object", "dispute", "type", "bytes", "digest", "addedAt", "addedBy"],
            "A file about a dispute. Its name and its content go with the payer's key."
        )
    }
}
