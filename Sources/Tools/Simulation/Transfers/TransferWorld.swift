import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Portmone
import ProviderKit
import Sandbox

/// A house whose payers send money on to other cards by the sandbox's Portmone, in the app or on a page.
final class TransferWorld: HousePlot {
    /// How transfers go, in the account's words.
    private enum Way: String, CaseIterable {
        case sdk, sellerToken, linkMoneyTransfer
    }

    /// How far a payer is.
    private struct Payer: Sendable {
        /// The payer's steps.
        var steps: [String]
        var page: String?
        var parameters: Json?
        /// Whether the payer has the page before them, and thinks.
        var hasPage = false
        var claims = 0
    }

    let house: House
    let portmone: PlayedPortmone
    private let way: Way
    private let payers = Locked<[Int: Payer]>([:])

    init(_ plan: WorldPlan, isTracing: Bool) throws {
        let way = Way.allCases[Int(plan.seed % UInt64(Way.allCases.count))]
        self.way = way
        let provider = SimulatedProvider(
            adapter: PortmoneAdapter(),
            settings: PlayedPortmone.settings([("transferMode", .string(way.rawValue))]),
            currency: "UAH"
        )
        house = try House(plan, provider, PlayedPortmone.secrets, isTracing: isTracing)
        portmone = PlayedPortmone(house)
    }

    func receive(_ request: OutgoingRequest) -> HttpResponse { portmone.receive(request) }

    private func stream(_ number: Int) -> StreamName {
        StreamName(House.merchant, .transfer, Uuid(high: 0x7A5F, low: UInt64(number + 1)))
    }

    // MARK: What people want

    func begin(_ engine: Engine) async throws {
        for number in 0..<house.plan.payments {
            let begins = House.start.adding(house.duration(upTo: .seconds(600)))
            let terms = try await terms(number, begins)
            house.wish([input(.create(terms), number, "create")], at: begins)
            payers.withLock { $0[number] = Payer(steps: steps()) }
            let comes = begins.adding(house.duration(upTo: .seconds(house.wants(700) ? 120 : 3000)))
            house.plan(at: comes) { [self] engine in await pay(number, terms.expiresAt, engine) }
            for time in 0..<house.number(0...2) {
                let asks = begins.adding(house.duration(upTo: .seconds(house.wants(700) ? 6000 : 400_000)))
                // Money that goes on is never taken back: that is refused, whenever it is asked for.
                let wish: PaymentCommand =
                    house.wants(house.plan.faults.cancellation) ? .void(amount: nil, reason: "changed mind") : .sync
                house.wish([input(wish, number, "wish-\(time)")], at: asks)
            }
        }
    }

    private func terms(_ number: Int, _ begins: Timestamp) async throws -> PaymentTerms {
        let details: Json =
            switch way {
            case .sdk: [:]
            case .sellerToken: ["transfer": ["sellerToken": .string("3138\(number)A")]]
            case .linkMoneyTransfer: ["transfer": ["recipientBillId": .string("77\(number)")]]
            }
        return PaymentTerms(
            mode: .transfer,
            method: way == .sdk ? .sdk : .hosted,
            amount: Money(house.number(100...50_000), house.currency),
            reference: "transfer \(number)",
            description: nil,
            customer: "customer-\(number)",
            instrument: nil,
            expiresAt: begins.adding(.seconds(3600)),
            details: try await house.vault.seal(
                details,
                paths: house.provider.adapter.declaration.personalDetailPaths,
                subject: House.account,
                merchant: House.merchant
            ),
            metadata: [:]
        )
    }

    private func steps() -> [String] {
        switch house.number(0...9) {
        case 0...4: ["approve"]
        case 5...6: ["threeDS", "pass"]
        case 7: ["threeDS", "fail", "approve"]
        case 8: house.wants(500) ? ["decline"] : ["decline", "approve"]
        default: ["abandon"]
        }
    }

    private func input(_ command: PaymentCommand, _ number: Int, _ key: String) -> InputRecord {
        let stream = stream(number)
        return house.input(
            command.name.text(in: stream.kind),
            command.json,
            on: stream,
            key: "transfer-\(number)-\(key)"
        )
    }

    // MARK: The payer

