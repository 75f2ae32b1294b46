import Http
import Kernel
import Testing

/// A support agent looks for payments: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SearchFlowTests {
    @Test func `payments are found by address, card, name at the provider and amount, over HTTP and by the command`()
        async throws
    {
        try await Stage.run("searchflow") { stage, daemon in
            let sold = try await stage.paid(daemon, "sold", 7700)
            let card = try await stage.ecommpayCard(daemon, "card")
            let stranger: Json = ["payer": ["email": "Other.One@example.org"]]
            let other = try await stage.call(
                daemon,
                .post,
                "/v1/payments",
                Stage.newPayment("other", 500, more: [("details", stranger)]),
                key: "other"
            )
            let otherId = try #require(other["id"]?.text)
            try await stage.until("the list knows all of them") {
                let found = try await stage.found(daemon, "limit=50")
                return found.count == 3 ? .done(()) : .notYet("\(found)")
            }
            let names = try await stage.payment(daemon, sold)
            let transaction = try await stage.text(
                "SELECT provider_reference FROM paystream.movements WHERE id = '\(sold)' AND movement = 'captured'"
            )
            let attempt = try #require(names.at("attempt", "reference")?.text)
            for word in ["amount=7700", "amountFrom=7000&amountTo=8000&currency=EUR&provider=ecommpay"] {
                #expect(try await stage.found(daemon, word) == [sold], "\(word)")
            }
            for name in [transaction, attempt] {
                #expect(try await stage.found(daemon, "providerReference=\(name)") == [sold], "\(name)")
            }
            #expect(try await stage.found(daemon, "email=payer%40example.org&reference=sold") == [sold])
            #expect(try await stage.found(daemon, "email=payer%40example.org").count == 2)
            #expect(try await stage.found(daemon, "email=OTHER.one%40example.org") == [otherId])
            #expect(try await stage.found(daemon, "email=nobody%40example.org").isEmpty)
            let mask = try #require(try await stage.call(daemon, .get, "/v1/instruments/\(card)")["masked"]?.text)
            try await stage.until("the card is in its list") {
                let found = try await stage.found(daemon, "card=\(mask.replacing("*", with: "%2A"))")
                return found.count == 1 ? .done(()) : .notYet("\(found)")
            }
            // No address stands anywhere in the clear.
            let plain = "paystream.payer_index i WHERE i::text ILIKE '%example%'"
            #expect(try await stage.count(plain) == 0)
            #expect(try await stage.count("paystream.payer_index") == 3)
            try await stage.commandFinds(mask)
            try await stage.isPaged(daemon)
            try await stage.indexes(daemon, otherId)
            try await stage.forgets(daemon, otherId)
            // Nobody opens the address of who is erased.
            let told = try await stage.noted()
            #expect(told["noted"] == 0 && told["closed"] == 1 && told["payments"] == 3, "\(told)")
            #expect(try await stage.found(daemon, "email=OTHER.one%40example.org").isEmpty)
            try await stage.verifyViews()
        }
    }
}

extension Stage {
    /// Ids of a search, the newest first.
    fileprivate func found(_ daemon: DaemonProcess, _ query: String) async throws -> [String] {
        let page = try await call(daemon, .get, "/v1/payments?\(query)")
        return (page["items"]?.items ?? []).compactMap { $0["id"]?.text }
    }

    /// Holds pages of a list against the whole, and a cursor against another filter.
    fileprivate func isPaged(_ daemon: DaemonProcess) async throws {
        let whole = try await found(daemon, "amountFrom=0")
        let page = try await call(daemon, .get, "/v1/payments?amountFrom=0&limit=1")
        let next = try #require(page["next"]?.text)
        #expect(try await found(daemon, "amountFrom=0&limit=1&cursor=\(next)") == Array(whole.dropFirst().prefix(1)))
        let foreign = try await exchange(daemon, .get, "/v1/payments?amountFrom=1&limit=1&cursor=\(next)")
        let code = try Json(foreign.body)["code"]
        #expect(foreign.status == 400 && code == "cursor_invalid")
    }

    /// The command finds what HTTP finds.
    fileprivate func commandFinds(_ mask: String) async throws {
        let words = ["payments", "search", "--email", "payer@example.org", "--json", "--limit"]
        #expect(try await command(words + ["5"]).split(separator: "\n").count == 2)
        let lines = try await command(words + ["1", "--card", mask])
        #expect(try Json(text: lines.split(separator: "\n").first.map(String.init) ?? "")["reference"] == "card")
        await #expect(throws: (any Error).self) {
            try await command(["payments", "search", "--cursor", "AAAA"])
        }
        await #expect(throws: (any Error).self) { try await command(["payments", "list", "--amount", "x"]) }
    }

    /// What the command tells behind its progress.
    fileprivate func noted() async throws -> Json {
        let lines = try await command(["payments", "--json", "index"]).split(separator: "\n")
        return try Json(text: String(lines.last ?? ""))
    }

    /// Payments of before the index are found once their addresses are noted from the log, each once.
    fileprivate func indexes(_ daemon: DaemonProcess, _ otherId: String) async throws {
        let kept = try await text(
            "SELECT md5(string_agg((i.merchant, i.code, i.subject, i.customer)::text, '' ORDER BY code)) FROM paystream.payer_index i"
        )
        try await execute("DELETE FROM paystream.payer_index")
        #expect(try await found(daemon, "email=OTHER.one%40example.org").isEmpty)
        let first = try await noted()
        #expect(first["noted"] == 3 && first["closed"] == 0 && first["payments"] == 3, "\(first)")
        #expect(try await found(daemon, "email=OTHER.one%40example.org") == [otherId])
        #expect(try await found(daemon, "email=payer%40example.org").count == 2)
        #expect(
            try await text(
                "SELECT md5(string_agg((i.merchant, i.code, i.subject, i.customer)::text, '' ORDER BY code)) FROM paystream.payer_index i"
            ) == kept
        )
        let again = try await noted()
        #expect(again["noted"] == 0 && again["payments"] == 3, "\(again)")
    }

    /// Who is erased is found no longer.
    fileprivate func forgets(_ daemon: DaemonProcess, _ otherId: String) async throws {
        try await execute(
            """
            SELECT paystream.forget_payer(merchant, subject) FROM paystream.payer_index
             WHERE payment = '\(otherId.dropFirst(4))'::uuid
            """
        )
        #expect(try await found(daemon, "email=OTHER.one%40example.org").isEmpty)
        #expect(try await count("paystream.payer_index") == 2)
    }
}
