import EventSourcing
import Kernel
import Payments

/// Every case of one provider, and how each is played and judged.
package actor HostileTable: HostileSheet {
    package let wire: any HostileWire
    /// Installations as they stand right before the message under test, by scene.
    private var stages: [String: HostileStage] = [:]

    package init(_ wire: any HostileWire) { self.wire = wire }

    package static let all: [HostileTable] = [
        HostileTable(EcommpayTableWire()), HostileTable(PortmoneTableWire(.sellerToken)),
        HostileTable(PortmoneTableWire(.linkMoneyTransfer)), HostileTable(PortmoneTableWire(.sdk)),
        HostileTable(DolyameTableWire()),
        HostileTable(SberPayTableWire(lists: true)), HostileTable(SberPayTableWire(lists: false)),
        HostileTable(WorldlineTableWire()),
    ]

    package nonisolated var name: String { wire.name }

    /// The provider's own name.
    package nonisolated var provider: String { wire.provider.name }

    package nonisolated var cases: [HostileCase] {
        var cases: [HostileCase] = []
        let refunds = wire.scenes.filter { $0.kind == .refund }
        let theirs = refunds.filter { $0.minor == nil }.map(\.inCabinet)
        for scene in wire.scenes + theirs + refunds.filter({ $0.minor != nil }).map(\.besideCabinet) {
            for truth in scene.truths {
                for answer in answers(scene) {
                    for turn in turns(scene) {
                        for look in HostileLook.allCases where look.suits(scene) {
                            let one = HostileCase(
                                provider: wire.name,
                                scene: scene,
                                truth: truth,
                                answer: answer,
                                turn: turn,
                                look: look
                            )
                            if !one.isLie(wire) { cases.append(one) }
                        }
                    }
                }
            }
        }
        return cases
    }

    private nonisolated func turns(_ scene: HostileScene) -> [HostileTurn] {
        scene.isTheirs || scene.isHandover && !wire.tells ? [.first] : HostileTurn.allCases
    }

    private nonisolated func answers(_ scene: HostileScene) -> [HostileAnswer] {
        if scene.isTheirs { return [.success] }
        if scene.isHandover { return wire.tells ? [.success, .lost] : [.success] }
        let refusals = wire.refusals(scene).map { HostileAnswer.refusal($0.name) }
        return [.success] + refusals
            + (scene.beside > 0 ? [.half, .lost] : scene.isPaid ? HostileAnswer.few : HostileAnswer.undocumented)
    }

    /// Plays a case and judges how it ended; no breach where all is well.
    package func play(_ one: HostileCase) async -> HostileSeen {
        var seen = HostileSeen()
        do {
            let stage = try await before(one.scene).fork()
            stage.standIn.change { $0.play = one }
            try await begin(one.scene, on: stage)
            if one.scene.isPaid { try await pay(one, on: stage) }
            try await stage.live(for: Self.rest)
            if one.scene.isTheirs {
                // Somebody asks again, when what shows late shows.
                try await stage.command(.sync)
                try await stage.live(for: Self.rest)
            }
            switch one.truth {
            case .nothing, .done, .otherAmount: try await HostileVerdict(one, stage).judge(&seen)
            case .twice, .undone:
                // Nothing but a question shows it.
                stage.standIn.change { state in
                    if one.truth == .undone { state.undo(one.scene.kind, at: stage.time.now) }
                    state.isFrank = true
                }
                try await stage.command(.sync)
                try await stage.live(for: Self.rest)
                try await HostileVerdict(one, stage).judge(&seen)
            }
            seen.trace = stage.standIn.now.trace
        } catch {
            seen.breaches.append("play: \(error)")
        }
        return seen
    }

    /// Everything that the provider declares is over after so long: keys, proofs of absence, and twelve questions.
    private static let rest = Duration.seconds(26 * 3600)

    // MARK: What goes before

    private func before(_ scene: HostileScene) async throws -> HostileStage {
        if let known = stages[scene.name] { return known }
        let stage = try HostileStage(wire, scene.mode == .transfer ? .transfer : .payment)
        try await stage.configure()
        if scene.method == .instrument { try await stage.saveCard() }
        if scene.before != .nothing {
            try await create(scene, on: stage)
            try await stage.live(for: .seconds(30))
            if stage.standIn.now.ledger?.entries.isEmpty == true {
                stage.standIn.change { state in
                    if state.ledger?.order == nil { state.ledger?.open(HostileScene.total) }
                    state.ledger?.pay(at: stage.time.now)
                }
                try await stage.command(.sync)
                try await stage.live(for: .seconds(60))
            }
            if scene.before == .captured, scene.mode == .authorize {
                try await stage.command(.capture(amount: nil, reason: nil))
                try await stage.live(for: .seconds(600))
            }
            let status = try await stage.payment().status
            let wanted: PaymentStatus = scene.before == .held ? .authorized : .captured
            guard status == wanted else {
                throw HostileFailure(what: "\(status) before; \(stage.standIn.now.trace.joined(separator: "\n"))")
            }
        }
        stages[scene.name] = stage
        return stage
    }

    private func create(_ scene: HostileScene, on stage: HostileStage) async throws {
        guard let currency = Currency(wire.provider.currency) else { throw HostileFailure(what: "currency") }
        let terms = PaymentTerms(
            mode: scene.mode,
            method: scene.method,
            amount: scene.mode == .tokenize ? nil : Money(scene.isCheck ? 0 : HostileScene.total, currency),
            reference: "order 1",
            description: "An order",
            customer: "customer",
            instrument: scene.method == .instrument ? HostileStage.card : nil,
            expiresAt: stage.time.now.adding(.seconds(3600)),
            details: stage.keepingOnce(scene.details),
            metadata: [:],
            occurrence: scene.isOccurrence ? HostileStage.occurrence : nil
        )
        try await stage.command(.create(terms))
        guard let reference = try await stage.payment().attempt?.reference else {
            throw HostileFailure(what: "no attempt")
        }
        stage.standIn.change {
            $0.ledger = HostileLedger(reference: reference, begins: scene.mode.operation, currency: currency)
        }
    }

    /// The payer comes after ten minutes and, where there is nothing to pay then, once more before the payment's time is over.
    private func pay(_ one: HostileCase, on stage: HostileStage) async throws {
        for wait: Duration in [.seconds(600), .seconds(2400)] {
            try await stage.live(for: wait)
            let leadsOn = await stage.leadsOn()
            guard wire.findsPayer || leadsOn, one.truth != .nothing || !one.scene.isHandover else { continue }
            let now = stage.time.now
            var isPaid = false
            stage.standIn.change { isPaid = $0.pay(one, at: now) }
            if isPaid { return try await tell(one, on: stage) }
        }
    }

    /// Brings what the provider tells of its own accord: at once, or when the payment's time is long over.
    private func tell(_ one: HostileCase, on stage: HostileStage) async throws {
        guard one.scene.isHandover, one.answer == .success, let ledger = stage.standIn.now.ledger,
            let notice = wire.notice(ledger)
        else { return }
        if one.turn == .repeated { try await stage.live(for: .seconds(8 * 3600)) }
        guard await stage.receive(notice) else { throw HostileFailure(what: "the notice was not taken") }
    }

    private func begin(_ scene: HostileScene, on stage: HostileStage) async throws {
        guard scene.before != .nothing else { return try await create(scene, on: stage) }
        if scene.isTheirs {
            stage.standIn.change { $0.act(scene.kind, scene.asked, at: stage.time.now) }
            return try await stage.command(.sync)
        }
        let currency = Currency(wire.provider.currency)
        let amount = scene.minor.flatMap { minor in currency.map { Money(minor, $0) } }
        switch scene.kind {
        case .capture:
            try await stage.command(.capture(amount: amount, reason: nil, details: scene.commandDetails))
        case .void: try await stage.command(.void(amount: amount, reason: "changed their mind"))
        case .refund:
            try await stage.command(
                .refund(amount: amount, capture: nil, reason: "came back", details: scene.commandDetails)
            )
        case .sale, .authorize, .verify, .tokenize, .transfer, .refundReversal:
            throw HostileFailure(what: "\(scene.kind.rawValue) follows nothing")
        }
    }
}
