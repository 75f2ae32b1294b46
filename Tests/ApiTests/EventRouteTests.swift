import Api
import EventSourcing
import Http
import Kernel
import TestKit
import Testing

/// The event feed over the real engine and the memory store.
struct EventRouteTests {
    @Test func `cursors belong to a merchant, an epoch and a log, and whoever holds another is told which`()
        async throws
    {
        try await ApiHarness.run { api in
            _ = try await api.held(key: "one")
            func code(_ after: String, token: String = ApiHarness.allKey) async throws -> String {
                let answer = try await api.send(.get, "/v1/events?after=\(after)", token: token)
                return "\(answer.status) \(answer.code ?? "")"
            }
            let now = MemoryTables.epoch
            #expect(try await code(StatusTour.cursor(0, epoch: now)) == "200 ")
            #expect(try await code(StatusTour.cursor(0, epoch: now, merchant: 2)) == "400 cursor_foreign")
            #expect(try await code(StatusTour.cursor(0, epoch: now), token: "psk_other") == "400 cursor_foreign")
            #expect(try await code(StatusTour.cursor(5, epoch: .epoch)) == "410 events_lost")
            #expect(try await code(StatusTour.cursor(5_000_000, epoch: now)) == "409 cursor_ahead")
            #expect(try await code(StatusTour.cursor(0, epoch: now.adding(.seconds(1)))) == "409 cursor_ahead")
            for forged in ["A", "latest1", StatusTour.cursor(0, epoch: now).dropLast() + "."] {
                #expect(try await code(forged) == "400 cursor_invalid", "\(forged)")
            }
            let list = try await api.send(.get, "/v1/payments?limit=1").expect(200)
            if let other = list.json["next"]?.text { #expect(try await code(other) == "400 cursor_invalid") }
        }
    }

    @Test func `pages of any size give the same events, and a filter passes over the others`() async throws {
        try await ApiHarness.run { api in
            for key in ["one", "two"] { _ = try await api.held(key: key) }
            let whole = try await api.send(.get, "/v1/events?limit=500").expect(200).json
            let all = try #require(whole["items"]?.items)
            #expect(whole["hasMore"] == false && all.count > 4)
            for size in [1, 3] {
                var (found, cursor, more) = ([Json](), "", true)
                while more {
                    let after = cursor.isEmpty ? "" : "&after=\(cursor)"
                    let page = try await api.send(.get, "/v1/events?limit=\(size)\(after)").expect(200).json
                    found += page["items"]?.items ?? []
                    cursor = try #require(page["next"]?.text)
                    more = page["hasMore"] == true
                }
                #expect(found == all)
            }
            let held = try await api.send(.get, "/v1/events?types=payment.authorised,dispute.*").expect(200).json
            #expect(held["items"]?.items == all.filter { $0["type"] == "payment.authorised" })
            let id = try #require(all.first?.at("resource", "id")?.text)
            let one = try await api.send(.get, "/v1/events?resource=\(id)").expect(200).json
            #expect(one["items"]?.items == all.filter { $0.at("resource", "id")?.text == id })
        }
    }

    @Test func `a word that names no type is refused with those that do`() async throws {
        try await ApiHarness.run { api in
            for words in ["payment", "payment.", "payment.*x", "*", "payment.created,", ",", "PAYMENT.*"] {
                let answer = try await api.send(.get, "/v1/events?types=\(words)")
                #expect(answer.status == 422 && answer.code == "word_unknown", "\(words): \(answer.status)")
                #expect(answer.json["known"]?.items?.contains("payment.created") == true)
            }
        }
    }
}
