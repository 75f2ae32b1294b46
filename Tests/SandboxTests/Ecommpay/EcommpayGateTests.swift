import Kernel
import Sandbox
import Testing

struct EcommpayGateTests {
    @Test func `an acceptance is no result: the outcome comes later`() {
        var driver = SimulatorDriver()
        driver.paid("a", operation: "auth")
        let answer = driver.gate("card/capture", "a", [SimulatorDriver.sum(1999)])
        #expect(answer.json?["status"] == "success")
        #expect(answer.json?["request_id"]?.text?.isEmpty == false)
        #expect(driver.gate("status", "a").json?.at("payment", "status") == "processing")
        #expect(driver.totals("a").captured == 0)
        driver.settle()
        #expect(driver.story("a").last == "success | capture success")
        #expect(driver.totals("a").captured == 1999)
    }

    @Test func `requests without a good envelope are refused with the documented codes`() throws {
        var driver = SimulatorDriver()
        driver.paid("a")
        func send(_ body: [UInt8], _ path: String = "/v2/payment/status") -> String? {
            var copy = driver
            return copy.send("POST", path, body: body).code
        }
        #expect(send(Array("{".utf8)) == "2003")
        #expect(send(Array("[]".utf8)) == "2003")
        #expect(send(Array("{}".utf8)) == "2004")
        #expect(send(Array(#"{"general":{"project_id":1,"payment_id":"a"}}"#.utf8)) == "2442")
        #expect(send(Array(#"{"general":{"project_id":42,"payment_id":"a"}}"#.utf8)) == "3262")
        #expect(send(Array(#"{"general":{"project_id":42,"payment_id":"a","signature":"x"}}"#.utf8)) == "3261")
        var tampered = try Json(SimulatorDriver.gateBody("a", [SimulatorDriver.sum(5)])).members
        tampered?["payment"] = ["amount": 6, "currency": "EUR"]
        #expect(send(Json.object(try #require(tampered)).compactBytes, "/v2/payment/card/refund") == "3261")
        #expect(driver.send("POST", "/v2/payment/nothing/here").status == 404)
        #expect(driver.send("GET", "/v2/payment/status").status == 405)
    }

    @Test func `the state and the amounts are checked before anything is accepted`() {
        var driver = SimulatorDriver()
        driver.paid("sale")
        driver.paid("hold", operation: "auth")
        #expect(driver.gate("card/refund", "nobody", [SimulatorDriver.sum(1)]).code == "3061")
        #expect(driver.gate("card/capture", "sale", [SimulatorDriver.sum(1)]).code == "3060")
        #expect(driver.gate("card/cancel", "sale").code == "3060")
        #expect(driver.gate("card/refund", "hold", [SimulatorDriver.sum(1)]).code == "3060")
        #expect(driver.gate("card/capture", "hold", [SimulatorDriver.sum(2000)]).code == "3283")
        #expect(driver.gate("card/capture", "hold").code == "3286")
        #expect(driver.gate("card/refund", "sale", [SimulatorDriver.sum(2000)]).code == "3283")
        #expect(driver.gate("card/refund", "sale", [SimulatorDriver.sum(1, "USD")]).code == "3284")
        #expect(driver.gate("card/refund", "sale", [("payment", ["amount": 1])]).code == "3287")
        #expect(driver.gate("card/refund", "sale", [("payment", ["amount": "1", "currency": "EUR"])]).code == "3286")
        driver.settle()
        #expect(driver.totals("sale").kept == 1999)
        #expect(driver.totals("hold").reserved == 1999)
    }

    @Test func `a second capture is refused, also while the first runs`() {
        var driver = SimulatorDriver()
        driver.paid("a", operation: "auth")
        #expect(driver.gate("card/capture", "a", [SimulatorDriver.sum(1999)]).status == 200)
        #expect(driver.gate("card/capture", "a", [SimulatorDriver.sum(1999)]).code == "3060")
        driver.settle()
        #expect(driver.gate("card/capture", "a", [SimulatorDriver.sum(1999)]).code == "3060")
        #expect(driver.totals("a").captured == 1999)
    }

