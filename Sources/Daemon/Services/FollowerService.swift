import Engine
import EventSourcing
import Kernel
import Store

/// Keeps a read model behind the log.
struct FollowerService: Service {
    private let view: any FollowedView
    let rest: Duration
    let signal: Signal
    private let isRung: Bool
    /// Rung behind what was written.
    private let heard: Signal?

    /// Follows as often as its signal is given; without one it looks now and then.
    init(_ view: any FollowedView, rungBy signal: Signal? = nil, telling heard: Signal? = nil) {
        self.view = view
        self.signal = signal ?? Signal()
        isRung = signal != nil
        self.heard = heard
        rest = signal == nil ? .milliseconds(200) : .milliseconds(250)
    }

    var name: String { "read model \(view.follower.name)" }

    /// Reads a page.
    ///
    /// Events gather for a moment, because a page costs as much as its first event. A page without any costs the same: whoever rang
    /// wrote for another view.
    func runOnce() async throws(StoreFailure) -> Int {
        let read = try await view.followOnce()
        if read > 0 { heard?.ring() }
        guard isRung else { return read < ViewFollower.page ? 0 : read }
        if read < ViewFollower.page { try? await Task.sleep(for: Self.gathering) }
        return read
    }

    private static let gathering = Duration.milliseconds(25)
}
