import Crypto
package import EventSourcing
import Kernel
package import Payments
package import ProviderKit

/// Decides inputs of batches, chunks and bills, purely.
///
/// The three talk by forwards: an event of one becomes an input of another in the same commit, so that a crash at any
/// point leaves nothing undone and nothing done twice.
package struct BillDeciders: Sendable {
    /// Raised when the same input may decide other events than before.
    package static let version = 7
    /// A message that was not sent for so long is licensed anew.
    static let window = Duration.seconds(600)

    let adapters: AdapterRegistry

    package init(adapters: AdapterRegistry) { self.adapters = adapters }

    // MARK: Bills

    func bill(_ history: [RecordedEvent], _ input: InputRecord, _ context: DecisionContext) throws(Undecidable)
        -> Decided
    {
        let bill = Bill.fold(try history.read(BillEvent.init(type:data:)))
        let meta = try InputMeta(input)
        let command: BillCommand
        do throws(CodecFailure) {
            guard input.kind == .command, let name = BillCommand.Name(rawValue: input.name),
                let json = try? Json(input.body)
            else { throw CodecFailure("name") }
            command = try BillCommand(name: name, json)
        } catch {
            throw Undecidable("bill command: \(error.path)")
        }
        do throws(Rejection) {
            let events = try bill.decide(
                command,
                CommandContext(now: context.now, input: input.id, actor: meta.actor)
            )
            var after = bill
            for event in events { after.evolve(event) }
            var decided = Decided()
            decided.events = events.map(\.draft)
            decided.outcome = .events(events.count)
            decided.versions = Self.versions(nil)
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
        case .claim(let wanted):
            chunk = wanted.chunk
            let isHeld = bill.claim?.chunk == wanted.chunk
            told = .billAnswered(wanted.line.id, refusal: isHeld ? nil : bill.refusal(of: wanted))
        case .approve:
            guard let claim = after.claim, let standing = after.standing, after.approved != bill.approved else {
                return []
            }
            chunk = claim.chunk
            told = .billResolved(standing)
        case .report, .propose: return []
        }
        return [
            Forward(from: input, now: context.now).input(
                to: StreamName(input.stream.merchant, .chunk, chunk),
                told.name.rawValue,
                told.json,
                by: "bill",
                mark: "\(input.stream.id)"
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

/// Makes inputs for other streams of the merchant, named after the input that causes them.
struct Forward {
    let from: InputRecord
    let now: Timestamp

    func input(
        to stream: StreamName,
        _ name: String,
        _ body: Json,
        account: Uuid? = nil,
        by actor: String,
        mark: String = ""
    ) -> InputRecord {
        InputRecord(
            id: .version5(namespace: stream.id, name: "\(name):\(from.id):\(mark)"),
            stream: stream,
            kind: .command,
            name: name,
            meta: InputMeta.command(
                actor: Actor(id: "\(actor):\(from.stream.id.compact)", isOperator: false),
                account: account,
                traceparent: nil,
                correlation: nil
            ).canonical,
            body: body.canonical,
            receivedAt: now
        )
    }
}

/// What a licence for a message about bills is made of.
struct BillLicense {
    let account: ConfiguredAccount
    let adapter: any Adapter
    let now: Timestamp

    func made(
        _ template: RequestTemplate,
        _ purpose: DispatchPurpose,
        _ effect: EffectId,
        _ ordinal: Int32,
        _ ground: DispatchLicense.Ground,
        _ notBefore: Timestamp
    ) -> DispatchLicense {
        DispatchLicense(
            effect: effect,
            purpose: purpose,
            operation: nil,
            ordinal: ordinal,
            ground: ground,
            templateDigest: Hex.encode(Digest.sha256(template.json.canonical)),
            account: account.facts.id,
            accountVersion: account.facts.version,
            adapterVersion: adapter.declaration.version,
            licensedAt: now,
            notBefore: notBefore,
            sendBefore: notBefore.adding(BillDeciders.window)
        )
    }

    func effect(_ template: RequestTemplate, _ license: DispatchLicense) -> PlannedEffect {
        .create(
            license.effect,
            account: account.facts.id,
            template: template.json.canonical,
            notBefore: license.notBefore,
            sendBefore: license.sendBefore,
            deadline: adapter.declaration.requestDeadline
        )
    }
}

extension InputRecord {
    /// The observation that an answer's input holds.
    package func observation(_ purpose: DispatchPurpose, _ meta: InputMeta) throws(Undecidable) -> Observation {
        let reason = meta.json["reason"]?.text ?? ""
        switch AnswerName(rawValue: name) {
        case .answered:
            if KeptWhole.holds(body) { return .sentNoAnswer(purpose, reason: KeptWhole.reason) }
            return .answered(purpose, status: Int(meta.json["status"]?.integer ?? 0), headers: [:], body: body)
        case .notSent: return .notSent(purpose, reason: reason)
        case .noAnswer: return .sentNoAnswer(purpose, reason: reason)
        case nil: throw Undecidable("answer \(name)")
        }
    }
}
