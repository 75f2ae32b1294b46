import EventSourcing
import Http
import Kernel
import Projections

extension Api {
    /// How often a stream says that it lives.
    static let heartbeat = Duration.seconds(10)
    /// How often whoever reads on looks whether its key still holds; keys are known for two seconds at most.
    static let keyCheck = Duration.milliseconds(500)
    /// Between two pages that nothing of the log fitted.
    private static let breath = Duration.milliseconds(50)
    /// How long a stream waits where the database can't be asked.
    private static let patience = Duration.seconds(1)
    /// So long a client waits before it comes again, in milliseconds.
    private static let reconnection = 1000

    /// Everything from a page on as server-sent events, whose ids are cursors.
    func stream(_ asked: EventQuestion, from first: EventPage, _ call: Call) throws(Problem) -> HttpResponse {
        guard let place = StreamPlace(streams, call.merchant) else {
            throw .tooMany(.seconds(5), "This merchant has as many streams of events open as it may.")
        }
        var answer = HttpResponse(status: 200, contentType: "text/event-stream", body: [])
        let token = token(of: call)
        answer.stream = ResponseStream { sink in
            let writing = Task {
                await tell(asked.query, first, to: sink, call.merchant, token)
                place.giveBack()
                sink.end()
            }
            return { writing.cancel() }
        }
        // A proxy that gathers answers would hold events back.
        return answer.with("X-Accel-Buffering", "no")
    }

    private func tell(
        _ asked: EventQuery,
        _ first: EventPage,
        to sink: any StreamSink,
        _ merchant: MerchantNumber,
        _ token: Secret?
    ) async {
        var (query, page) = (asked, first)
        guard await sink.take(Array("retry: \(Self.reconnection)\n\n".utf8)) else { return }
        var (beat, checked) = (ContinuousClock.now, ContinuousClock.now)
        while !Task.isCancelled {
            let cursor = EventCursor(merchant: merchant, position: page.end, epoch: page.epoch)
            let isMoved = query.after != page.end
            (query.after, query.epoch) = (page.end, page.epoch)
            var piece = frames(page, merchant)
            if page.rows.last?.position != page.end, isMoved { piece += Array("id: \(cursor.text(keys))\n\n".utf8) }
            if !piece.isEmpty {
                guard await sink.take(piece) else { return }
            }
            if page.hasMore {
                // Who looks for what is rare leaves the database to others now and then.
                if page.rows.isEmpty { try? await Task.sleep(for: Self.breath) }
                if checked.duration(to: .now) >= Self.keyCheck {
                    checked = .now
                    guard await isGood(token) else { return }
                }
            } else {
                guard await wait(for: merchant, behind: page.end, token, until: beat + Self.heartbeat) else { return }
                checked = .now
            }
            guard !tail.isClosed else { return }
            if beat.duration(to: .now) >= Self.heartbeat {
                beat = .now
                guard await sink.take(Array(": \n\n".utf8)) else { return }
            }
            do throws(Problem) { page = try await events(query, merchant) } catch {
                guard error.status == 503 else {
                    _ = await sink.take(Array("event: problem\ndata: ".utf8) + error.advised.response.body + Self.end)
                    return
                }
                // The database is away: what comes later is told later.
                try? await Task.sleep(for: Self.patience)
                page = EventPage(
                    rows: [],
                    end: query.after ?? .beginning,
                    newest: query.after ?? .beginning,
                    log: page.log,
                    epoch: page.epoch,
                    kept: nil
                )
            }
        }
    }

    private static let end = Array("\n\n".utf8)

    /// Waits for an event until a moment; false where the key that it was begun with holds no more.
    func wait(
        for merchant: MerchantNumber,
        behind position: EventPosition,
        _ token: Secret?,
        until end: ContinuousClock.Instant
    ) async -> Bool {
        while !tail.isClosed, !Task.isCancelled {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { break }
            let isThere = await tail.wait(for: merchant, behind: position, atMost: min(left, Self.keyCheck))
            guard await isGood(token) else { return false }
            if isThere { break }
        }
        return true
    }

    /// The key of a call.
    func token(of call: Call) -> Secret? { call.headers.all("Authorization").first.flatMap { bearer($0) } }

    /// Whether the key that a reader began with still holds, as far as that can be told now.
    private func isGood(_ token: Secret?) async -> Bool {
        guard let token else { return true }
        do throws(Problem) { return try await caller(of: token)?.scopes.contains(.read) ?? false } catch { return true }
    }

    /// An event is one line of data: its JSON has no line ends.
    private func frames(_ page: EventPage, _ merchant: MerchantNumber) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(page.rows.reduce(0) { $0 + $1.body.count + 128 })
        for row in page.rows {
            let id = EventCursor(merchant: merchant, position: row.position, epoch: page.epoch).text(keys)
            bytes += Array("id: \(id)\ndata: ".utf8)
            bytes += row.body
            bytes += Self.end
        }
        return bytes
    }
}

extension StreamSink {
    /// Hands a piece over once there is room for it; false where it is not.
    fileprivate func take(_ piece: [UInt8]) async -> Bool {
        await withCheckedContinuation { continuation in send(piece) { continuation.resume(returning: $0) } }
    }
}

/// A merchant's place among the streams of a node; given back once, at the latest with this value.
private final class StreamPlace: Sendable {
    private let places: RequestPlaces
    private let merchant: MerchantNumber
    private let isLeft = Locked(false)

    init?(_ places: RequestPlaces, _ merchant: MerchantNumber) {
        guard places.take(merchant) else { return nil }
        self.places = places
        self.merchant = merchant
    }

    func giveBack() {
        let isFirst = isLeft.withLock { left in
            defer { left = true }
            return !left
        }
        if isFirst { places.release(merchant) }
    }

    deinit { giveBack() }
}
