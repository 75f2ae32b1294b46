import Kernel
import Sandbox
import Testing

struct EcommpayControlTests {
    private func dashboard(_ driver: inout SimulatorDriver, _ id: String, _ action: String, amount: Int64? = nil) -> Int
    {
        let body = Json.compact([("action", .string(action)), ("amount", amount.map(Json.integer))])
        let status = driver.send("POST", "/sandbox/payments/42/\(id)/dashboard", body: body.compactBytes).status
        driver.settle()
        return status
    }

    @Test func `what staff does in the Dashboard reaches the merchant as operations nobody commanded`() {
        var driver = SimulatorDriver { $0.captures = .several }
        driver.paid("a", operation: "auth")
        #expect(dashboard(&driver, "a", "capture", amount: 1000) == 202)
        #expect(dashboard(&driver, "a", "cancel") == 202)
        #expect(dashboard(&driver, "a", "refund", amount: 400) == 202)
        #expect(dashboard(&driver, "a", "refund_reverse") == 202)
        #expect(dashboard(&driver, "a", "capture") == 409)
        #expect(
            driver.story("a") == [
                "awaiting capture | auth success", "success | capture success", "success | cancel success",
                "partially refunded | refund success", "success | refund reverse success",
            ]
        )
        #expect(driver.totals("a").kept == 1000)
        #expect(driver.payment("a")?.operations.dropFirst().allSatisfy { !$0.isCommanded } == true)
        #expect(dashboard(&driver, "a", "manual_decline") == 202)
        #expect(driver.totals("a").kept == 0)
        #expect(driver.story("a").last == "decline | manual change decline")
    }

    @Test func `a project's settings capture or release a hold by themselves`() {
        var capturing = SimulatorDriver { $0.capturesAfter = .seconds(3600) }
        capturing.paid("a", operation: "auth")
        capturing.pass(.seconds(3600))
        #expect(capturing.story("a").last == "success | capture success")
        var releasing = SimulatorDriver { $0.releasesAfter = .seconds(7 * 86_400) }
        releasing.paid("a", operation: "auth")
        releasing.send("POST", "/sandbox/clock", body: Array(#"{"advance":604900}"#.utf8))
        releasing.settle()
        #expect(releasing.story("a").last == "cancelled | cancel success")
        #expect(releasing.totals("a").released == 1999)
    }

    @Test(arguments: EcommpayFault.Kind.allCases)
    func `every fault can be ordered, listed and taken back`(kind: EcommpayFault.Kind) {
        var driver = SimulatorDriver()
        let body = Json.compact([("fault", .string(kind.rawValue)), ("payment_id", "a"), ("times", 2)])
        #expect(driver.send("POST", "/sandbox/faults", body: body.compactBytes).status == 201)
        #expect(driver.send("GET", "/sandbox/faults").json?["faults"]?.items?.first?["fault"]?.text == kind.rawValue)
        #expect(driver.send("DELETE", "/sandbox/faults").status == 200)
        #expect(driver.simulator.faults.isEmpty)
    }

    @Test func `a fault strikes its request and its payment only, as often as asked`() {
        var driver = SimulatorDriver()
        driver.paid("a")
        driver.paid("b")
        let body: Json = ["fault": "error_before", "on": "status", "payment_id": "a", "times": 2, "status": 503]
        driver.send("POST", "/sandbox/faults", body: body.compactBytes)
        #expect(driver.gate("status", "b").status == 200)
        #expect(driver.gate("card/refund", "a", [SimulatorDriver.sum(1)]).status == 200)
        #expect((0..<3).map { _ in driver.gate("status", "a").status } == [503, 503, 200])
    }

    @Test func `a callback can arrive in half`() {
        var driver = SimulatorDriver()
        driver.send("POST", "/sandbox/faults", body: Array(#"{"fault":"truncated_callback"}"#.utf8))
        driver.paid("a")
        #expect(driver.posted.count == 1)
        #expect((try? Json(driver.posted[0].body)) == nil)
        #expect(driver.totals("a").captured == 1999)
    }

    @Test func `the next payment can be declined with a code that nobody knows`() {
        var driver = SimulatorDriver()
        driver.send("POST", "/sandbox/faults", body: Array(#"{"fault":"unknown_code"}"#.utf8))
        driver.paid("a")
        #expect(driver.payment("a")?.operations.last?.code == "77777")
        #expect(driver.totals("a").captured == 0)
    }

    @Test func `nonsense is refused with a code and changes nothing`() {
        var driver = SimulatorDriver()
        driver.open("a")
        func refused(_ path: String, _ body: String) -> String? {
            var copy = driver
            return copy.send("POST", path, body: Array(body.utf8)).code
        }
        #expect(refused("/sandbox/payments/42/a/play", #"{"scenario":"dance"}"#) == "unknown_scenario")
        #expect(refused("/sandbox/payments/42/b/play", #"{"scenario":"approve"}"#) == "unknown_payment")
        #expect(refused("/sandbox/payments/42/a/play", #"{"scenario":"pass"}"#) == "wrong_state")
        #expect(refused("/sandbox/payments/42/a/dashboard", #"{"action":"capture"}"#) == "not_found")
        #expect(refused("/sandbox/faults", #"{"fault":"earthquake"}"#) == "unknown_fault")
        #expect(refused("/sandbox/faults", #"{"fault":"slow","on":"moon"}"#) == "unknown_point")
        #expect(refused("/sandbox/faults", #"{"fault":"slow","on":"callback"}"#) == "wrong_point")
        #expect(refused("/sandbox/faults", #"{"fault":"withheld_callback","on":"refund"}"#) == "wrong_point")
        #expect(refused("/sandbox/faults", #"{"fault":"slow","times":0}"#) == "bad_number")
        #expect(refused("/sandbox/clock", #"{"advance":-1}"#) == "bad_advance")
        #expect(refused("/sandbox/faults", "[1]") == "bad_fields")
        #expect(refused("/sandbox/nowhere", "{}") == "not_found")
    }

    @Test func `the ledger is shown to programs as JSON and to people as a page`() {
        var driver = SimulatorDriver()
        driver.paid("a")
        driver.paid("b", operation: "auth")
        let json = driver.send("GET", "/sandbox/ledger", query: "project=42&payment_id=a").json
        #expect(json?["entries"]?.items?.count == 1)
        #expect(json?["entries"]?.items?.first?["kind"] == "charge")
        #expect(json?["payments"]?.items?.first?.at("totals", "kept") == 1999)
        let page = driver.send("GET", "/sandbox/ledger", wantsPage: true)
        #expect(page.html.contains("<td>hold</td>"))
        #expect(driver.send("GET", "/sandbox").html.contains("Payments (2)"))
        #expect(driver.send("GET", "/sandbox/payments/42/a", wantsPage: true).html.contains("Operations"))
        #expect(driver.send("GET", "/sandbox/payments").json?["payments"]?.items?.count == 2)
        #expect(driver.send("GET", "/sandbox/callbacks").json?["callbacks"]?.items?.count == 2)
    }
}
