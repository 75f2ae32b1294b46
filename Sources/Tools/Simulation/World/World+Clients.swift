import Crypto
import Decisions
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit

/// A backend with one payment: what it asked for, and what it has not been told the end of.
struct Client: Sendable {
    let number: Int
    let stream: StreamName
    let terms: PaymentTerms
    /// Commands whose outcome is unknown: their keys are tried again.
    var unsure: [InputRecord] = []
    var wishes = 0
    /// Everything that it ever asked for, as long as a restored database may have forgotten it.
    var sent: [InputRecord] = []
}

extension World {
    /// Plans every payment's life: when it is created, when its payer comes, what its backend wants.
    func plan(_ count: Int) {
        guard let currency = Currency(self.currency) else { return violate("no currency \(self.currency)") }
        for number in 0..<count {
            let key = "k\(plan.seed)-\(number)"
            let input = CommandIntake.inputId(Self.merchant, key: key)
            let begins = now.adding(random.duration(upTo: .seconds(600)))
            let mode: PaymentMode = random.chance(600) ? .authorize : random.chance(900) ? .sale : .verify
            let allowed = adapter.declaration.modes.contains(mode) ? mode : .sale
            let minor = allowed == .verify ? 0 : random.number(2...5000)
            let terms = PaymentTerms(
                mode: allowed,
                method: .hosted,
                amount: Money(minor, currency),
                reference: "order \(number)",
                description: nil,
                customer: "customer",
                instrument: nil,
                expiresAt: begins.adding(.seconds(3600)),
                details: [:],
                metadata: [:]
            )
            let id = Uuid.version5(namespace: input, name: "payment")
            let stream = StreamName(Self.merchant, .payment, id)
            clients.append(Client(number: number, stream: stream, terms: terms))
            agenda.add(.client(number), at: begins)
            let thinks: Int64 = random.chance(700) ? 120 : 3000
            agenda.add(.payer(number), at: begins.adding(random.duration(upTo: .seconds(thinks))))
            for _ in 0..<random.number(1...4) {
                let longest: Int64 = random.chance(700) ? 6000 : 1_000_000
                agenda.add(.client(number), at: begins.adding(random.duration(upTo: .seconds(longest))))
            }
        }
    }

    /// A backend acts: it creates its payment first, tries again what it is unsure of, or wants something new.
    func act(_ number: Int) async {
        if let unsure = clients[number].unsure.first { return await submit(unsure, of: number, isAgain: true) }
        let command: PaymentCommand
        if clients[number].wishes == 0 {
            command = .create(clients[number].terms)
        } else if let wish = wish(of: number) {
            command = wish
        } else {
            return
        }
        let input = input(command, of: number, key: "\(clients[number].wishes)", by: "backend")
        clients[number].wishes += 1
        await submit(input, of: number, isAgain: false)
        if isStormy, random.chance(plan.faults.retriedKey) { await submit(input, of: number, isAgain: true) }
    }

    private func wish(of number: Int) -> PaymentCommand? {
        guard let payment = books[clients[number].stream], let currency = payment.currency else { return nil }
        func part(_ most: Int64) -> Money? {
            random.chance(500) ? nil : Money(random.number(1...max(1, most)), currency)
        }
        let sums = payment.amounts
        if payment.status.isOpen {
            return random.chance(plan.faults.cancellation * 2)
                ? .void(amount: nil, reason: "changed their mind") : .sync
        }
        if sums.held > 0, random.chance(800) {
            return random.chance(700)
                ? .capture(amount: part(sums.held), reason: nil) : .void(amount: nil, reason: "not today")
        }
        if sums.captured > sums.refunded {
            return .refund(amount: part(sums.captured - sums.refunded), capture: nil, reason: "came back")
        }
        return .sync
    }

    func input(_ command: PaymentCommand, of number: Int, key: String, by actor: String) -> InputRecord {
        let stream = clients[number].stream
        let full = key == "0" ? "k\(plan.seed)-\(number)" : "k\(plan.seed)-\(number)-\(key)"
        let body = command.canonical
        let plain = InputMeta.command(
            actor: Actor(id: actor, isOperator: actor != "backend"),
            account: Self.account,
            traceparent: nil,
            correlation: nil
        )
        var meta = (try? Json(plain))?.members ?? JsonObject([])
        meta["mac"] = .string(Hex.encode(Digest.sha256(body)))
        return InputRecord(
            id: CommandIntake.inputId(Self.merchant, key: full),
            stream: stream,
            kind: .command,
            name: command.name.text(in: stream.kind),
            meta: Json.object(meta).canonical,
            body: body,
            receivedAt: now
        )
    }

    /// Hands a command to a node that lives; a client that hears nothing tries the same key later.
    func submit(_ input: InputRecord, of number: Int, isAgain: Bool) async {
        clients[number].unsure.removeAll { $0.id == input.id }
        if !isAgain { clients[number].sent.append(input) }
        let alive = nodes.indices.filter { nodes[$0].engine != nil }
        guard !alive.isEmpty, let engine = nodes[random.pick(alive)].engine else { return isUnsure(input, number) }
        let result = await engine.commands.take(input, macs: [Digest.sha256(input.body)])
        trace("client \(number) \(isAgain ? "again " : "")\(input.name): \(result)")
        switch result {
        case .accepted(let stream, _, _):
            if stream != clients[number].stream { violate("an answer for another stream: \(stream)") }
        case .rejected, .pending: break
        case .keyConflict: violate("a repeated key of client \(number) conflicts")
        case .idTaken: violate("client \(number) meets a payment that is not its own")
        case .unavailable: isUnsure(input, number)
        }
    }

    private func isUnsure(_ input: InputRecord, _ number: Int) {
        clients[number].unsure.append(input)
        agenda.add(.client(number), at: now.adding(.seconds(random.number(1...120))))
    }

    // MARK: The payer

    /// The payer of a payment comes, and comes again while there is something to try.
    func pay(_ number: Int) {
        guard let payment = books[clients[number].stream], let attempt = payment.attempt,
            let initial = payment.initial
        else {
            if isStormy, now < clients[number].terms.expiresAt {
                agenda.add(.payer(number), at: now.adding(.seconds(60)))
            }
            return
        }
        // Who never opened the page pays nothing; one that we signed ourselves is registered when it is opened.
        if payment.order == nil {
            guard !payment.handovers.isEmpty, payment.cancelRequestedBy == nil || random.chance(500) else { return }
            if random.chance(100) { return }
        }
        let reference = attempt.reference
        if let asked = payment.terms?.amount, payment.order == nil, now < attempt.deadline {
            model.register(reference, initial.kind, asked, attempt.deadline)
        }
        let (again, consequences) = model.pay(reference, at: now, &random)
        trace("payer \(number) tries")
        follow(consequences)
        if again { agenda.add(.payer(number), at: now.adding(random.duration(upTo: .seconds(900)))) }
        agenda.add(.expire(payment: reference), at: attempt.deadline.adding(.seconds(random.number(1...1200))))
        let hold = now.adding(capabilities.lifetimes.hold).adding(random.duration(upTo: .seconds(7200)))
        agenda.add(.releaseHold(payment: reference), at: hold)
        if isStormy, random.chance(plan.faults.dashboard) {
            agenda.add(.dashboard(payment: reference), at: now.adding(random.duration(upTo: .seconds(200_000))))
        }
    }
}
