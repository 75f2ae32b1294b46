import Glibc
import Http
import Kernel
import SystemKit
import Testing

/// A daemon that is replaced while payments go on: nobody has to look at anything afterwards.
@Suite(.timeLimit(.minutes(4)), .serialized)
struct DeployTests {
    private static let clients = 4
    private static let deploys = 4

    @Test func `deploys under load make no operator task and leave nothing in doubt`() async throws {
        try await Stage.run("deploy") { stage, first in
            let isOver = Locked(false)
            let bought = Locked(0)
            let ids = try await withThrowingTaskGroup(of: [String].self) { group in
                for client in 0..<Self.clients {
                    group.addTask { try await Self.buy(stage, first, client, bought, until: isOver) }
                }
                var daemon = first
                for deploy in 1...Self.deploys {
                    try await stage.until("payments between two deploys") {
                        let count = bought.withLock { $0 }
                        return count >= deploy * Self.clients ? .done(()) : .notYet("\(count)")
                    }
                    #expect(try await stage.end(daemon, SIGTERM) == .exited(0))
                    #expect(try await stage.count("paystream.effect WHERE state IN (1, 2)") == 0)
                    daemon = try await stage.serve(onPortOf: first)
                }
                isOver.withLock { $0 = true }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            print("\(ids.count) payments over \(Self.deploys) deploys")
            for id in ids {
                try await stage.wait(first, id, for: "refunded")
                let entries = try await stage.ledger(try await stage.providerName(first, id))
                #expect(entries == ["charge 7700", "refund 7700"])
            }
            #expect(try await stage.command(["operations", "--operator", "--json"]).isEmpty)
            #expect(try await stage.count("paystream.input WHERE name = 'effect.no_answer'") == 0)
            #expect(try await stage.count("paystream.quarantine") == 0)
            try await stage.verifyReplay()
        }
    }

    /// A backend that buys and refunds until it is told to stop, and repeats what got no answer.
    private static func buy(
        _ stage: Stage,
        _ daemon: DaemonProcess,
        _ client: Int,
        _ bought: Locked<Int>,
        until isOver: Locked<Bool>
    ) async throws -> [String] {
        var ids: [String] = []
        while !isOver.withLock({ $0 }) {
            let name = "deploy-\(client)-\(ids.count)"
            let id = try await repeated(name) { try await stage.open(daemon, name, 7700) }
            try await repeated(name) { try await stage.wait(daemon, id, for: "captured") }
            try await repeated(name) {
                try await stage.call(daemon, .post, "/v1/payments/\(id)/refund", [:], key: "\(name)-refund")
            }
            ids.append(id)
            bought.withLock { $0 += 1 }
        }
        return ids
    }

    @discardableResult
    private static func repeated<Value: Sendable>(_ what: String, _ call: () async throws -> Value) async throws
        -> Value
    {
        let deadline = ContinuousClock.now + Stage.patience
        while true {
            do { return try await call() } catch {
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .milliseconds(50))
            }
        }
    }
}
