import Kernel
import Sandbox
import Testing

struct EcommpayFormTests {
    @Test func `nothing exists before the payer confirms`() {
        var driver = SimulatorDriver()
        #expect(driver.open("a").status == 303)
        #expect(driver.gate("status", "a").json?["errors"]?.items?.first?["code"] == "3061")
        driver.settle()
        #expect(driver.posted.isEmpty)
        driver.play("a", "approve")
        driver.settle()
        #expect(driver.story("a") == ["success | sale success"])
        #expect(driver.gate("status", "a").json?.at("payment", "status") == "success")
    }

    @Test(arguments: [
        ("payment_amount", "19.99", "malformed"), ("payment_amount", "0", "malformed"),
        ("payment_amount", "-1", "malformed"), ("payment_currency", "EURO", "malformed"),
        ("payment_description", "a;b", "forbidden_character"), ("mode", "gift", "malformed"),
        ("operation_type", "capture", "malformed"), ("language_code", "EN", "malformed"),
        ("region_code", "Germany", "malformed"), ("best_before", "tomorrow", "malformed"),
        ("merchant_callback_url", "ftp://x", "malformed"), ("recurring", "{", "malformed"),
        ("receipt_data", "###", "malformed"), ("redirect_success_enabled", "yes", "malformed"),
        ("account_token", "unknown", "unknown_token"), ("cvv", "1", "unknown"),
        ("payment_id", String(repeating: "x", count: 256), "too_long"), ("customer_email", "nobody", "malformed"),
        ("aps_account_security_code", "123", "malformed"), ("card_operation_type", "capture", "malformed"),
    ])
    func `a parameter the platform refuses opens no form`(name: String, value: String, code: String) {
        var driver = SimulatorDriver()
        var pairs = SimulatorDriver.parameters("a")
        pairs.removeAll { $0.name == name }
        pairs.append((name: name, value: value))
        let answer = driver.send("GET", "/payment", query: SimulatorDriver.signedQuery(pairs))
        #expect(answer.status == 400)
        #expect(answer.html.contains("<td>\(name)</td><td>\(code)</td>"))
    }

