import Http
import HttpClient
import Kernel
import Payments
import SystemKit

/// Payments that are lived through at a daemon and the sandbox: create, 3-D Secure, authorised, captured, projected.
///
/// One reader looks into the read model for every client at once: that asks nothing of the daemon, and of the database only what
/// clients wait for, however many payments there are.
final class Lifecycles: Sendable {
    let node: BenchNode
    private let view = Locked(View())
    private static let patience = Duration.seconds(30)
    private static let pause = Duration.milliseconds(5)
    /// The sandbox runs a 3-D Secure challenge by itself for this amount.
    private static let challengedCents: Int64 = 7711

    private struct View {
        var waiting: [PaymentId: Waiting] = [:]
        /// When a payment moved, or somebody began to wait for one.
        var lastMove = ContinuousClock.now
        var isOver = false
    }

    private struct Waiting {
        let status: String
        /// What it was at the last look.
        var last = "unknown"
        let resume: CheckedContinuation<String?, Never>
    }

    private init(_ node: BenchNode) { self.node = node }

    /// Follows the read model while `body` lasts.
    static func with<Value: Sendable>(
        _ node: BenchNode,
        _ body: @Sendable (Lifecycles) async throws -> Value
    ) async throws -> Value {
        let lifecycles = Lifecycles(node)
        let following = Task { await lifecycles.follow() }
        defer { following.cancel() }
        return try await body(lifecycles)
    }

    /// One payment from its creation to its capture in the read model; `other` is another daemon of the same database.
    @discardableResult
    func live(_ key: String, _ client: Int, on other: BenchNode? = nil) async throws -> PaymentId {
        let id = try await authorize(key, client, on: other)
        try await (other ?? node).expect(
            200,
            .post,
            "/v1/payments/\(id)/capture",
            [:],
            client: client,
            key: key + "-capture"
        )
        try await wait(for: id, to: .captured)
        return id
    }

    /// One payment from its creation to its hold in the read model.
    func authorize(_ key: String, _ client: Int, on other: BenchNode? = nil) async throws -> PaymentId {
        let node = other ?? node
        let id = try await node.create(key, client: client, mode: "authorize", cents: Self.challengedCents)
        let action = try await node.expect(200, .get, "/v1/payments/\(id)/next-action", nil, client: client)
        guard let url = action.json["url"]?.text else { throw CommandFailure("\(id) has no next action") }
        let page = OutgoingRequest(method: .get, url: url, deadline: .seconds(30))
        let answer = try await BenchNode.answer(node.client.send(page), to: "page")
        guard [200, 303].contains(answer.status) else { throw CommandFailure("page: \(answer.status)") }
        try await wait(for: id, to: .authorized)
        return id
    }

    // MARK: The read model

    /// Looks again and again, until the task is cancelled.
    private func follow() async {
        while !Task.isCancelled {
            let ids = view.withLock { Array($0.waiting.keys) }
            guard let rows = try? await node.viewStatuses(of: ids) else { break }
            saw(rows)
            try? await Task.sleep(for: Self.pause)
        }
        giveUp(isOver: true)
    }

    private func saw(_ rows: [(id: PaymentId, status: String)]) {
        let now = ContinuousClock.now
        let (reached, isQuiet) = view.withLock { view in
            var reached: [Waiting] = []
            for (id, status) in rows {
                guard let known = view.waiting[id], known.last != status else { continue }
                view.lastMove = now
                view.waiting[id]?.last = status
                guard known.status == status, let waiting = view.waiting.removeValue(forKey: id) else { continue }
                reached.append(waiting)
            }
            return (reached, !view.waiting.isEmpty && now - view.lastMove > Self.patience)
        }
        for waiting in reached { waiting.resume.resume(returning: nil) }
        if isQuiet { giveUp(isOver: false) }
    }

    /// Lets everybody who waits know that it is in vain.
    private func giveUp(isOver: Bool) {
        let waiting = view.withLock { view in
            view.isOver = isOver
            defer { view.waiting = [:] }
            return view.waiting.values
        }
        for one in waiting { one.resume.resume(returning: one.last) }
    }

    private func wait(for id: PaymentId, to status: PaymentStatus) async throws {
        // What it was seen as last, where it did not come to that.
        let last: String? = await withCheckedContinuation { resume in
            let isOver = view.withLock { view in
                if view.isOver { return true }
                view.waiting[id] = Waiting(status: status.rawValue, resume: resume)
                view.lastMove = .now
                return false
            }
            if isOver { resume.resume(returning: "unknown") }
        }
        if let last { throw CommandFailure("\(id) is \(last), not \(status.rawValue)") }
    }
}
