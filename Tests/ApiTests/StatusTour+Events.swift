import Api
import Crypto
import EventSourcing
import Http
import Kernel
import Projections
import TestKit

/// The event feed of the harness: what its memory store recorded.
extension StatusTour {
    var isAboutEvents: Bool { route.pattern.hasPrefix("/v1/events") }

    /// An event that is there.
    func eventValues() async throws -> [String: String] {
        _ = try await api.held(key: "tour")
        let page = try await api.send(.get, "/v1/events?limit=1").expect(200)
        return ["event": page.json["items"]?.items?.first?["id"]?.text ?? ""]
    }

    /// What cursors and filters lead to.
    func eventStatuses() async throws -> [Int] {
        guard route.id == "listEvents" else { return [] }
        let lost = Self.cursor(5, epoch: .epoch)
        let ahead = Self.cursor(1_000_000, epoch: MemoryTables.epoch)
        var seen: [Int] = []
        for query in ["resource=pay_\(String(repeating: "0", count: 32))", "after=\(lost)", "after=\(ahead)"] {
            seen.append(try await api.send(.get, "/v1/events?\(query)").status)
        }
        return seen
    }

    static func cursor(_ position: Int64, epoch: Timestamp, merchant: Int32 = 1) -> String {
        let ring = KeyRing(newest: MasterKey(SymmetricKey(from: SeededRandom(seed: 7))))
        return EventCursor(
            merchant: MerchantNumber(merchant),
            position: EventPosition(position, 0),
            epoch: epoch
        ).text(ring)
    }
}
