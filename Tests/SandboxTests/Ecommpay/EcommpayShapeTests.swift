import Kernel
import Sandbox
import Testing

/// The simulator's messages against the vectors: same words, same members, same kinds of value.
struct EcommpayShapeTests {
    @Test func `every status the simulator says is on the published map, except the one nobody knows`() throws {
        guard let file = try VectorFile.load("ecommpay/status_map.json") else { return }
        let known = Set(file.cases.compactMap { $0["status"]?.text })
        for status in EcommpayPaymentStatus.allCases where status != .unheardOf {
            #expect(known.contains(status.rawValue), "\(status.rawValue)")
        }
        #expect(!known.contains(EcommpayPaymentStatus.unheardOf.rawValue))
    }

    @Test func `every code the simulator says is on the published list, except the one nobody knows`() throws {
        guard let file = try VectorFile.load("ecommpay/operation_codes.json") else { return }
        let known = Set(file.cases.compactMap { $0["code"]?.text })
        for code in EcommpayCode.allCases where code != .unheardOf { #expect(known.contains(code.text), "\(code)") }
        #expect(!known.contains(EcommpayCode.unheardOf.text))
    }

    /// How a published callback comes about here; cases that are not listed have no structure of their own.
    private static let stories: [(id: String, play: @Sendable (inout SimulatorDriver) -> Void)] = [
        ("sale-success", { $0.paid("p") }),
        ("auth-hold", { $0.paid("p", operation: "auth") }),
        (
            "capture-full",
            {
                $0.paid("p", operation: "auth")
                $0.gate("card/capture", "p", [SimulatorDriver.sum(1999)])
            }
        ),
        (
            "capture-partial",
            {
                $0.paid("p", operation: "auth")
                $0.gate("card/capture", "p", [SimulatorDriver.sum(1500)])
            }
        ),
        (
            "cancel-two-l",
            {
                $0.paid("p", operation: "auth")
                $0.gate("card/cancel", "p")
            }
        ),
        (
            "refund-partial",
            {
                $0.paid("p")
                $0.gate("card/refund", "p", [SimulatorDriver.sum(500, refundId: "rf-1")])
            }
        ),
        (
            "refund-declined",
            {
                $0.paid("p", amount: 7776)
                $0.gate("card/refund", "p", [SimulatorDriver.sum(500)])
            }
        ),
        (
            "reversal-full",
            {
                $0.paid("p")
                $0.gate("card/refund", "p", [SimulatorDriver.sum(1999)])
            }
        ),
        (
            "sale-decline-funds",
            {
                $0.open("p")
                $0.play("p", "decline")
            }
        ),
        (
            "awaiting-3ds1",
            {
                $0.open("p")
                $0.play("p", "three_ds", card: "mastercard-challenge-declined")
            }
        ),
        (
            "awaiting-3ds2-challenge",
            {
                $0.open("p")
                $0.play("p", "three_ds")
            }
        ),
        (
            "awaiting-redirect",
            {
                $0.open("p", [("force_payment_method", "ideal")])
                $0.play("p", "redirect")
            }
        ),
        (
            "awaiting-clarification",
            {
                $0.open("p")
                $0.play("p", "clarification")
            }
        ),
        (
            "awaiting-customer-retry",
            {
                $0.open("p")
                $0.play("p", "decline_retry")
            }
        ),
        (
            "customer-action-qr",
            {
                $0.open("p")
                $0.play("p", "customer_action")
            }
        ),
        (
            "external-processing",
            {
                $0.open("p")
                $0.play("p", "external_processing")
            }
        ),
        (
            "expired",
            {
                $0.open("p")
                $0.play("p", "expire")
            }
        ),
        (
            "verify-success",
            {
                $0.open("p", amount: 0, [("mode", "card_verify"), ("recurring", #"{"register":true,"type":"U"}"#)])
                $0.play("p", "approve")
            }
        ),
        (
            "token-created",
            {
                $0.tokenize()
            }
        ),
        (
            "recurring-debit-success",
            {
                let series = $0.registeredSeries()
                $0.gate(
                    "card/recurring",
                    "p",
                    [
                        ("payment", ["amount": 990, "currency": "EUR", "description": "Order"]),
                        ("customer", ["id": "cust-7"]),
                        ("recurring", .compact([("id", .integer(series))])),
                    ]
                )
            }
        ),
    ]

    @Test func `callbacks have the members and the kinds of value of the published ones`() throws {
        guard let file = try VectorFile.load("ecommpay/callbacks.json") else { return }
        for story in EcommpayShapeTests.stories {
            let item = try #require(file.cases.first { $0["id"]?.text == story.id }, "\(story.id)")
            let expected = try Json(text: try #require(item["raw_body"]?.text))
            var driver = SimulatorDriver()
            story.play(&driver)
            driver.settle()
            let last = try #require(driver.posted.last, "\(story.id)")
            let body = try Json(last.body)
            let theirs = shape(expected)
            let ours = shape(body)
            #expect(ours.subtracting(theirs).isEmpty, "\(story.id): more than published")
            #expect(theirs.subtracting(ours).isEmpty, "\(story.id): less than published")
            #expect(EcommpaySignature.check(body, key: SimulatorDriver.secret) == nil, "\(story.id)")
            #expect(words(body) == words(expected), "\(story.id)")
        }
    }

    @Test func `a status answer has the members of the published one`() throws {
        guard let file = try VectorFile.load("ecommpay/responses.json") else { return }
        for id in ["status-partially-refunded", "status-not-registered", "accepted", "rejected-duplicate-refund-id"] {
            let item = try #require(file.cases.first { $0["id"]?.text == id })
            let expected = try #require(item["body"])
            var driver = SimulatorDriver()
            driver.paid("ord-1")
            let accepted = driver.gate("card/refund", "ord-1", [SimulatorDriver.sum(500, refundId: "rf-1")])
            driver.settle()
            let answer: SandboxAnswer
            switch id {
            case "status-partially-refunded": answer = driver.gate("status", "ord-1")
            case "status-not-registered": answer = driver.gate("status", "ord-50")
            case "accepted": answer = accepted
            default: answer = driver.gate("card/refund", "ord-1", [SimulatorDriver.sum(5, refundId: "rf-1")])
            }
            let body = try #require(answer.json)
            #expect(Int64(answer.status) == item["http_status"]?.integer, "\(id)")
            #expect(
                shape(body).symmetricDifference(shape(expected)).subtracting(["payment.merchant_refund_id: text"]) == []
            )
            #expect(body["code"] == expected["code"], "\(id)")
            if expected["signature"] != nil {
                #expect(EcommpaySignature.check(body, key: SimulatorDriver.secret) == nil, "\(id)")
            }
        }
    }

    /// The words that decide: payment status, operation type and status.
    private func words(_ body: Json) -> [String?] {
        let type = body.at("operation", "type")?.text
        return [
            body.at("payment", "status")?.text, type == "invoice" ? "sale" : type == "auth" ? "sale" : type,
            body.at("operation", "status")?.text,
        ]
    }

    /// The paths of a value with the kind of each leaf; items of a list share a path.
    private func shape(_ value: Json, path: String = "") -> Set<String> {
        switch value {
        case .null: return ["\(path): null"]
        case .bool: return ["\(path): flag"]
        case .number: return ["\(path): number"]
        case .string: return ["\(path): text"]
        case .array(let items):
            guard !items.isEmpty else { return ["\(path): list"] }
            return items.reduce(into: []) { $0.formUnion(shape($1, path: path + "[]")) }
        case .object(let object):
            return object.members.reduce(into: []) { all, member in
                all.formUnion(shape(member.value, path: path.isEmpty ? member.name : path + "." + member.name))
            }
        }
    }
}

extension SimulatorDriver {
    /// Makes a token in the form that saves a card.
    mutating func tokenize(_ customer: String = "cust-7") {
        let pairs = [(name: "project_id", value: "42"), (name: "mode", value: "card_tokenize")]
        let answer = send(
            "GET",
            "/payment",
            query: SimulatorDriver.signedQuery(pairs + [(name: "customer_id", value: customer)])
        )
        send("POST", answer.location ?? "", body: Array("action=approve&card=visa-challenge".utf8))
        settle()
    }

    /// Registers a series by a payment and gives its id.
    mutating func registeredSeries() -> Int64 {
        open("first", [("recurring_register", "1")])
        play("first", "approve")
        settle()
        return callbacks("first").last?.at("recurring", "id")?.integer ?? 0
    }
}
