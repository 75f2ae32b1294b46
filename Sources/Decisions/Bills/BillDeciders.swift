import Crypto
package import EventSourcing
import Kernel
import Payments
package import ProviderKit

/// Decides inputs of batches, chunks and bills, purely.
///
/// The three talk by forwards: an event of one becomes an input of another in the same commit, so that a crash at any
/// point leaves nothing undone and nothing done twice.
package struct BillDeciders: Sendable {
    /// Raised when the same input may decide other events than before.
    package static let version = 8
    /// A message that was not sent for so long is licensed anew.
    static let window = Duration.seconds(600)

    let adapters: AdapterRegistry
    let folds: FoldCache

    package init(adapters: AdapterRegistry, folds: FoldCache) {
        self.adapters = adapters
        self.folds = folds
    }

    // MARK: Bills

    func bill(_ history: History, _ input: InputRecord, _ context: DecisionContext) throws(Undecidable)
        -> Decided
    {
        let bill: Bill = try folds.state(input, history)
        let command: BillCommand
        do throws(CodecFailure) { command = try input.command() } catch {
            throw Undecidable("bill command: \(error.path)")
        }
        let actor = try InputMeta(input).actor
        do throws(Rejection) {
            let events = try bill.decide(command, CommandContext(now: context.now, input: input.id, actor: actor))
            let after = bill.after(events)
            var decided = Decided(events, after: after, versions: Self.versions(nil))
            decided.forwards = Self.forwards(of: command, bill, after, input, context)
            return decided
        } catch {
            return .rejected(error, keeping: .none, versions: Self.versions(nil))
        }
    }

    /// The chunk hears whether it may pay the bill, and what two persons decided about it.
    private static func forwards(
        of command: BillCommand,
        _ bill: Bill,
        _ after: Bill,
        _ input: InputRecord,
        _ context: DecisionContext
    ) -> [InputRecord] {
        let told: ChunkCommand
        let chunk: Uuid
        switch command {
        case .reserve(let wanted):
            chunk = wanted.chunk
            let isHeld = bill.reservation?.chunk == wanted.chunk
            told = .billAnswered(wanted.line.id, refusal: isHeld ? nil : bill.refusal(of: wanted))
        case .approve:
            guard let reservation = after.reservation, let standing = after.standing, after.approved != bill.approved
            else {
                return []
            }
            chunk = reservation.chunk
            told = .billResolved(standing)
        case .report, .propose: return []
        }
        return [
            input.leads(
                to: told,
                of: StreamName(input.stream.merchant, .chunk, chunk),
                by: "bill",
                mark: "\(input.stream.id)",
                at: context.now
            )
        ]
    }

    static func versions(_ adapter: (any Adapter)?) -> Json {
        .compact([
            ("adapter", adapter.map { .integer(Int64($0.declaration.version)) }),
            ("currencies", .integer(Int64(Currency.tableVersion))), ("decider", .integer(Int64(version))),
        ])
    }
}

extension InputRecord {
    /// A command to another stream of the merchant that follows from this input, and is named after it.
    func leads(
        to command: some StoredCommand,
        of stream: StreamName,
        account: Uuid? = nil,
        by actor: String,
        mark: String = "",
        at now: Timestamp
    ) -> InputRecord {
        let name = command.name.rawValue
        return .sent(
            .version5(namespace: stream.id, name: "\(name):\(id):\(mark)"),
            to: stream,
            command,
            by: "\(actor):\(self.stream.id.compact)",
            account: account,
            at: now
        )
    }
}
