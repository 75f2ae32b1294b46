import Kernel
import Sandbox
import Testing

struct EcommpayAppTests {
    private static let base: [(String, Json)] = [
        ("projectID", 42), ("paymentID", "a"), ("paymentAmount", 1999), ("paymentCurrency", "EUR"),
        ("paymentDescription", "Tea: green; 2 × 50 g"), ("customerID", "cust-7"), ("regionCode", "DE"),
        ("customerEmail", "a@example.org"),
    ]

    /// Lets the app ask for the text to sign, signs it as the merchant's server would, and opens the SDK.
    private func present(
        _ driver: inout SimulatorDriver,
        sdk: String = "legacyIos",
        scenario: String = "approve",
        change: (inout JsonObject) -> Void = { _ in }
    ) -> SandboxAnswer {
        var object = JsonObject(EcommpayAppTests.base)
        change(&object)
        let asked = Json.compact([("parameters", .object(object))])
        let text = driver.send("POST", "/sandbox/app/ecommpay/params", body: asked.compactBytes).json?["params"]?.text
        if object["signature"] == nil {
            object["signature"] = .string(EcommpaySignature.sign(text: text ?? "", key: SimulatorDriver.secret))
        }
        let body = Json.compact([
            ("sdk", .string(sdk)), ("scenario", .string(scenario)), ("parameters", .object(object)),
        ])
        let answer = driver.send("POST", "/sandbox/app/ecommpay", body: body.compactBytes)
        driver.settle()
        return answer
    }

