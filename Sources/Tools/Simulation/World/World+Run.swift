import Crypto
import Decisions
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import TestKit

extension World {
    /// Plays one world to its end.
    func run() async -> WorldReport {
        for index in nodes.indices { boot(index) }
        isStormy = false
        await configure()
        isStormy = plan.faults != .none
        plan(plan.payments)
        if isStormy, random.chance(plan.faults.outage) {
            let begins = now.adding(random.duration(upTo: .seconds(4000)))
            agenda.add(.outage(true), at: begins)
            agenda.add(.outage(false), at: begins.adding(random.duration(upTo: .seconds(3000))))
        }
        planLostTail()
        await live()
        isStormy = false
        isOutage = false
        await live()
        for _ in 0..<Self.operatorRounds where report.violations.isEmpty {
            guard await resolve() else { break }
            await live()
        }
        await checkEnd()
        report.payments = clients.count { books[$0.stream] != nil }
        nodes = []
        return report
    }

    /// Operators look at their list every so many seconds.
    private static let operatorPause: Int64 = 14_400

    /// Rounds in which operators resolve what is theirs.
    private static let operatorRounds = 12

    private func configure() async {
        let configuration = AccountConfiguration(
            name: plan.provider,
            provider: plan.provider,
            mode: .test,
            settings: settings,
            secrets: [:],
            currencies: nil
        )
        let input = InputRecord(
            id: CommandIntake.inputId(Self.merchant, key: "account"),
            stream: StreamName(Self.merchant, .account, Self.account),
            kind: .command,
            name: AccountCommand.Name.configure.rawValue,
            meta: InputMeta.command(
                actor: Actor(id: "admin", isOperator: true),
                account: nil,
                traceparent: nil,
                correlation: nil
            ),
            body: configuration.canonical,
            receivedAt: now
        )
        for _ in 0..<50 {
            if nodes[0].engine == nil { boot(0) }
            guard let engine = nodes[0].engine else { continue }
            if case .accepted = await engine.commands.take(input, macs: [[0]]) { return }
        }
        violate("the account can't be configured")
    }

    /// Moment after moment, until nothing is planned and nobody waits for the time.
    private func live() async {
        for _ in 0..<WorldPlan.moments where report.violations.isEmpty {
            arriveLate()
            while let item = agenda.takeDue(at: now) {
                await happen(item)
                arriveLate()
            }
            await work()
            check()
            if now >= operatorsAt {
                operatorsAt = now.adding(.seconds(Self.operatorPause))
                _ = await resolve()
            }
            let due = store.nextDue(after: now, grace: Scheduler.grace)
            guard let next = [agenda.nextTime, due].compactMap(\.self).min() else { return }
            if agenda.isEmpty, isAtRest { return }
            time.advance(to: next)
        }
        if report.violations.isEmpty { violate("the world never rests") }
    }

    private func happen(_ item: Agenda.Item) async {
        trace(item.line)
        switch item {
        case .client(let number): await act(number)
        case .payer(let number): pay(number)
        case .finish(let payment, let operation): follow(model.finish(payment, operation, at: now, &random))
        case .notify(let notice): await deliver(notice)
        case .dashboard(let payment): follow(model.dashboard(payment, at: now, &random))
        case .expire(let payment): follow(model.expire(payment, at: now))
        case .releaseHold(let payment): follow(model.releaseHold(payment, at: now, &random))
        case .straggler(let body): arrive(body, at: now)
        case .restart(let node):
            if nodes[node].engine == nil { boot(node) }
        case .outage(let begins): isOutage = begins && isStormy
        case .backup: backup = (store.backup(), now)
        case .loseTail: loseTail()
        case .sync(let number):
            guard books[clients[number].stream] != nil else { return }
            clients[number].wishes += 1
            let sync = input(.sync, of: number, key: "sync-\(clients[number].wishes)", by: "backend")
            await submit(sync, of: number, isAgain: false)
        }
    }

    private func arrive(_ body: [UInt8], at time: Timestamp) {
        guard let request = ModelWire.Request(body) else { return }
        trace("arrives late: \(request.kind.rawValue) \(request.operation) of \(request.payment)")
        follow(model.receive(request, at: time, &random).1)
    }

    /// Slow requests whose time came while calls took theirs have arrived before what is sent now.
    func arriveLate() {
        for (body, time) in agenda.takeStragglers(at: now) { arrive(body, at: time) }
    }

    /// A notification meets a node, and comes again until one stores it.
    private func deliver(_ notice: Agenda.Notice) async {
        var request = HttpRequest(method: .post, target: "/notify", body: notice.body)
        if !notice.isForged { model.notified(notice.payment) }
        if !notice.isForged { request.head.headers.set(DeclaredAdapter.signature, "good") }
        let alive = nodes.indices.filter { nodes[$0].engine != nil }
        var status = 0
        if !alive.isEmpty, let engine = nodes[random.pick(alive)].engine {
            status = await engine.notifications.receive(
                request,
                provider: plan.provider,
                merchant: Self.merchant,
                account: Self.account
            ).status
        }
        trace("notification: \(status)")
        guard status != 200, !notice.isForged else { return }
        var again = notice
        again.tries += 1
        guard again.tries < 50 else { return violate("a notification is never taken: \(status)") }
        agenda.add(.notify(again), at: now.adding(.seconds(30 * Int64(again.tries))))
    }

    // MARK: Operators

    /// Two operators resolve what only a person can, by what the provider's books say; answers whether they had to.
    private func resolve() async -> Bool {
        var acted = false
        for client in clients {
            guard let payment = books[client.stream] else { continue }
            guard let owed = payment.obligations(capabilities, at: now).first(where: { $0.owner == .operator }),
                let verdict = verdict(on: owed, payment)
            else { continue }
            acted = true
            report.operatorActs += 1
            trace("operators resolve \(owed.kind.rawValue) of \(client.number) by \(verdict)")
            await decide(
                .propose(verdict, evidence: "the provider's books", seenVersion: payment.version),
                client,
                "ann"
            )
            guard let seen = books[client.stream],
                let proposal = seen.proposals.values.filter({ !seen.approved.contains($0.id) })
                    .max(by: { $0.seenVersion < $1.seenVersion })
            else { continue }
            await decide(.approve(proposal: proposal.id, seenVersion: seen.version), client, "bob")
        }
        return acted
    }

    private func decide(_ command: PaymentCommand, _ client: Client, _ person: String) async {
        clients[client.number].wishes += 1
        let key = "\(person)-\(clients[client.number].wishes)"
        await submit(input(command, of: client.number, key: key, by: person), of: client.number, isAgain: false)
        await work()
        check()
    }

    private func verdict(on owed: Obligation, _ payment: Payment) -> Resolution.Verdict? {
        let books = payment.attempt.flatMap { model.payments[$0.reference] }
        switch owed.kind {
        case .operation, .amount:
            guard let id = owed.operation, let operation = payment.operation(id) else { return nil }
            let found = books?.operations.first { $0.ours == operation.reference }
            if let found, found.outcome == .succeeded, let currency = payment.currency {
                return .succeeded(id, Money(found.amount, currency))
            }
            if found == nil, random.chance(500) { return .sendAgain(id) }
            return .failed(id)
        case .outcome, .cancellation:
            guard let initial = payment.initial else { return nil }
            if books?.isPaid == true, let amount = initial.requested { return .succeeded(initial.id, amount) }
            return .attemptDead
        case .contradiction, .lateSuccess, .overReturned: return .acknowledged
        case .hold, .remainder, .auxiliary, .debit, .report, .dispute, .proposal, .reconciliation, .inquiry: return nil
        }
    }
}
