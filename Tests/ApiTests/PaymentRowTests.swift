import EventSourcing
import Http
import Kernel
import Payments
import Projections
import TestKit
import Testing

/// The read model's row as a function of the stream.
@Suite struct PaymentRowTests {
    @Test func `a follower in any pages ends with the rows of a rebuild`() async throws {
        try await ApiHarness.run { api throws in
            for number in 0..<4 {
                let id = try await api.paid(key: "paid-\(number)")
                let body: Json = ["amount": ["value": 5, "currency": "EUR"]]
                try await api.post("/v1/payments/\(id)/disputes", body, key: "dispute-\(number)")
                _ = try await api.create(key: "open-\(number)")
            }
            let log = try await api.store.events(after: 0, limit: .max).rows.filter { $0.stream.kind == .payment }
            let rebuilt = Self.follow(log, page: log.count)
            #expect(rebuilt.count == 8)
            for page in [1, 2, 3, 7] { #expect(Self.follow(log, page: page) == rebuilt) }
            for row in rebuilt.values {
                #expect(row.position == log.last { $0.stream.id == row.id.uuid }?.position)
                #expect(try Json(row.document)["status"] == .string(row.status.rawValue))
            }
        }
    }

    @Test func `movements in any pages are the same, each once, and sum to what the payment shows`() async throws {
        try await ApiHarness.run { api throws in
            for number in 0..<3 {
                let id = try await api.paid(key: "paid-\(number)")
                let part: Json = ["amount": ["value": 5, "currency": "EUR"]]
                try await api.post("/v1/payments/\(id)/disputes", part, key: "dispute-\(number)")
                let dispute = try await api.payment(id).disputes.keys.first.map { "\($0)" } ?? ""
                try await api.post("/v1/payments/\(id)/disputes/\(dispute)/lost", key: "lost-\(number)").expect(
                    200
                )
                let shown = try await api.send(.get, "/v1/payments/\(id)").json
                #expect(shown["status"] == "chargedBack", "a part of it is lost")
            }
            let log = try await api.store.events(after: 0, limit: .max).rows.filter { $0.stream.kind == .payment }
            for (stream, history) in Dictionary(grouping: log, by: \.stream) {
                let events = try history.map { try PaymentEvent($0) }
                let all = try Self.movements(stream, history)
                let amounts = Payment.fold(PaymentId(stream.id), events).amounts
                #expect(all.filter { $0.kind == .captured }.reduce(0) { $0 + $1.amount.minor } == amounts.captured)
                #expect(
                    all.filter { $0.kind == .disputeLost }.reduce(0) { $0 + $1.amount.minor } == amounts.chargedBack
                )
                #expect(amounts.chargedBack == 5)
                for page in [1, 2, 3, 7] {
                    var paged: [Movement] = []
                    for start in stride(from: 0, to: history.count, by: page) {
                        let end = min(start + page, history.count)
                        let known = Array(history[..<end])
                        paged += try Self.movements(stream, known, behind: history[start].version - 1)
                    }
                    #expect(paged == all)
                }
            }
        }
    }

    /// The movements of a stream behind a version, as the read model finds them.
    private static func movements(_ stream: StreamName, _ history: [RecordedEvent], behind version: Int32 = 0) throws
        -> [Movement]
    {
        var found: [Movement] = []
        _ = try FoldCache().fold(stream, History(history), behind: version) { event, before, after in
            found += Movement.all(event, from: before, to: after)
        }
        return found
    }

    /// Applies the log page by page, each row from its stream up to the page's last event of it.
    private static func follow(_ log: [RecordedEvent], page: Int) -> [StreamName: PaymentRow] {
        var rows: [StreamName: PaymentRow] = [:]
        for start in stride(from: 0, to: log.count, by: page) {
            for event in log[start..<min(start + page, log.count)] {
                let history = log.filter { $0.stream == event.stream && $0.version <= event.version }
                let events = history.compactMap { try? PaymentEvent($0) }
                guard let first = history.first, events.count == history.count else { continue }
                let payment = Payment.fold(PaymentId(event.stream.id), events)
                rows[event.stream] = PaymentRow(payment, first: first, last: event)
            }
        }
        return rows
    }

    @Test func `a stream without a creation has no row`() {
        let id = PaymentId(Uuid(high: 1, low: 1))
        let event = RecordedEvent(
            stream: StreamName(MerchantNumber(1), .payment, id.uuid),
            version: 0,
            position: 1,
            type: "none",
            cause: id.uuid,
            recordedAt: .epoch,
            data: []
        )
        #expect(PaymentRow(Payment(id: id), first: event, last: event) == nil)
    }

    @Test func `a cursor reads what it wrote and nothing else`() throws {
        try forAll(runs: 200, seed: 5) { random in
            let cursor = PageCursor(
                createdAt: Timestamp(microseconds: Int64.random(in: .min ... .max, using: &random)),
                id: Uuid(high: random.next(), low: random.next())
            )
            guard PageCursor(bytes: cursor.bytes) == cursor else { throw HarnessFailure(what: "\(cursor.bytes)") }
            guard PageCursor(bytes: cursor.bytes.dropLast()) == nil, PageCursor(bytes: cursor.bytes + [0]) == nil else {
                throw HarnessFailure(what: "a cursor of another length")
            }
        }
        #expect(PageCursor(bytes: []) == nil)
    }
}
