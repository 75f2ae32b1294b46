/// Reads the feed on from a checkpoint: reads, hands over, saves, event by event.
///
/// Each event is handed over at least once. After a crash between handing over and saving, that one event comes again; every
/// other that was handled does not. An error of the handler ends the reading, and the event comes again at the next start.
public struct FeedReader: Sendable {
    public typealias Handler = @Sendable (Event) async throws -> Void

    let events: Events
    let filter: EventFilter
    let checkpoint: any Checkpoint
    /// How long the daemon holds an empty answer back.
    public var wait = Duration.seconds(25)

    /// Reads until the task is cancelled, or the handler or the daemon says no; a daemon that is away is asked on.
    public func run(_ handle: Handler) async throws {
        while true {
            try Task.checkCancellation()
            let position = try await checkpoint.read()
            let page: Page<Event>
            do {
                page = try await events.page(after: position.cursor, filter, wait: wait)
            } catch {
                guard error.isPassing else { throw error }
                try await Task.sleep(for: .seconds(1))
                continue
            }
            // An error of the handler is none of the feed's, whatever it is.
            try await take(page, position, handle)
        }
    }

    /// Reads what there is now, and returns at the end of the feed.
    public func catchUp(_ handle: Handler) async throws {
        while true {
            let position = try await checkpoint.read()
            let page = try await events.page(after: position.cursor, filter, wait: .zero)
            guard try await take(page, position, handle) else { return }
        }
    }

    /// Hands a page over; tells whether more is there already.
    @discardableResult
    private func take(_ page: Page<Event>, _ position: FeedPosition, _ handle: Handler) async throws -> Bool {
        var position = position
        var handled = Set(position.handled)
        for event in page.items where handled.insert(event.id).inserted {
            try await handle(event)
            position.handled.append(event.id)
            try await checkpoint.save(position)
        }
        guard let next = page.next, next != position.cursor else { return false }
        try await checkpoint.save(FeedPosition(cursor: next))
        return page.hasMore ?? !page.items.isEmpty
    }
}
