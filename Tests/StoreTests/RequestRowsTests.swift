import EventSourcing
import Kernel
import Postgres
import Store
import TestKit
import Testing

/// The request log's rows: found by their requests, and bounded.
struct RequestRowsTests {
    private static let start = Timestamp(seconds: 1_800_000_000)

    /// A page of so many requests in a second, of which the first is so many seconds behind the start.
    private static func page(_ merchant: MerchantNumber, second: Int64, requests: Int) -> RequestRows.Page {
        let at = start.adding(.seconds(second))
        return RequestRows.Page(
            merchant: merchant,
            first: .version7(at: at, random: (0, 1)),
            last: .version7(at: at.adding(.milliseconds(900)), random: (0, UInt64(requests))),
            requests: requests,
            lines: Array("line \(second)".utf8)
        )
    }

    @Test func `pages come newest first, enough of them, and never another merchant's`() async throws {
        try await withPostgres { store, _ async throws in
            let rows = RequestRows(store)
            let (one, other) = (MerchantNumber(1), MerchantNumber(2))
            let pages = (0..<20).map { Self.page(one, second: $0, requests: 10) }
            try await rows.keep(pages + [Self.page(other, second: 30, requests: 1)])
            try await rows.keep(pages)
            func seconds(_ found: [RequestRows.Page]) -> [String] {
                found.map { String(decoding: $0.lines.dropFirst(5), as: UTF8.self) }
            }
            let newest = try await rows.pages(endingBefore: nil, beginningBefore: nil, requests: 25, of: one)
            #expect(seconds(newest) == ["19", "18", "17"])
            let next = try await rows.pages(endingBefore: newest[2].last, beginningBefore: nil, requests: 1, of: one)
            #expect(seconds(next) == ["16"])
            let early = try await rows.pages(endingBefore: nil, beginningBefore: pages[1].last, requests: 99, of: one)
            #expect(seconds(early) == ["1", "0"])
            #expect(seconds(try await rows.pages(around: pages[7].first, of: one)) == ["7"])
            #expect(try await rows.pages(around: pages[7].first, of: other).isEmpty)
        }
    }

    @Test func `a merchant keeps its newest requests, and nobody keeps old ones`() async throws {
        try await withPostgres { store, _ async throws in
            let rows = RequestRows(store)
            let registers = Registers(store)
            let one = try await registers.makeMerchant(named: "one").number
            let other = try await registers.makeMerchant(named: "other").number
            try await rows.keep((0..<20).map { Self.page(one, second: $0, requests: 10) })
            try await rows.keep((0..<20).map { Self.page(other, second: $0, requests: 10) })
            #expect(try await rows.trim([one], to: 45) == 15)
            #expect(try await rows.trim([one], to: 45) == 0)
            #expect(try await rows.pages(endingBefore: nil, beginningBefore: nil, requests: 999, of: other).count == 20)
            #expect(try await rows.drop(before: Self.start.adding(.seconds(18)), ofEach: 4) == 4 + 3)
            while try await rows.drop(before: Self.start.adding(.seconds(18)), ofEach: 4) > 0 {}
            for merchant in [one, other] {
                let left = try await rows.pages(endingBefore: nil, beginningBefore: nil, requests: 999, of: merchant)
                #expect(left.count == 2)
            }
        }
    }
}
