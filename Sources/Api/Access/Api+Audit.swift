import EventSourcing
import Http
import Kernel
import Payments
import Projections
import Telemetry

/// What administrators did: the log's own events.
extension Api {
    func listActs(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        let seal = seal(of: form, call)
        var query = ActQuery()
        query.actor = try form.text("actor")
        query.kind = try form.text("kind", bytes: 101)
        query.from = try Self.moment("from", &form)
        query.to = try Self.moment("before", &form)
        let limit = try form.integer("limit", in: 1...Limits.pageRows) ?? 20
        let cursor = try form.cursor(seal)
        try form.end()
        if let kind = query.kind, !Self.isKind(kind) {
            throw Problem(.queryInvalid, "A kind is written as in account or key.created.v1.", path: "kind")
        }
        query.before = cursor.map { Int64($0.createdAt.microseconds) }
        query.limit = limit + 1
        let asking = query
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.access.acts(asking, of: call.merchant)
        }
        let shown = found.prefix(limit)
        // Positions go on where a page ended, whatever is added before it.
        let next = shown.last.map { PageCursor(createdAt: Timestamp(microseconds: $0.position), id: $0.stream.id) }
        return Self.page(shown.map(Self.act), next: found.count > shown.count ? next.map(seal.text) : nil)
    }

    /// Puts an act into the log whose effect stands in a table of its own.
    ///
    /// It is the same act for the same word, which no client's key can be: it has a space.
    func note(_ act: MerchantCommand, as word: String, _ call: Call) async throws(Problem) {
        _ = try await submit(
            Submission(
                merchant: call.merchant,
                key: word,
                stream: DerivedNames.merchant(call.merchant),
                name: act.name.rawValue,
                body: act.canonical,
                fingerprint: .string(word),
                actor: call.actor,
                account: nil,
                traceparent: call.trace.traceparent,
                correlation: call.correlation
            )
        )
    }

    /// A family, or a name behind its dot: the form that the document gives.
    private static func isKind(_ text: String) -> Bool {
        func isWord(_ byte: UInt8) -> Bool {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
        }
        func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
        guard (1...40).contains(parts[0].count), parts[0].allSatisfy(isWord) else { return false }
        guard parts.count > 1 else { return true }
        return (1...60).contains(parts[1].count)
            && parts[1].allSatisfy { isWord($0) || isDigit($0) || $0 == UInt8(ascii: ".") }
    }

    private static func moment(_ name: String, _ form: inout QueryForm) throws(Problem) -> Timestamp? {
        guard let text = try form.text(name, bytes: 40) else { return nil }
        guard let time = Timestamp(text) else {
            throw Problem(.queryInvalid, "A time is written as in 2026-01-31T12:00:00Z.", path: name)
        }
        return time
    }

    private static func act(_ event: RecordedEvent) -> Json {
        let data = (try? Json(event.data)) ?? [:]
        return [
            "at": event.recordedAt.json, "by": data["by"] ?? "", "data": data.withoutSecrets,
            "id": event.stream.id.json,
            "kind": .string(event.type), "object": "act", "position": .integer(event.position),
            "subject": .string("\(event.stream.kind)"),
        ]
    }
}