    /// The payer comes for what the device is given, thinks, and acts; answers when the payer comes again.
    private func pay(_ number: Int, _ end: Timestamp, _ engine: Engine) async -> Timestamp? {
        guard var payer = payers.withLock({ $0[number] }) else { return nil }
        let now = house.time.now
        if !payer.hasPage {
            let given = await Task { try? await engine.handovers.render(stream(number)) }.value
            let reference = try? house.payments()[stream(number).id]?.attempt?.reference
            switch given {
            case .redirect(let url): payer.page = url
            case .parameters(let parameters): payer.parameters = parameters
            // The provider wrote to the payer itself.
            case nil: payer.page = house.wants(200) ? reference.flatMap { portmone.page(of: $0) } : nil
            }
            guard payer.page != nil || payer.parameters != nil else {
                return now < end ? now.adding(.seconds(60)) : nil
            }
            payer.hasPage = true
            keep(payer, number)
            if house.wants(300) { return now.adding(house.duration(upTo: .seconds(6000))) }
        }
        guard !payer.steps.isEmpty else { return nil }
        let step = payer.steps.removeFirst()
        keep(payer, number)
        if now < end, let reference = try? house.payments()[stream(number).id]?.attempt?.reference {
            portmone.mayMiss(reference)
        }
        await act(step, payer, number, engine)
        return payer.steps.isEmpty ? nil : house.time.now.adding(house.duration(upTo: .seconds(300)))
    }

    private func keep(_ payer: Payer, _ number: Int) { payers.withLock { $0[number] = payer } }

    private func act(_ step: String, _ payer: Payer, _ number: Int, _ engine: Engine) async {
        if let page = payer.page {
            portmone.press(page, step)
            guard house.wants(500), let reference = try? house.payments()[stream(number).id]?.attempt?.reference else {
                return
            }
            _ = await Task {
                await engine.notifications.browserReturned(
                    reference: reference,
                    account: House.account,
                    merchant: House.merchant
                )
            }.value
        } else if let parameters = payer.parameters,
            let answer = portmone.ask("/portmone/sandbox/app", ["action": .string(step), "parameters": parameters])
        {
            claim(
                house.strikes(house.plan.faults.forgedNotification) ? ["cancelled": true] : answer,
                parameters,
                number
            )
        }
    }

    /// The app tells what its SDK said, or something else, or nothing.
    private func claim(_ answer: Json, _ parameters: Json, _ number: Int) {
        guard house.wants(700) else { return }
        do {
            guard let device = house.provider.adapter.device else { return }
            let word = try device.appResult(PlayedPortmone.claim(parameters, answer))
            let command = PaymentCommand.confirm(meaning: word.meaning.rawValue, code: word.code)
            let key = "claim-\(house.time.now.microseconds)"
            house.wish([input(command, number, key)], at: house.time.now)
        } catch {
            house.violate("an app's word can't be read: \(error)")
        }
    }

    // MARK: The end

    func judge() throws -> Int {
        let payments = try house.payments()
        let byReference = Dictionary(
            payments.values.compactMap { payment in payment.attempt.map { ($0.reference, payment) } },
            uniquingKeysWith: { one, _ in one }
        )
        var moved: [String: Int64] = [:]
        for entry in portmone.ledger {
            let reference = entry.owner.payment
            if entry.kind != .transfer { house.violate("the provider did \(entry.kind.rawValue) of \(reference)") }
            if moved[reference] != nil { house.violate("double: \(reference) went on twice") }
            moved[reference, default: 0] += entry.amount.minor
            guard let payment = byReference[reference] else {
                house.violate("unowned: a transfer of \(reference) that nobody asked for")
                continue
            }
            if payment.status == .failed { house.violate("\(payment.id) is told as failed, and money moved") }
        }
        for (reference, payment) in byReference.sorted(by: { $0.key < $1.key }) {
            let (ours, theirs) = (payment.amounts.transferred, moved[reference] ?? 0)
            if ours > theirs { house.violate("\(payment.id) books \(ours), and \(theirs) moved") }
            if ours < theirs, !house.isOperators(payment) {
                house.violate("lost: \(payment.id) books \(ours) of \(theirs) as \(payment.status.rawValue)")
            }
        }
        house.judgeOpen(payments)
        return payments.count
    }
}