    @Test func `a part captured leaves the rest to be released, or to be captured where several are allowed`() {
        var single = SimulatorDriver()
        single.paid("a", operation: "auth")
        single.gate("card/capture", "a", [SimulatorDriver.sum(1500)])
        single.settle()
        #expect(single.totals("a").released == 499)
        #expect(single.gate("status", "a").json?.at("payment", "sum", "amount") == 1500)
        var several = SimulatorDriver { $0.captures = .several }
        several.paid("a", operation: "auth")
        several.gate("card/capture", "a", [SimulatorDriver.sum(1500)])
        several.settle()
        #expect(several.totals("a").reserved == 499)
        several.gate("card/capture", "a", [SimulatorDriver.sum(400)])
        several.settle()
        several.gate("card/cancel", "a")
        several.settle()
        #expect(several.totals("a").captured == 1900)
        #expect(several.totals("a").released == 99)
        #expect(several.payment("a")?.status == .success)
    }

    @Test func `a smaller cancel lowers the hold, a full one ends it in either spelling`() {
        for word in [EcommpayPaymentStatus.cancelled, .canceled] {
            var driver = SimulatorDriver { $0.cancelWord = word }
            driver.paid("a", operation: "auth")
            driver.gate("card/cancel", "a", [SimulatorDriver.sum(999)])
            driver.settle()
            #expect(driver.story("a").last == "awaiting capture | cancel success")
            driver.gate("card/cancel", "a")
            driver.settle()
            #expect(driver.story("a").last == "\(word.rawValue) | cancel success")
            #expect(driver.totals("a").released == 1999)
        }
    }

    @Test func `refunds in parts shrink the sum, and a repeated refund id moves nothing`() {
        var driver = SimulatorDriver()
        driver.paid("a")
        driver.gate("card/refund", "a", [SimulatorDriver.sum(500, refundId: "r1")])
        #expect(driver.gate("refund", "a", [SimulatorDriver.sum(500, refundId: "r1")]).code == "3230")
        driver.settle()
        #expect(driver.gate("refund", "a", [SimulatorDriver.sum(500, refundId: "r1")]).code == "3230")
        let callback = driver.callbacks("a").last
        #expect(callback?.at("payment", "sum", "amount") == 1499)
        #expect(callback?.at("payment", "merchant_refund_id") == "r1")
        #expect(callback?.at("operation", "sum_initial", "amount") == 500)
        #expect(driver.gate("refund", "a", [SimulatorDriver.sum(1500, refundId: "r2")]).code == "3283")
        driver.gate("refund", "a", [SimulatorDriver.sum(1499, refundId: "r2")])
        driver.settle()
        #expect(driver.story("a").suffix(2) == ["partially refunded | refund success", "refunded | refund success"])
        #expect(driver.totals("a").kept == 0)
    }

    @Test func `two refunds at once never give back more than was paid`() {
        var driver = SimulatorDriver()
        driver.paid("a")
        #expect(driver.gate("refund", "a", [SimulatorDriver.sum(1200, refundId: "r1")]).status == 200)
        #expect(driver.gate("refund", "a", [SimulatorDriver.sum(1200, refundId: "r2")]).code == "3283")
        driver.settle()
        #expect(driver.totals("a").refunded == 1200)
    }

    @Test func `a full refund on the day of the payment is a reversal, later it is a refund`() {
        var driver = SimulatorDriver()
        driver.paid("a")
        driver.paid("b")
        driver.gate("card/refund", "a", [SimulatorDriver.sum(1999)])
        driver.settle()
        #expect(driver.story("a").last == "reversed | reversal success")
        driver.pass(.seconds(86_400))
        driver.gate("card/refund", "b")
        driver.settle()
        #expect(driver.story("b").last == "refunded | refund success")
    }

