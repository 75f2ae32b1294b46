import Crypto
import Decisions
import Engine
import EventSourcing
import Kernel
import Projections
import ProviderKit
import TestKit

/// The log that a world left behind: every send has its licence, it replays byte for byte, and its movements and public events are what
/// its payments say.
struct StoredLog {
    private let store: MemoryStore
    private let adapter: any Adapter
    private let zones: any ZoneSource
    private let time: SimulatedTime

    init(_ store: MemoryStore, _ adapter: any Adapter, _ zones: any ZoneSource, _ time: SimulatedTime) {
        self.store = store
        self.adapter = adapter
        self.zones = zones
        self.time = time
    }

    func verify() async -> (sends: Int, violations: [String], fingerprint: String) {
        var violations: [String] = []
        var sends = 0
        do throws(StoreFailure) {
            let seen = try await LicenseCheck(store: store, adapters: AdapterRegistry([adapter])).verify()
            sends = seen.sends
            violations += seen.breaches.map { "licence: \($0.json.canonicalText)" }
            let contexts = Contexts(
                book: AccountBook(store: store, recovery: NoRecovery()),
                publicUrl: "",
                zones: zones,
                clock: { [time] in time.now }
            )
            let deciders = Deciders(adapters: AdapterRegistry([adapter]))
            let replayed = try await Replay(store: store, deciders: deciders, contexts: contexts).verify()
            violations += replayed.differences.map { "replay: \($0.what) of \($0.stream)" }
            violations += replayed.brokenStreams.map { "replay: holes in \($0)" }
            violations += try BooksCheck.differences(in: store.recorded(from: 0)).map { "books: \($0)" }
            violations += try EventsCheck.differences(in: store.recorded(from: 0)).map { "events: \($0)" }
        } catch {
            violations.append("the log can't be read: \(error.detail)")
        }
        return (sends, violations, fingerprint)
    }

    private var fingerprint: String {
        var bytes: [UInt8] = []
        for event in store.recorded(from: 0) {
            bytes += Array("\(event.stream) \(event.version) \(event.type) ".utf8) + event.data
        }
        return Hex.encode(Digest.sha256(bytes))
    }
}
