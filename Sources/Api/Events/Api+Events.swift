import EventSourcing
import Http
import Kernel
import Projections

extension Api {
    /// A page of the feed, at once or when something comes; or all that comes, as server-sent events.
    func listEvents(_ call: Call) async throws(Problem) -> HttpResponse {
        let asked = try await question(call)
        if Self.wantsStream(call.headers) {
            let first = try await events(asked.query, call.merchant)
            return try stream(asked, from: first, call)
        }
        guard asked.wait > .zero else {
            return page(try await events(asked.query, call.merchant), call.merchant)
        }
        guard waits.take(call.merchant) else {
            throw .tooMany(.seconds(1), "This merchant has as many requests waiting for events as it may.")
        }
        defer { waits.release(call.merchant) }
        let end = ContinuousClock.now + asked.wait
        let token = token(of: call)
        var query = asked.query
        while true {
            let found = try await events(query, call.merchant)
            // A page that looked at its share of the log and found nothing is an answer: who asked goes on behind it.
            guard found.rows.isEmpty, !found.hasMore, ContinuousClock.now < end, !tail.isClosed, !Task.isCancelled
            else {
                return page(found, call.merchant)
            }
            (query.after, query.epoch) = (found.end, found.epoch)
            guard await wait(for: call.merchant, behind: found.end, token, until: end) else { throw Self.keyGone }
        }
    }

    func getEvent(_ call: Call) async throws(Problem) -> HttpResponse {
        let unknown = Problem(.eventUnknown, "There is no such event.")
        guard let id = call.path["event"].flatMap({ PublicEventId($0) }) else { throw unknown }
        let body = try await asked { () async throws(StoreFailure) in
            try await reader.tables.event(id, of: call.merchant)
        }
        guard let body else { throw unknown }
        return HttpResponse(status: 200, contentType: "application/json", body: body)
    }

    // MARK: What is asked for

    /// What a request for events asks for.
    struct EventQuestion {
        var query: EventQuery
        var wait: Duration
    }

    private func question(_ call: Call) async throws(Problem) -> EventQuestion {
        var form = try QueryForm(call.query)
        var query = EventQuery(after: .beginning)
        let after = try form.text("after")
        if let text = try lastEventId(call) ?? after {
            try begin(&query, text, call.merchant)
        }
        if let text = try form.text("types", bytes: EventFilter.typesBytes) {
            query.types = try EventFilter.types(text)
        }
        if let text = try form.text("resource") {
            let stream = try EventFilter.stream(text, call.merchant)
            let isKnown = try await asked { () async throws(StoreFailure) in
                try await reader.tables.exists(stream)
            }
            guard isKnown else { throw Problem(.resourceUnknown, "There is no such resource.", path: "resource") }
            query.stream = stream
        }
        query.limit = try form.integer("limit", in: 1...EventEndpoints.rows) ?? Limits.pageRows
        let wait = try form.integer("wait", in: 0...Limits.waitSeconds) ?? 0
        try form.end()
        return EventQuestion(query: query, wait: .seconds(wait))
    }

    /// Where a stream that broke off goes on, by the field that browsers send; `after` is where it had begun.
    private func lastEventId(_ call: Call) throws(Problem) -> String? {
        guard Self.wantsStream(call.headers), let id = call.headers["Last-Event-ID"], !id.isEmpty else { return nil }
        try PlainText.checkSought(id, bytes: Limits.identifierBytes, path: "Last-Event-ID")
        return id
    }

    private func begin(_ query: inout EventQuery, _ text: String, _ merchant: MerchantNumber) throws(Problem) {
        guard text != "latest" else { return query.after = nil }
        guard let cursor = EventCursor(text, keys) else {
            throw Problem(
                .cursorInvalid,
                "A cursor is the word that an earlier page of events gave; 'latest' begins now.",
                path: "after"
            )
        }
        guard cursor.merchant == merchant else {
            throw Problem(.cursorForeign, "The cursor belongs to another merchant's events.", path: "after")
        }
        (query.after, query.epoch) = (cursor.position, cursor.epoch)
    }

    private static func wantsStream(_ headers: HttpHeaders) -> Bool {
        headers.all("Accept").flatMap { $0.split(separator: ",") }.contains { range in
            range.split(separator: ";").first.map { HttpHeaders.isSame($0.trimmed, "text/event-stream") } ?? false
        }
    }

    // MARK: Reading

    /// A page of events, unless the log is another than the one that the question knows of.
    func events(_ query: EventQuery, _ merchant: MerchantNumber) async throws(Problem) -> EventPage {
        let page = try await asked { () async throws(StoreFailure) in
            try await reader.tables.events(query, of: merchant)
        }
        guard let after = query.after, let epoch = query.epoch else { return page }
        if let kept = page.kept, kept < after.position {
            let resume = EventCursor(merchant: merchant, position: .end(of: kept), epoch: page.epoch)
            throw Problem(
                .eventsLost,
                "The database was restored: what it had told behind position \(kept) of the log is lost, and this cursor is "
                    + "behind it, at \(after.position).",
                path: "after",
                members: [
                    ("resume", .string(resume.text(keys))), ("position", .integer(kept)),
                    ("epochBegan", page.epoch.json),
                ]
            )
        }
        guard epoch <= page.epoch, after.position <= page.log else {
            throw Problem(
                .cursorAhead,
                "The log has not come to this cursor: it stands at position \(page.log), the cursor at \(after.position).",
                path: "after"
            )
        }
        return page
    }

    private func page(_ page: EventPage, _ merchant: MerchantNumber) -> HttpResponse {
        var body = Array(#"{"items":["#.utf8)
        body.reserveCapacity(page.rows.reduce(256) { $0 + $1.body.count + 1 })
        for (index, row) in page.rows.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += row.body
        }
        let next = EventCursor(merchant: merchant, position: page.end, epoch: page.epoch).text(keys)
        body += Array(#"],"next":"\#(next)","hasMore":\#(page.hasMore)}"#.utf8)
        return HttpResponse(status: 200, contentType: "application/json", body: body)
    }
}
