import Crypto
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import TestKit

extension World {
    /// Checks what must hold after every moment, for every payment that something happened to.
    func check() {
        var touched: Set<StreamName> = []
        for recorded in news() {
            report.events += 1
            guard recorded.stream.kind.isPayment else { continue }
            touched.insert(recorded.stream)
            guard let event = try? PaymentEvent(recorded) else {
                violate("an event that can't be read: \(recorded.type)")
                continue
            }
            trace(
                "  \(recorded.stream.id) \(recorded.version) \(recorded.type) "
                    + String(decoding: recorded.data, as: UTF8.self)
            )
            checkBeginning(event, of: recorded.stream)
            books[recorded.stream, default: Payment(id: PaymentId(recorded.stream.id))].evolve(event)
        }
        for violation in model.violations { violate("double: \(violation)") }
        if let refused = store.quarantined.first { violate("an input in quarantine: \(refused.reason)") }
        for stream in touched.sorted() { check(stream) }
    }

    /// What was given up or is over is not begun again, unless a person wants it.
    private func checkBeginning(_ event: PaymentEvent, of stream: StreamName) {
        guard case .dispatchLicensed(let license) = event, let payment = books[stream],
            let operation = license.operation.flatMap({ payment.operation($0) }), operation.kind.isInitial,
            license.ground != .operatorOverride, !license.isCompletion
        else { return }
        if !payment.isWanted || payment.attempt?.isOpen != true {
            violate("\(stream.id) is begun again as \(license.ground.rawValue), and nobody wants it any more")
        }
    }

    private func check(_ stream: StreamName) {
        guard let payment = books[stream] else { return }
        let ours = payment.booked
        let theirs = sums(of: payment)
        if ours.captured > theirs.captured || ours.authorized > theirs.authorized || ours.refunded > theirs.refunded
            || ours.released > theirs.released
        {
            violate("\(stream.id) books what never moved: \(ours); the provider: \(theirs)")
        }
        if payment.status == .failed, isPayable(payment) {
            violate("\(stream.id) is told as failed while its order lives")
        }
        for operation in payment.operations where isDenied(operation) && isAlive(operation, payment) {
            violate("\(stream.id) tells \(operation.kind.rawValue) \(operation.reference) as not done, and it is")
        }
        checkObligations(stream, payment)
    }

    private func isDenied(_ operation: Operation) -> Bool {
        switch operation.state {
        case .failed, .notExecuted: true
        case .requested, .pending, .indeterminate, .succeeded: false
        }
    }

    /// Whether the provider did what an operation of ours asked for, or is about to; where the log lost what it asked, a
    /// provider without keys can't say so.
    private func isAlive(_ operation: Operation, _ payment: Payment) -> Bool {
        if model.hasLostTail { return false }
        let theirs = payment.attempt.flatMap { model.payments[$0.reference] }?.operations ?? []
        return theirs.contains { $0.ours == operation.reference && $0.outcome != .declined }
    }

    /// Whatever is unresolved is owed by somebody, and where it is not a person's, something will happen.
    private func checkObligations(_ stream: StreamName, _ payment: Payment) {
        let owed = payment.obligations(capabilities, at: now)
        let isUnresolved = payment.status.isOpen || payment.operations.contains { !$0.isClosed && !$0.kind.isInitial }
        if isUnresolved, owed.isEmpty { violate("\(stream.id) is unresolved and nobody owes anything") }
        for one in owed where one.owner == .provider || one.owner == .payer {
            let comes = one.step == .awaitRelease || store.isAwaited(stream)
            if !comes { violate("\(stream.id) owes \(one.kind.rawValue) (\(one.reason)) and nothing will wake it") }
            if one.owner == .payer, one.deadline == nil { violate("\(stream.id) waits for its payer without end") }
        }
    }

    /// Whether the provider opened an order that still takes its payer's money.
    private func isPayable(_ payment: Payment) -> Bool {
        guard let known = payment.attempt.flatMap({ model.payments[$0.reference] }) else { return false }
        return known.order != nil && known.ending == nil && !known.isPaid && now < known.deadline
    }

    func sums(of payment: Payment) -> Sums {
        payment.attempt.flatMap { model.payments[$0.reference]?.sums } ?? Sums()
    }

    /// Whether nothing that is still planned can change a payment: what is owed, is owed by people.
    var isAtRest: Bool {
        !store.hasWork
            && clients.allSatisfy { client in
                guard let payment = books[client.stream] else { return true }
                guard payment.queries.last?.outcome == .answered || payment.queries.isEmpty else { return false }
                return payment.obligations(capabilities, at: now).allSatisfy { owed in
                    switch owed.owner {
                    case .operator, .merchant: true
                    case .provider, .payer: owed.step == .awaitRelease
                    }
                }
            }
    }

    /// Checks what must hold when everything has come to rest.
    func checkEnd() async {
        guard report.violations.isEmpty else { return }
        for client in clients {
            guard let payment = books[client.stream] else { continue }
            let ours = payment.booked
            let theirs = sums(of: payment)
            if ours != theirs { violate("\(client.stream.id) ended with \(ours); the provider: \(theirs)") }
            if let owed = payment.obligations(capabilities, at: now).first(where: { $0.owner == .operator }) {
                violate("\(client.stream.id) keeps \(owed.kind.rawValue) (\(owed.reason)) for an operator for ever")
            }
        }
        let seen = await StoredLog(store, adapter, NoZones(), time).verify()
        report.sends = seen.sends
        report.fingerprint = seen.fingerprint
        for violation in seen.violations { violate(violation) }
    }
}

extension Payment {
    /// The sums that the provider's books have, too.
    fileprivate var booked: Sums {
        let sums = amounts
        return Sums(
            authorized: sums.authorized,
            captured: sums.captured,
            released: sums.released,
            refunded: sums.refunded
        )
    }
}
