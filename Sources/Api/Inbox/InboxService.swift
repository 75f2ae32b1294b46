package import Engine
package import EventSourcing
import Http
package import Kernel

/// Takes commands that backends enqueued in their own transactions, and makes inputs of them by the API's own rules.
package struct InboxService: Service {
    package let name = "inbox"
    package let rest = Duration.milliseconds(100)
    package let signal = Signal()
    let api: Api
    let clock: @Sendable () -> Timestamp
    private let queue: any WorkQueue
    /// The merchant that was served last.
    private let last = Locked(MerchantNumber(0))

    package init(queue: any WorkQueue, api: Api, clock: @escaping @Sendable () -> Timestamp) {
        self.queue = queue
        self.api = api
        self.clock = clock
    }

    /// Commands of one transaction: they hold a connection while they are read.
    private static let page = 20
    /// How long a command waits for what an earlier one creates.
    private static let patience = Duration.seconds(5)
    private static let awaited = Set(
        [ProblemCode.paymentUnknown, .scheduleUnknown, .disputeUnknown].map(\.rawValue)
    )

    /// Settles one page; answers how many commands left the inbox.
    package func runOnce() async throws(StoreFailure) -> Int {
        let settled = try await queue.takeInbox(limit: Self.page, after: last.withLock { $0 }) { commands in
            if let merchant = commands.last?.merchant { last.withLock { $0 = merchant } }
            var settlements: [InboxSettlement] = []
            var uploads = InboxUploads()
            for command in commands { settlements.append(await settle(command, &uploads)) }
            return settlements
        }
        if settled > 0 { api.engine.notifier.mail.ring() }
        return settled
    }

    /// Admits a command under the code that it is known by, where an older master key made that.
    func admit(_ submission: Submission) async throws(Problem) -> InboxSettlement {
        let (input, macs) = submission.input(api.keys, at: clock())
        do throws(StoreFailure) {
            return .admit(input, commandMac: try await api.engine.commands.mac(of: input, among: macs))
        } catch {
            throw .unavailable(error.detail)
        }
    }

    private func settle(_ command: InboxCommand, _ uploads: inout InboxUploads) async -> InboxSettlement {
        do throws(Problem) {
            if let settled = try await uploads.settle(command, self) { return settled }
            return try await admit(api.submission(of: command))
        } catch {
            if error.code == ProblemCode.unavailable.rawValue { return .later }
            let isFresh = clock().since(command.enqueuedAt) < Self.patience
            if isFresh, Self.awaited.contains(error.code) { return .later }
            let place = error.members["path"]?.text.map { " (\($0))" } ?? ""
            return .refuse(code: error.code, detail: error.detail + place)
        }
    }
}
