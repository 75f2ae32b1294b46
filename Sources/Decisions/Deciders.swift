package import EventSourcing
import Kernel
import Payments
package import ProviderKit

/// Every kind of stream by its decider: the one function that live work and replay share.
package struct Deciders: Sendable {
    private let payments: PaymentDecider
    private let bills: BillDeciders
    private let instruments: InstrumentDecider
    private let schedules: ScheduleDecider

    package init(adapters: AdapterRegistry) {
        payments = PaymentDecider(adapters: adapters)
        bills = BillDeciders(adapters: adapters)
        instruments = InstrumentDecider(adapters: adapters)
        schedules = ScheduleDecider(adapters: adapters)
    }

    package func decide(
        _ history: [RecordedEvent],
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        switch input.stream.kind {
        case .payment, .transfer: try payments.decide(history, input, context)
        case .account: try account(history, SmallCommand(input, context))
        case .routing: try routing(history, SmallCommand(input, context))
        case .instrument: try instruments.decide(history, input, context)
        case .arrivals: try arrivals(history, input, context)
        case .billBatch: try bills.batch(history, input, context)
        case .chunk: try bills.chunk(history, input, context)
        case .bill: try bills.bill(history, input, context)
        case .schedule: try schedules.decide(history, input, context)
        case .webhookEndpoint, .merchant:
            throw Undecidable("no decider for \(input.stream.kind)")
        }
    }

    /// Whether an input should be the first of its stream.
    package func begins(_ input: InputRecord) -> Bool {
        guard input.kind == .command else { return false }
        return input.stream.kind.isPayment && input.name == PaymentCommand.Name.create.text(in: input.stream.kind)
            || input.stream.kind == .billBatch && input.name == BillBatchCommand.Name.create.rawValue
    }

    private func account(_ history: [RecordedEvent], _ command: SmallCommand) throws(Undecidable) -> Decided {
        let account = Account.fold(command.stream.id, try history.read(AccountEvent.init(type:data:)))
        do throws(Rejection) {
            let wanted = try command.read(AccountCommand.Name.self, AccountCommand.init(name:_:))
            return .events(try account.decide(wanted, command.context).map(\.draft))
        } catch {
            return .rejected(error, keeping: .none, versions: [:])
        }
    }

    private func routing(_ history: [RecordedEvent], _ command: SmallCommand) throws(Undecidable) -> Decided {
        let routing = Routing.fold(try history.read(RoutingEvent.init(type:data:)))
        do throws(Rejection) {
            let wanted = try command.read(RoutingCommand.Name.self, RoutingCommand.init(name:_:))
            return .events(try routing.decide(wanted, command.context).map(\.draft))
        } catch {
            return .rejected(error, keeping: .none, versions: [:])
        }
    }

    /// A verified notification that matches nothing is kept under its references.
    private func arrivals(
        _ history: [RecordedEvent],
        _ input: InputRecord,
        _ context: DecisionContext
    ) throws(Undecidable) -> Decided {
        let meta = try InputMeta(input)
        let arrivals = Arrivals.fold(try history.read(ArrivalsEvent.init(type:data:)))
        let references = (meta.json["references"]?.items ?? []).compactMap { item -> Arrival.Reference? in
            guard let kind = item["kind"]?.text, let value = item["value"]?.text else { return nil }
            return Arrival.Reference(kind: kind, value: value)
        }
        let events = arrivals.decide(
            .keep(Arrival(input: input.id, references: references)),
            CommandContext(now: context.now, input: input.id, actor: meta.actor)
        )
        return .events(events.map(\.draft))
    }
}

/// A command to one of the aggregates that send nothing.
private struct SmallCommand {
    let stream: StreamName
    let context: CommandContext
    private let name: String
    private let body: [UInt8]

    init(_ input: InputRecord, _ context: DecisionContext) throws(Undecidable) {
        guard input.kind == .command else { throw Undecidable("kind \(input.kind)") }
        stream = input.stream
        name = input.name
        body = input.body
        self.context = CommandContext(now: context.now, input: input.id, actor: try InputMeta(input).actor)
    }

    func read<Name: RawRepresentable, Command>(
        _: Name.Type,
        _ make: (Name, Json) throws(CodecFailure) -> Command
    ) throws(Rejection) -> Command where Name.RawValue == String {
        do {
            guard let name = Name(rawValue: name) else { throw CodecFailure("name") }
            return try make(name, try Json(body))
        } catch {
            throw Rejection(planCode: "command_malformed", "The stored command can't be read.", path: nil)
        }
    }
}

extension Decided {
    fileprivate static func events(_ drafts: [EventDraft]) -> Decided {
        var decided = Decided()
        decided.events = drafts
        decided.outcome = .events(drafts.count)
        return decided
    }
}

extension [RecordedEvent] {
    /// Decodes a history; what can't be read makes the input undecidable.
    func read<Event>(_ make: (String, [UInt8]) throws(CodecFailure) -> Event) throws(Undecidable) -> [Event] {
        var events: [Event] = []
        for recorded in self {
            do throws(CodecFailure) { events.append(try make(recorded.type, recorded.data)) } catch {
                throw Undecidable("event \(recorded.version): \(error.path)")
            }
        }
        return events
    }
}
