import Crypto
package import EventSourcing
package import Kernel
import Payments
import Schedules

/// The result of a command.
package enum CommandResult: Hashable, Sendable {
    case accepted(stream: StreamName, version: Int32, isReplay: Bool)
    case rejected(code: String, detail: Json, isReplay: Bool)
    /// Stored and not decided yet.
    case pending(stream: StreamName)
    case keyConflict
    /// Something else has the id that the command would give to what it begins.
    case idTaken
    case unavailable(String)
}

/// Takes commands through the fast path: written, decided and appended in one transaction with their neighbours.
package struct CommandIntake: Sendable {
    private let store: any EventStore
    private let notifier: CommitNotifier
    private let batcher: Batcher<Work, WorkOutcome>
    private let patience: Duration

    /// `patience` is how long a command waits behind its stream's other inputs before it is told as pending.
    package init(
        store: any EventStore,
        notifier: CommitNotifier,
        batcher: Batcher<Work, WorkOutcome>,
        patience: Duration = .seconds(5)
    ) {
        self.store = store
        self.notifier = notifier
        self.batcher = batcher
        self.patience = patience
    }

    /// The id of a command's input: the same merchant and key meet the same input.
    package static func inputId(_ merchant: MerchantNumber, key: String) -> Uuid {
        .version5(namespace: InputNames.namespace, name: InputNames.command(merchant: merchant, key: key))
    }

    /// Commands that begin a thing, whose id its client may have made.
    private static let beginnings: Set<String> = [
        PaymentCommand.Name.create.text(in: .payment), PaymentCommand.Name.create.text(in: .transfer),
        ScheduleCommand.Name.create.rawValue, BillBatchCommand.Name.create.rawValue,
    ]

    /// Decides a command; `macs` are the codes that it may be known under, that of the newest master key first.
    ///
    /// One that would begin what stands already repeats the command that began it, whatever its key, where both say the same.
    package func take(_ input: InputRecord, macs: [[UInt8]]) async -> CommandResult {
        let result = await decide(input, macs)
        guard case .rejected = result, Self.beginnings.contains(input.name) else { return result }
        do throws(StoreFailure) { return try await beginning(input, macs) ?? result } catch {
            return .unavailable(error.detail)
        }
    }

    /// What became of the command that began a stream, for another one that says the same; `nil` where none did.
    private func beginning(_ input: InputRecord, _ macs: [[UInt8]]) async throws(StoreFailure) -> CommandResult? {
        guard let first = try await store.load([(input.stream, 0)], atMost: 1)[0].first, first.cause != input.id else {
            return nil
        }
        guard let known = try await store.command(first.cause, merchant: input.stream.merchant),
            macs.contains(where: { constantTimeEquals(known.mac, $0) })
        else { return .idTaken }
        return .accepted(stream: known.stream, version: known.version, isReplay: true)
    }

    private func decide(_ input: InputRecord, _ macs: [[UInt8]]) async -> CommandResult {
        guard let outcome = await batcher.submit(Work(input: input, fence: nil)) else {
            return .unavailable("too many commands wait")
        }
        do throws(StoreFailure) {
            switch outcome {
            case .decided(let version, .events):
                return .accepted(stream: input.stream, version: version, isReplay: false)
            case .decided(_, .rejected(let code, let detail)):
                return .rejected(code: code, detail: (try? Json(detail)) ?? .null, isReplay: false)
            case .duplicate: return try await known(input, macs)
            case .busy: return try await throughMailbox(input, macs)
            case .foreign: return .idTaken
            case .fenced, .undecidable: return .unavailable("the command could not be decided")
            case .unavailable(let failure): return .unavailable(failure.detail)
            }
        } catch {
            return .unavailable(error.detail)
        }
    }

    /// The code that a command is known by, where an older master key made that; else the newest.
    package func mac(of input: InputRecord, among macs: [[UInt8]]) async throws(StoreFailure) -> [UInt8] {
        guard macs.count > 1 else { return macs[0] }
        let known = try await store.command(input.id, merchant: input.stream.merchant)?.mac
        return macs.first { $0 == known } ?? macs[0]
    }

    /// Answers a repeated key from the permanent table.
    private func known(_ input: InputRecord, _ macs: [[UInt8]]) async throws(StoreFailure) -> CommandResult {
        let merchant = input.stream.merchant
        guard let known = try await store.command(input.id, merchant: merchant) else { return .keyConflict }
        guard macs.contains(where: { constantTimeEquals(known.mac, $0) }) else { return .keyConflict }
        guard let decision = try await store.decision(input.id, merchant: merchant) else {
            return .pending(stream: known.stream)
        }
        switch decision.record.outcome {
        case .events: return .accepted(stream: known.stream, version: known.version, isReplay: true)
        case .rejected(let code, let detail):
            return .rejected(code: code, detail: (try? Json(detail)) ?? .null, isReplay: true)
        }
    }

    /// Puts the command behind the inputs that its stream has waiting, and waits a little for its turn.
    private func throughMailbox(_ input: InputRecord, _ macs: [[UInt8]]) async throws(StoreFailure) -> CommandResult {
        let isNew = try await store.admit([input])[0]
        notifier.mail.ring()
        let deadline = ContinuousClock.now.advanced(by: patience)
        while ContinuousClock.now < deadline {
            let decision = try await notifier.wait(for: input.stream, past: 0, atMost: .milliseconds(50)) {
                () async throws(StoreFailure) in try await store.decision(input.id, merchant: input.stream.merchant)
            }
            if let decision {
                guard isNew else { return try await known(input, macs) }
                switch decision.record.outcome {
                case .events(let count):
                    let version = decision.record.baseVersion + Int32(count)
                    return .accepted(stream: input.stream, version: version, isReplay: false)
                case .rejected(let code, let detail):
                    return .rejected(code: code, detail: (try? Json(detail)) ?? .null, isReplay: false)
                }
            }
        }
        return .pending(stream: input.stream)
    }
}
