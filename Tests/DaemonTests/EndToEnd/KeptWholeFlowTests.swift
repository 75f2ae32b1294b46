import Http
import Kernel
import Testing

/// What a provider answered is kept whole, also where PostgreSQL can't give the payer's key for a moment.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct KeptWholeFlowTests {
    @Test func `a payer's address comes through although the keys of subjects can't be read when it arrives`()
        async throws
    {
        try await Stage.run("e2ekeptwhole") { stage, daemon in
            try await stage.addWorldline(daemon)
            try await stage.execute("ALTER TABLE paystream.subject_key RENAME TO subject_key_away")
            let sale = try await stage.worldline(daemon, "whole", 1000)
            try await stage.waitForEffect(in: "2")
            try await Task.sleep(for: .seconds(1))
            #expect(try await stage.exchange(daemon, .get, "/v1/payments/\(sale)/next-action").status != 404)
            try await stage.execute("ALTER TABLE paystream.subject_key_away RENAME TO subject_key")
            try await stage.pressWorldline(daemon, sale, ["approve"])
            try await stage.wait(daemon, sale, for: "captured")
            #expect(try await stage.worldlineLedger(daemon, sale) == ["charge 1000"])
            try await stage.verifyReplay()
        }
    }

    @Test(arguments: ["hosted", "sdk"])
    func `an address that could not be kept is asked for again under the same key`(method: String) async throws {
        try await Stage.run("e2ekeptcut\(method)") { stage, daemon in
            let provider = try stage.toldProvider()
            // As a log has it whose payer had no key: the values are gone, their names are there.
            let cut = ToldProvider.Answer.changed { answer in
                guard let body = try? Json(answer.body) else { return answer }
                let place = body["merchantAction"] == nil ? [] : ["merchantAction", "redirectData"]
                let names = place.isEmpty ? ["redirectUrl", "RETURNMAC"] : ["redirectURL", "RETURNMAC"]
                return .json(answer.status, names.reduce(body) { $0.setting(place + [$1], .null) })
            }
            provider.tell(cut, times: .max) { message in
                message.path.hasSuffix("/payments") || message.path.hasSuffix("/hostedcheckouts")
            }
            let account = try await stage.addWorldline(daemon, at: provider.address)
            let sale: String
            if method == "sdk" {
                let input = try await stage.appInput(daemon, account, card: "challenge")
                sale = try await stage.appPayment(daemon, "cut", 1000, input)
            } else {
                sale = try await stage.worldline(daemon, "cut", 1000)
            }
            try await stage.until("the address is known to lack") { () -> Stage.Look<Void> in
                try await stage.agree(daemon, sale)
                let shown = try await stage.payment(daemon, sale)
                let owed = shown["obligations"]?.items?.compactMap { $0["reason"]?.text } ?? []
                return owed == ["address_lost"] ? .done(()) : .notYet(shown.canonicalText)
            }
            provider.forget()
            try await stage.press(try await stage.worldlinePage(daemon, sale), method == "sdk" ? "pass" : "approve")
            try await stage.wait(daemon, sale, for: "captured")
            #expect(try await stage.worldlineLedger(daemon, sale) == ["charge 1000"])
            let keys = Set(provider.messages(naming: try await stage.providerName(daemon, sale)).compactMap(\.key))
            #expect(keys.count == 1, "\(keys)")
            try await stage.verifyReplay()
        }
    }

    @Test func `an address that nobody tells again closes the attempt, and the reason is told`() async throws {
        try await Stage.run("e2ekeptcutsber") { stage, daemon in
            let provider = try stage.toldProvider()
            let cut = ToldProvider.Answer.changed { answer in
                (try? Json(answer.body)).map { .json(answer.status, $0.setting(["formUrl"], .null)) } ?? answer
            }
            provider.tell(cut, times: .max, on: "register")
            let legacy: [(String, Json)] = [("baseUrl", .string(provider.address + "/sberpay"))]
            try await stage.addSberPay(daemon, "legacy", legacy)
            let sale = try await stage.sberPay(daemon, "cut", 1900, at: "legacy")
            let failed = try await stage.wait(daemon, sale, for: "failed")
            #expect(failed.at("attempt", "ending", "decline", "code")?.text == "link_lost", "\(failed.canonicalText)")
        }
    }
}