    @Test func `the text to sign holds the members that are not empty, sorted by name`() {
        var driver = SimulatorDriver()
        let object = JsonObject(EcommpayAppTests.base + [("token", ""), ("hideSavedWallets", true)])
        let body = Json.compact([("parameters", .object(object))])
        let answer = driver.send("POST", "/sandbox/app/ecommpay/params", body: body.compactBytes)
        #expect(
            answer.json?["params"]?.text
                == "customer_id:cust-7;hide_saved_wallets:1;payment_amount:1999;payment_currency:EUR;"
                + "payment_description:Tea: green; 2 × 50 g;payment_id:a;project_id:42;region_code:DE"
        )
    }

    @Test func `callbacks of an app's payment go where the project says, and to nobody before`() {
        var driver = SimulatorDriver { $0.callbackUrl = nil }
        #expect(present(&driver).status == 200)
        #expect(driver.posted.isEmpty)
        func register(_ project: String, _ url: Json?) -> Int {
            let body = Json.compact([("callback_url", url)]).compactBytes
            return driver.send("POST", "/sandbox/projects/\(project)", body: body).status
        }
        #expect(register("42", nil) == 422)
        #expect(register("42", "ftp://127.0.0.1/hook") == 422)
        #expect(register("43", "http://127.0.0.1:9/other") == 404)
        #expect(register("42", "http://127.0.0.1:9/other") == 200)
        #expect(present(&driver) { $0["paymentID"] = "b" }.status == 200)
        #expect(driver.posted.map(\.url) == ["http://127.0.0.1:9/other"])
    }

    @Test(arguments: [
        ("legacyIos", [0, 100, 301, 501]), ("ios", [0, 100, 200, 500]), ("android", [1, 100, 200, 500]),
    ])
    func `each generation has its own numbers`(sdk: String, codes: [Int64]) {
        for (scenario, code) in zip(["approve", "decline", "cancel", "error"], codes) {
            var driver = SimulatorDriver()
            let answer = present(&driver, sdk: sdk, scenario: scenario)
            #expect(answer.json?.at("result", "code")?.integer == code, "\(scenario)")
        }
    }

    @Test func `the number is a hint: the callback tells what happened`() {
        for (scenario, kept) in [
            ("approve", Int64(1999)), ("three_ds", 1999), ("clarification", 1999), ("retry_then_approve", 1999),
            ("decline", 0), ("three_ds_failed", 0), ("cancel", 0), ("error", 0), ("cancel_after_charge", 1999),
            ("error_after_charge", 1999), ("decline_then_success", 1999),
        ] {
            var driver = SimulatorDriver()
            let answer = present(&driver, scenario: scenario)
            #expect(answer.status == 200, "\(scenario)")
            #expect(driver.totals("a").kept == kept, "\(scenario)")
            #expect(driver.posted.isEmpty == ["cancel", "error"].contains(scenario), "\(scenario)")
        }
    }

    @Test func `the sum in the app is a plain integer beside its currency`() {
        var driver = SimulatorDriver()
        let payment = present(&driver).json?["payment"]
        #expect(payment?["sum"] == 1999)
        #expect(payment?["currency"] == "EUR")
    }

    @Test func `hold, verification and token come out of the action`() {
        var driver = SimulatorDriver()
        _ = present(&driver) { $0["action"] = "Auth" }
        #expect(driver.totals("a").reserved == 1999)
        var verifying = SimulatorDriver()
        _ = present(&verifying) {
            $0["action"] = "Verify"
            $0["paymentAmount"] = 0
        }
        #expect(verifying.story("a") == ["success | account verification success"])
        var saving = SimulatorDriver()
        let answer = present(&saving) {
            $0["action"] = "Tokenize"
            for name in ["paymentID", "paymentAmount", "paymentCurrency"] { $0[name] = nil }
        }
        #expect(answer.json?["token"]?.text?.utf8.count == 64)
        #expect(saving.posted.count == 1)
    }

    struct Breach: Sendable, CustomTestStringConvertible {
        let member: String
        let value: Json?
        let violation: String
        let code: String
        var testDescription: String { "\(violation) \(code)" }
    }

    @Test(arguments: [
        Breach(member: "projectID", value: "42", violation: "projectID", code: "wrong_type"),
        Breach(member: "projectID", value: 43, violation: "projectID", code: "unknown_project"),
        Breach(member: "paymentID", value: nil, violation: "paymentID", code: "missing"),
        Breach(member: "paymentAmount", value: "1999", violation: "paymentAmount", code: "wrong_type"),
        Breach(member: "paymentAmount", value: 0, violation: "paymentAmount", code: "wrong_type"),
        Breach(member: "paymentCurrency", value: "EURO", violation: "paymentCurrency", code: "malformed"),
        Breach(member: "regionCode", value: "de", violation: "regionCode", code: "malformed"),
        Breach(member: "languageCode", value: "pt", violation: "languageCode", code: "malformed"),
        Breach(member: "action", value: "Refund", violation: "action", code: "malformed"),
        Breach(member: "customerEmail", value: nil, violation: "customerEmail", code: "contact_missing"),
        Breach(member: "receiptData", value: "e30", violation: "receiptData", code: "malformed"),
        Breach(member: "applePayDescription", value: "Tea", violation: "applePayDescription", code: "not_allowed"),
        Breach(member: "applePayMerchantID", value: "shop", violation: "applePayMerchantID", code: "malformed"),
        Breach(member: "hideSavedWallets", value: "true", violation: "hideSavedWallets", code: "wrong_type"),
        Breach(member: "cvv", value: "1", violation: "cvv", code: "unknown"),
        Breach(member: "signature", value: "AAAA", violation: "signature", code: "wrong_signature"),
        Breach(member: "token", value: "t", violation: "token", code: "unknown_token"),
        Breach(
            member: "additionalFields",
            value: [["type": "aps_account_security_code", "value": "123"]],
            violation: "additionalFields.aps_account_security_code",
            code: "must_be_empty"
        ),
        Breach(
            member: "additionalFields",
            value: [["type": "pets_name", "value": ""]],
            violation: "additionalFields.pets_name",
            code: "unknown"
        ),
        Breach(
            member: "recurrentInfo",
            value: ["type": "Regular", "startDate": "2030-01-01"],
            violation: "recurrentInfo.startDate",
            code: "malformed"
        ),
        Breach(
            member: "ecmpScreenDisplayMode",
            value: ["hide_everything"],
            violation: "ecmpScreenDisplayMode",
            code: "malformed"
        ),
    ])
    func `a broken precondition opens no form`(breach: Breach) {
        var driver = SimulatorDriver()
        let answer = present(&driver) { $0[breach.member] = breach.value }
        #expect(answer.status == 422)
        #expect(answer.json?.at("result", "code") == 501)
        let found = answer.json?["violations"]?.items ?? []
        #expect(found.contains(["member": .string(breach.violation), "code": .string(breach.code)]))
        #expect(driver.payment("a") == nil)
    }

    @Test func `a full object with everything the SDK knows is accepted`() {
        var driver = SimulatorDriver()
        let answer = present(&driver) { object in
            object["action"] = "Sale"
            object["languageCode"] = "de"
            object["hideSavedWallets"] = false
            object["receiptData"] = .string(Base64.encode(Array(#"{"positions":[]}"#.utf8)))
            object["applePayMerchantID"] = "merchant.example.shop"
            object["applePayDescription"] = "Tea"
            object["ecmpScreenDisplayMode"] = ["hide_success_final_page"]
            object["additionalFields"] = [
                ["type": "customer_first_name", "value": "Mark"], ["type": "aps_account_security_code", "value": ""],
            ]
            object["recurrentInfo"] = [
                "type": "Regular", "expiryDay": "20", "expiryMonth": "11", "expiryYear": "2030", "period": "Month",
                "time": "12:00:00", "startDate": "12-08-2026", "scheduledPaymentID": "series-1", "amount": 1000,
                "schedule": [["date": "10-10-2026", "amount": 1200]],
            ]
        }
        #expect(answer.json?["violations"] == nil)
        #expect(answer.status == 200)
        #expect(driver.callbacks("a").last?.at("recurring", "id") != nil)
    }

    @Test func `the same payment can't be opened twice`() {
        var driver = SimulatorDriver()
        _ = present(&driver)
        #expect(present(&driver).status == 422)
        #expect(driver.totals("a").captured == 1999)
    }
}
