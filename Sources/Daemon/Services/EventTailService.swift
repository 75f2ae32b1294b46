import Api
import Engine
import EventSourcing
import Store

/// Looks for events that readers of the feed wait for, whichever node wrote them; nobody is asked while nobody waits.
struct EventTailService: Service {
    let tail: EventTail
    let feed: EventFeed

    let name = "event tail"
    let rest = Duration.seconds(5)
    var signal: Signal { tail.signal }

    /// Between two looks; an event of this node's own rings earlier.
    private static let pause = Duration.milliseconds(50)

    func runOnce() async throws(StoreFailure) -> Int {
        let merchants = tail.merchants
        guard !merchants.isEmpty else { return 0 }
        tail.noted(try await feed.newest(of: merchants))
        await signal.wait(atMost: Self.pause)
        return merchants.count
    }
}