    @Test func `a missing, repeated or wrongly signed parameter opens no form`() {
        var driver = SimulatorDriver()
        let query = SimulatorDriver.signedQuery(SimulatorDriver.parameters("a"))
        #expect(driver.send("GET", "/payment", query: query + "&project_id=42").html.contains("repeated"))
        #expect(
            driver.send("GET", "/payment", query: query.replacing("1999", with: "1")).html.contains("wrong_signature")
        )
        #expect(driver.send("GET", "/payment", query: query + ";").html.contains("forbidden_character"))
        let unsigned = FormEncoding.encode(SimulatorDriver.parameters("a"))
        #expect(driver.send("GET", "/payment", query: unsigned).html.contains("empty_signature"))
        let short = SimulatorDriver.signedQuery([(name: "project_id", value: "42")])
        let answer = driver.send("GET", "/payment", query: short)
        for name in ["payment_id", "payment_amount", "payment_currency"] {
            #expect(answer.html.contains("<td>\(name)</td><td>missing</td>"))
        }
        let foreign = SimulatorDriver.signedQuery([(name: "project_id", value: "43")])
        #expect(driver.send("GET", "/payment", query: foreign).html.contains("unknown_project"))
    }

    @Test func `the parameter check answers without opening anything`() {
        var driver = SimulatorDriver()
        let query = SimulatorDriver.signedQuery(SimulatorDriver.parameters("a"))
        #expect(driver.send("GET", "/params/check", query: query).status == 200)
        #expect(driver.send("GET", "/v1/params/check", query: query + "&x=1").json?["errors"] != nil)
        #expect(driver.play("a", "approve").status == 404)
    }

    @Test func `a person pays through a challenge and goes back to the shop`() throws {
        var driver = SimulatorDriver()
        let opened = driver.open("a", [("merchant_success_url", "https://shop.example/ok?x=1&y=2")])
        let form = try #require(opened.location)
        let page = driver.send("GET", form, wantsPage: true)
        #expect(page.html.contains("19.99 EUR"))
        driver.send("POST", form, body: Array("action=pay&card=visa-challenge".utf8), wantsPage: true)
        #expect(driver.send("GET", form).html.contains("3-D Secure"))
        driver.send("POST", form, body: Array("action=pass".utf8))
        #expect(driver.send("GET", form).html.contains("http-equiv=\"refresh\""))
        driver.settle()
        #expect(driver.send("GET", form).html.contains("href=\"https://shop.example/ok?x=1&amp;y=2\""))
        #expect(driver.story("a") == ["awaiting 3ds result | sale awaiting 3ds result", "success | sale success"])
        #expect(driver.totals("a").kept == 1999)
    }

    @Test func `an automatic redirect takes the payer away and switches other tries off`() throws {
        var driver = SimulatorDriver()
        let opened = driver.open("a", [("redirect_fail_url", "https://shop.example/no")])
        let form = try #require(opened.location)
        driver.send("POST", form, body: Array("action=decline_retry".utf8))
        driver.settle()
        let answer = driver.send("GET", form)
        #expect(answer.status == 303)
        #expect(answer.location == "https://shop.example/no")
        #expect(driver.payment("a")?.rest == .decline)
    }

    @Test func `five tries and no more`() {
        var driver = SimulatorDriver()
        driver.open("a")
        for attempt in 1...5 {
            #expect(driver.play("a", "decline_retry").status == 202, "try \(attempt)")
            driver.settle()
        }
        #expect(driver.payment("a")?.rest == .decline)
        #expect(driver.play("a", "approve").status == 409)
        let story = driver.story("a")
        #expect(story == Array(repeating: "awaiting customer | sale decline", count: 4) + ["decline | sale decline"])
        let first = driver.callbacks("a")[0]
        #expect(first.at("payment", "is_new_attempts_available") == true)
        #expect(Set(driver.callbacks("a").compactMap { $0.at("operation", "id")?.integer }).count == 5)
    }

    @Test func `ten minutes and no more`() {
        var driver = SimulatorDriver()
        driver.open("a")
        driver.play("a", "decline_retry")
        driver.pass(.seconds(599))
        #expect(driver.payment("a")?.rest == .awaitingCustomer)
        driver.pass(.seconds(2))
        #expect(driver.payment("a")?.rest == .decline)
        #expect(driver.story("a").last == "decline | sale decline")
    }

    @Test func `a challenge that nobody answers is declined with 108`() {
        var driver = SimulatorDriver()
        driver.open("a")
        driver.play("a", "three_ds")
        driver.pass(.seconds(1000))
        #expect(driver.callbacks("a").last?.at("operation", "code") == "108")
        #expect(driver.payment("a")?.rest == .decline)
    }

    @Test func `a form whose deadline has passed can't be confirmed and stays unknown`() {
        var driver = SimulatorDriver()
        driver.open("a", [("best_before", "2026-03-02T10:00:10+00:00")])
        driver.pass(.seconds(11))
        #expect(driver.play("a", "approve").code == "form_expired")
        #expect(driver.gate("status", "a").json?["errors"] != nil)
        var other = SimulatorDriver()
        other.open("b", [("best_before", "2026-05-02T10:00:10+03")])
        other.pass(.seconds(70 * 86_400))
        #expect(other.play("b", "approve").status == 202, "a deadline beyond 30 days is ignored")
    }

    @Test func `leaving before paying leaves nothing behind`() throws {
        var driver = SimulatorDriver()
        let opened = driver.open("a", [("merchant_return_url", "https://shop.example/back")])
        let form = try #require(opened.location)
        driver.send("POST", form, body: Array("action=abandon".utf8))
        #expect(driver.send("GET", form).html.contains("https://shop.example/back"))
        #expect(driver.payment("a") == nil)
    }

    @Test func `the same address opened again shows the payment, another amount for the id is refused`() {
        var driver = SimulatorDriver()
        driver.paid("a")
        #expect(driver.open("a").status == 303)
        #expect(driver.open("a", amount: 5).status == 409)
        #expect(driver.totals("a").captured == 1999)
    }

    @Test func `a saved card is the only choice, and is debited`() throws {
        var driver = SimulatorDriver()
        driver.open("a")
        driver.play("a", "approve", card: "visa-challenge")
        driver.settle()
        let token = try #require(driver.callbacks("a").last?.at("account", "token")?.text)
        #expect(token.utf8.count == 64)
        let opened = driver.open("b", [("account_token", token)])
        let page = driver.send("GET", try #require(opened.location))
        #expect(page.html.contains("431422******0056"))
        #expect(!page.html.contains("411111******1111"))
        driver.play("b", "approve")
        driver.settle()
        #expect(driver.callbacks("b").last?.at("account", "token")?.text == token)
    }

    @Test func `making a token tells the merchant and moves nothing`() throws {
        var driver = SimulatorDriver()
        driver.tokenize("cust-9")
        let body = try Json(try #require(driver.posted.last).body)
        #expect(body["token_status"] == "active")
        #expect(body.at("customer", "id") == "cust-9")
        #expect(body.at("general", "signature") != nil)
        #expect(EcommpaySignature.check(body, key: SimulatorDriver.secret) == nil)
        #expect(driver.simulator.ledger.entries.isEmpty)
    }

    @Test func `what a merchant writes can't become markup`() throws {
        var driver = SimulatorDriver()
        var pairs = SimulatorDriver.parameters("<b>id</b>")
        pairs.removeAll { $0.name == "payment_description" }
        pairs.append((name: "payment_description", value: "<script>alert(1)</script>\"'&"))
        let opened = driver.send("GET", "/payment", query: SimulatorDriver.signedQuery(pairs))
        let html = driver.send("GET", try #require(opened.location)).html
        #expect(!html.contains("<script>"))
        #expect(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"))
        driver.play(FormEncoding.escape("<b>id</b>"), "approve")
        driver.settle()
        #expect(!driver.send("GET", "/sandbox", wantsPage: true).html.contains("<b>id"))
    }

    @Test(arguments: [("ru", "Оплатить"), ("de", "Bezahlen"), ("fr", "Payer"), ("zz", "Pay")])
    func `the form speaks the asked language or English`(code: String, word: String) throws {
        var driver = SimulatorDriver()
        let opened = driver.open("a", [("language_code", code)])
        #expect(driver.send("GET", try #require(opened.location)).html.contains(word))
    }
}
