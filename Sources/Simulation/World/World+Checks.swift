import Crypto
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import TestKit

extension World {
    /// What must hold after every moment, for every payment that something happened to.
    func check() {
        var touched: Set<StreamName> = []
        for recorded in news() {
            report.events += 1
            guard recorded.stream.kind.isPayment else { continue }
            touched.insert(recorded.stream)
            guard let event = try? PaymentEvent(type: recorded.type, data: recorded.data) else {
                violate("an event that can't be read: \(recorded.type)")
                continue
            }
            trace(
                "  \(recorded.stream.id) \(recorded.version) \(recorded.type) "
                    + String(decoding: recorded.data, as: UTF8.self)
            )
            books[recorded.stream, default: Payment(id: PaymentId(recorded.stream.id))].evolve(event)
        }
        for violation in model.violations { violate("double: \(violation)") }
        if let refused = store.quarantined.first { violate("an input in quarantine: \(refused.reason)") }
        for stream in touched.sorted() { check(stream) }
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
        checkObligations(stream, payment)
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

    /// What must hold when everything has come to rest.
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
        await checkLicences()
        await checkReplay()
        report.fingerprint = fingerprint()
    }

    private func checkLicences() async {
        let check = LicenceCheck(store: store, adapters: AdapterRegistry([adapter]))
        do throws(StoreFailure) {
            let seen = try await check.verify()
            report.sends = seen.sends
            for breach in seen.breaches { violate("licence: \(breach.json.canonicalText)") }
        } catch {
            violate("the licences can't be read: \(error.detail)")
        }
    }

    private func checkReplay() async {
        let deciders = Deciders(adapters: AdapterRegistry([adapter]))
        let contexts = Contexts(
            book: AccountBook(store: store),
            publicUrl: "",
            zones: NoZones(),
            clock: { [time] in time.now }
        )
        do throws(StoreFailure) {
            let seen = try await Replay(store: store, deciders: deciders, contexts: contexts).verify()
            for difference in seen.differences { violate("replay: \(difference.what) of \(difference.stream)") }
            for stream in seen.brokenStreams { violate("replay: holes in \(stream)") }
        } catch {
            violate("the log can't be replayed: \(error.detail)")
        }
    }

    private func fingerprint() -> String {
        var bytes: [UInt8] = []
        for event in store.recorded(from: 0) {
            bytes += Array("\(event.stream) \(event.version) \(event.type) ".utf8) + event.data
        }
        return Hex.encode(Digest.sha256(bytes))
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