    @Test func `the status can be asked by request id`() {
        var driver = SimulatorDriver()
        driver.paid("a")
        let requestId = driver.gate("card/refund", "a", [SimulatorDriver.sum(1)]).json?["request_id"]?.text ?? ""
        func ask(_ id: String) -> [UInt8] {
            let body: Json = .compact([("project_id", 42), ("request_id", .string(id))])
            var members = body.members ?? JsonObject([])
            members["signature"] = .string(EcommpaySignature.sign(body, key: SimulatorDriver.secret))
            return Json.object(members).compactBytes
        }
        let found = driver.send("POST", "/v2/payment/status/request", body: ask(requestId))
        #expect(found.json?.at("payment", "id") == "a")
        let lost = driver.send("POST", "/v2/payment/status/request", body: ask("nobody"))
        #expect(lost.json?["errors"]?.items?.first?["code"] == "3061")
    }

    @Test func `a token pays without a form, once per payment id`() throws {
        var driver = SimulatorDriver()
        driver.paid("a")
        let token = try #require(driver.callbacks("a").last?.at("account", "token"))
        let members: [(String, Json?)] = [
            SimulatorDriver.sum(700), ("customer", ["id": "cust-7"]), ("token", token),
        ]
        #expect(driver.gate("card/sale/token", "b", members).status == 200)
        #expect(driver.gate("card/sale/token", "b", members).code == "3041")
        driver.gate("card/auth/token", "c", members)
        driver.settle()
        #expect(driver.story("b") == ["success | sale success"])
        #expect(driver.story("c") == ["awaiting capture | auth success"])
        let unknown: [(String, Json?)] = [SimulatorDriver.sum(7), ("customer", ["id": "c"]), ("token", "t")]
        #expect(driver.gate("card/sale/token", "d", unknown).code == "3221")
    }

    @Test func `a registered series is debited until it is cancelled`() {
        var driver = SimulatorDriver()
        let series = driver.registeredSeries()
        #expect(series > 0)
        let members: [(String, Json?)] = [
            SimulatorDriver.sum(700), ("customer", ["id": "cust-7"]),
            ("recurring", .compact([("id", .integer(series))])),
        ]
        driver.gate("card/recurring", "d1", members)
        driver.settle()
        #expect(driver.story("d1") == ["success | recurring success"])
        #expect(driver.gate("card/recurring", "d1", members).code == "3041")
        driver.gate("card/recurring/cancel", "first", members)
        driver.settle()
        #expect((driver.posted.last.flatMap { try? Json($0.body) })?.at("recurring", "status") == "cancelled")
        #expect(driver.gate("card/recurring", "d2", members).code == "3184")
    }

    @Test func `a series by calendar is changed by Gate and debited by the platform under ids that nobody gave`() {
        var driver = SimulatorDriver()
        let terms = #"{"amount":990,"period":"M","register":true,"scheduled_payment_id":"series-7","type":"R"}"#
        driver.open("first", [("recurring", terms)])
        driver.play("first", "approve")
        driver.settle()
        let series = driver.callbacks("first").last?.at("recurring", "id")?.integer ?? 0
        #expect(series > 0)
        driver.send("POST", "/sandbox/series/\(series)/run")
        driver.settle()
        #expect(driver.story("series-7-1") == ["success | recurring success"])
        #expect(driver.callbacks("series-7-1").last?.at("recurring", "id")?.integer == series)
        #expect(driver.totals("series-7-1").captured == 990)

        let change: [(String, Json?)] = [("recurring", .compact([("id", .integer(series)), ("amount", 500)]))]
        driver.gate("card/recurring/update", "first", change)
        driver.settle()
        #expect((driver.posted.last.flatMap { try? Json($0.body) })?.at("recurring", "amount") == 500)
        driver.send("POST", "/sandbox/series/\(series)/run")
        driver.settle()
        #expect(driver.totals("series-7-2").captured == 500)
        driver.gate("card/recurring/cancel", "first", change)
        #expect(driver.send("POST", "/sandbox/series/\(series)/run").status == 404)
        #expect(driver.gate("card/recurring/update", "first", change).code == "3184")
    }

    @Test func `operation ids have sixteen digits and never repeat`() {
        var driver = SimulatorDriver()
        for index in 0..<20 { driver.paid("p\(index)") }
        let ids = driver.simulator.payments.values.flatMap(\.operations).map(\.id)
        #expect(Set(ids).count == 20)
        #expect(ids.allSatisfy { String($0).utf8.count == 16 })
    }
}
