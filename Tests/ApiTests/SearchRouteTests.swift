import Api
import Crypto
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import TestKit
import Testing

/// Searches as they are asked for: the words, and cursors that belong to one list and one filter.
struct SearchRouteTests {
    @Test func `payments are found by what a support agent has`() async throws {
        try await ApiHarness.run { api throws in
            let id = try await api.create(key: "one")
            for found in [
                "amount=1999", "amountFrom=1999&amountTo=1999", "amountFrom=1000&currency=EUR", "method=hosted",
                "accountMode=test",
                "provider=ecommpay&needsOperator=false",
            ] {
                let page = try await api.get("/v1/payments?\(found)").expect(200)
                #expect(page.json["items"]?.items?.compactMap { $0["id"]?.text } == ["\(id)"], "\(found)")
            }
            for missed in [
                "amount=1998", "amountTo=1998", "currency=UAH", "method=sdk", "accountMode=live", "provider=dolyame",
            ] {
                #expect(try await api.get("/v1/payments?\(missed)").expect(200).json["items"]?.items == [], "\(missed)")
            }
        }
    }

    @Test func `an address is found by its code, whatever its case`() async throws {
        try await ApiHarness.run { api throws in
            var body = ApiHarness.sale()
            guard case .object(var members) = body else { return }
            members["customer"] = "eve"
            members["details"] = ["payer": ["email": "Eve@Example.org"]]
            body = .object(members)
            try await api.post("/v1/payments", body, key: "eve").expect(202)
            _ = try await api.create(key: "other")
            let found = try await api.get("/v1/payments?email=eve%40example.org%20").expect(200)
            #expect(found.json["items"]?.items?.count == 1)
            #expect(try await api.get("/v1/payments?email=bob%40example.org").expect(200).json["items"]?.items == [])
        }
    }

    @Test(arguments: [
        ("amount=-1", "amount"), ("amount=1e3", "amount"), ("amountFrom=99999999999999999999", "amountFrom"),
        ("amount=5&amountTo=6", "amount"), ("currency=eur", "currency"), ("currency=XXQ", "currency"),
        ("method=cash", "method"),
        ("accountMode=dead", "accountMode"), ("card=0056y", "card"), ("card=12345678901234*", "card"),
    ])
    func `a word that is none is refused by its name`(_ query: String, _ path: String) async throws {
        try await ApiHarness.run { api throws in
            let answer = try await api.get("/v1/payments?\(query)").expect(400)
            #expect(answer.code == "query_invalid" && answer.path == path)
        }
    }

    @Test func `a cursor goes on in its own list with its own filter, and nowhere else`() async throws {
        try await ApiHarness.run { api throws in
            for number in 0..<4 { _ = try await api.create(key: "create-\(number)") }
            let page = try await api.get("/v1/payments?limit=2&amount=1999&method=hosted").expect(200)
            let next = try #require(page.json["next"]?.text)
            // Rows that are added meanwhile stand before it.
            api.clock.advance(by: .seconds(1))
            _ = try await api.create(key: "later")
            let rest = try await api.get("/v1/payments?method=hosted&amount=1999&limit=50&cursor=\(next)").expect(200)
            #expect(rest.json["items"]?.items?.count == 2)
            let seen = (page.json["items"]?.items ?? []) + (rest.json["items"]?.items ?? [])
            #expect(Set(seen.compactMap { $0["id"]?.text }).count == 4)
            let forged = (next.first == "A" ? "B" : "A") + next.dropFirst()
            for wrong in [
                "/v1/payments?cursor=\(next)", "/v1/payments?amount=1998&method=hosted&cursor=\(next)",
                "/v1/transfers?method=hosted&amount=1999&cursor=\(next)", "/v1/instruments?cursor=\(next)",
                "/v1/payments?amount=1999&method=hosted&cursor=\(forged)",
                "/v1/payments?amount=1999&method=hosted&cursor=\(next.dropLast())",
            ] {
                #expect(try await api.get(wrong).expect(400).code == "cursor_invalid", "\(wrong)")
            }
        }
    }

    @Test func `a cursor of another merchant is a stranger's, one from before a new master key is not`() throws {
        let (old, new) = (
            MasterKey(SymmetricKey(from: SeededRandom(seed: 1))), MasterKey(SymmetricKey(from: SeededRandom(seed: 2)))
        )
        func seal(_ ring: KeyRing, _ merchant: Int32, _ value: String = "x") -> CursorSeal {
            CursorSeal(ring, merchant: MerchantNumber(merchant), list: "payments", filter: [("a", value), ("b", "y")])
        }
        let place = PageCursor(createdAt: Timestamp(microseconds: -5), id: Uuid(high: 1, low: 2))
        let word = seal(KeyRing(newest: old), 1).text(place)
        #expect(seal(KeyRing(newest: old), 1).cursor(word) == place)
        #expect(seal(KeyRing(newest: new, older: [old]), 1).cursor(word) == place)
        #expect(seal(KeyRing(newest: new), 1).cursor(word) == nil)
        #expect(seal(KeyRing(newest: old), 2).cursor(word) == nil)
        #expect(seal(KeyRing(newest: old), 1, "z").cursor(word) == nil)
    }
}
