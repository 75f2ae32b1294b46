import Glibc
import Http
import Kernel
import Sandbox
import Testing

/// Transfers to another card through the simulated Portmone: the recipient's number stays in the app.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct PortmoneTransferTests {
    @Test func `an app's transfer is booked on the provider's word alone`() async throws {
        try await Stage.run("e2etransfer") { stage, daemon in
            try await stage.addPortmone(daemon)
            let id = try await stage.transfer(daemon, "gift", 15000)
            try await stage.claim(daemon, id, try await stage.playApp(daemon, id, "approve"), key: "gift")
            try await stage.waitTransfer(daemon, id, for: "transferred")
            #expect(try await stage.portmoneLedger(daemon, id, at: "transfers") == ["transfer 15000"])
            let shown = try await stage.call(daemon, .get, "/v1/transfers/\(id)")
            #expect(shown.at("amounts", "captured")?.integer == 0)
            #expect(shown.at("amounts", "transferred")?.integer == 15000)

            let listed = try await stage.command(["transfers", "--merchant", "demo", "--json", "list"])
            #expect(listed.contains(id))
            let payments = try await stage.call(daemon, .get, "/v1/payments")
            #expect(payments["items"]?.items?.isEmpty == true)
            let back = try await stage.exchange(daemon, .post, "/v1/payments/\(id)/refund", [:], key: "back")
            #expect(back.status == 404)
            try await stage.verifyReplay()
        }
    }

    @Test func `a claim alone moves nothing, and a decline ends the transfer`() async throws {
        try await Stage.run("e2etransferno") { stage, daemon in
            try await stage.addPortmone(daemon, ["declineIsFinal": true])
            let id = try await stage.transfer(daemon, "liar", 700)
            let reference = try await stage.providerName(daemon, id, at: "transfers")
            let lie: Json = [
                "call": "transfer", "billNumber": .string(reference), "payeeId": "1185",
                "bill": ["billId": "1", "status": "PAYED", "billAmount": "7.00"],
            ]
            try await stage.claim(daemon, id, lie, key: "lie")
            try await stage.waitTransfer(daemon, id, for: "requiresAction")
            try await stage.claim(daemon, id, try await stage.playApp(daemon, id, "decline"), key: "declined")
            try await stage.waitTransfer(daemon, id, for: "failed")
            #expect(try await stage.portmoneLedger(daemon, id, at: "transfers").isEmpty)
            let wrong: Json = ["call": "transfer", "billNumber": "another", "cancelled": true]
            let refused = try await stage.exchange(daemon, .post, "/v1/transfers/\(id)/confirm", wrong, key: "wrong")
            #expect(refused.status == 422)
        }
    }

    @Test func `a lost answer to the question is asked again`() async throws {
        try await Stage.run("e2etransferlost") { stage, daemon in
            try await stage.addPortmone(daemon)
            let id = try await stage.transfer(daemon, "lost", 900)
            let claim = try await stage.playApp(daemon, id, "approve")
            try await stage.control("/portmone/sandbox/faults", ["fault": "errorAfter", "on": "result", "times": 2])
            try await stage.claim(daemon, id, claim, key: "lost")
            try await stage.waitTransfer(daemon, id, for: "transferred")
            #expect(try await stage.portmoneLedger(daemon, id, at: "transfers") == ["transfer 900"])
            try await stage.verifyReplay()
        }
    }

    @Test func `a transfer that succeeds after its expiry is booked and somebody is told`() async throws {
        try await Stage.run("e2etransferlate") { stage, daemon in
            try await stage.addPortmone(daemon, ["payerWindowSeconds": 1])
            let end = Timestamp(seconds: Int64(time(nil)) + 3)
            let id = try await stage.transfer(daemon, "late", 1200, expiresAt: end)
            let parameters = try await stage.appParameters(daemon, id)
            try await stage.waitTransfer(daemon, id, for: "expired")
            _ = try await stage.playApp(parameters, "approve")
            // A question that follows another too closely is not asked.
            var tries = 0
            let paid = try await stage.until("\(id) is transferred") {
                tries += 1
                let asked = try await stage.call(daemon, .post, "/v1/transfers/\(id)/sync", [:], key: "late-\(tries)")
                return asked["status"]?.text == "transferred" ? .done(asked) : .notYet(asked.canonicalText)
            }
            let owed = paid["obligations"]?.items ?? []
            #expect(owed.compactMap { $0["kind"]?.text } == ["lateSuccess"])
        }
    }

    @Test func `a transfer to a card that the provider keeps goes by its page`() async throws {
        try await Stage.run("e2etransferpage") { stage, daemon in
            try await stage.addPortmone(daemon, ["transferMode": "linkMoneyTransfer"])
            let id = try await stage.transfer(
                daemon,
                "page",
                4200,
                method: "hosted",
                details: ["transfer": ["recipientBillId": "77"]]
            )
            try await stage.press(daemon, id, ["threeDS", "pass"], at: "transfers")
            try await stage.waitTransfer(daemon, id, for: "transferred")
            #expect(try await stage.portmoneLedger(daemon, id, at: "transfers") == ["transfer 4200"])
        }
    }
}

extension Stage {
    func transfer(
        _ daemon: DaemonProcess,
        _ name: String,
        _ minor: Int64,
        method: String = "sdk",
        details: Json = [:],
        expiresAt: Timestamp? = nil
    ) async throws -> String {
        let body = Json.compact([
            ("account", "portmone-uah"), ("method", .string(method)), ("amount", Self.hryvnias(minor)),
            ("reference", .string(name)), ("customer", "cust-1"), ("details", details),
            ("expiresAt", expiresAt.map { .string($0.wholeSeconds) }),
        ])
        let made = try await call(daemon, .post, "/v1/transfers", body, key: "\(name)-create")
        guard let id = made["id"]?.text else { throw Failure(description: "no id in \(made.canonicalText)") }
        return id
    }

    func waitTransfer(_ daemon: DaemonProcess, _ id: String, for status: String) async throws {
        try await wait(daemon, id, for: status, at: "transfers")
    }

    func appParameters(_ daemon: DaemonProcess, _ id: String, at resource: String = "transfers") async throws -> Json {
        try await call(daemon, .post, "/v1/\(resource)/\(id)/app-parameters", [:])["parameters"] ?? .null
    }

    /// Plays the app's SDK with what it is given, and makes the claim that the app would report.
    func playApp(_ daemon: DaemonProcess, _ id: String, _ action: String, at resource: String = "transfers")
        async throws -> Json
    {
        try await playApp(try await appParameters(daemon, id, at: resource), action)
    }

    func playApp(_ parameters: Json, _ action: String) async throws -> Json {
        let answer = try await control(
            "/portmone/sandbox/app",
            ["action": .string(action), "parameters": parameters]
        )
        return .compact([
            ("call", parameters["call"]), ("billNumber", parameters.at("params", "billNumber")), ("payeeId", "1185"),
            ("bill", answer["bill"]?.isNull == false ? answer["bill"] : nil), ("cancelled", answer["cancelled"]),
        ])
    }

    func claim(_ daemon: DaemonProcess, _ id: String, _ claim: Json, key: String, at resource: String = "transfers")
        async throws
    {
        try await call(daemon, .post, "/v1/\(resource)/\(id)/confirm", claim, key: "\(key)-claim")
    }
}
