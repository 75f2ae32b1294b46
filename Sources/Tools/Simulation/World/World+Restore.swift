import Engine
import EventSourcing
import Kernel
import Payments
import TestKit

/// A database that goes back to a backup while the provider's books go on.
extension World {
    /// Plans a loss.
    func planLostTail() {
        guard isStormy, random.chance(plan.faults.lostTail) else { return }
        let made = now.adding(random.duration(upTo: .seconds(6000)))
        agenda.add(.backup, at: made)
        agenda.add(.loseTail, at: made.adding(random.duration(upTo: .seconds(600))))
    }

    /// Loses what was written since the backup.
    ///
    /// Either a person begins a recovery epoch and the daemons start anew; or a standby has taken over, and the daemons run on
    /// with all that they remember until one of them notices. Clients use their keys again.
    func loseTail() {
        guard let backup else { return }
        store.restore(backup.store)
        let isByHand = random.chance(500)
        if isByHand { store.beginRecovery() }
        model.hasLostTail = true
        self.backup = nil
        readEvents = 0
        books = [:]
        if isByHand { for index in nodes.indices { boot(index) } }
        for client in clients {
            let forgotten = client.sent.filter { $0.receivedAt >= backup.at }
            let known = Set(client.unsure.map(\.id))
            clients[client.number].unsure += forgotten.filter { !known.contains($0.id) }
            for _ in forgotten { agenda.add(.client(client.number), at: now.adding(.seconds(random.number(1...60)))) }
            agenda.add(.sync(client.number), at: now.adding(.seconds(random.number(1800...3600))))
        }
        check()
    }
}
