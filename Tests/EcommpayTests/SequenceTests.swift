import Conformance
import Ecommpay
import EcommpayConformance
import Kernel
import TestKit
import Testing

/// Whole histories through adapter and payment, judged by the suite.
struct SequenceTests {
    /// One delivery: payment word, operation id, type, status, minute of its creation, amount.
    typealias Step = (word: String, id: Int64, type: String, status: String, at: Int, minor: Int64)

    private func violations(
        _ mode: String,
        _ steps: [Step],
        after: [String]?,
        end: Json,
        initial: [(String, Json)] = []
    ) -> [String] {
        let deliveries = steps.map { step -> Json in
            let minute = step.at < 10 ? "0\(step.at)" : "\(step.at)"
            return [
                "payment_status": .string(step.word),
                "operation": [
                    "id": .integer(step.id), "type": .string(step.type), "status": .string(step.status),
                    "created_date": .string("2026-03-02T10:\(minute):00+0000"),
                    "date": .string("2026-03-02T10:\(minute):30+0000"),
                    "amount_minor": .integer(step.minor), "currency": "EUR", "code": "100",
                ],
            ]
        }
        var start = JsonObject([
            ("mode", .string(mode)), ("amount_minor", 1999), ("currency", "EUR"), ("state", "created"),
            ("authorized_minor", 0), ("captured_minor", 0), ("refunded_minor", 0),
        ])
        for (name, value) in initial { start[name] = value }
        let item = Json.compact([
            ("payment_id", "ord-1"), ("initial", .object(start)), ("deliveries", .array(deliveries)),
            ("expected_after_each", after.map { .array($0.map(Json.string)) }), ("expected_end", end),
        ])
        return EcommpaySuite().violations(kind: "sequences", item: item, file: [:])
    }

    private let tries: [Step] = [
        ("awaiting 3ds result", 1, "sale", "awaiting 3ds result", 1, 1999),
        ("awaiting customer", 1, "sale", "decline", 1, 1999),
        ("processing", 2, "sale", "processing", 2, 1999),
        ("awaiting customer", 1, "sale", "decline", 1, 1999),
        ("success", 2, "sale", "success", 2, 1999),
    ]

    @Test func `a second try in the form succeeds and the first stays failed`() {
        let end: Json = [
            "state": "captured", "authorized_minor": 0, "captured_minor": 1999, "refunded_minor": 0,
            "operations": ["1": "failed", "2": "succeeded"],
        ]
        let after = ["requires_action", "requires_action", "pending", "pending", "captured"]
        #expect(violations("sale", tries, after: after, end: end) == [])
    }

    @Test func `a wrong end is told by adapter and payment alike`() {
        let end: Json = ["state": "captured", "captured_minor": 1998]
        let found = violations("sale", tries, after: nil, end: end)
        #expect(found.count == 2)
        #expect(found.contains { $0.hasPrefix("payment: captured_minor") })
        let missing = violations("sale", tries, after: ["captured"], end: ["state": "captured"])
        #expect(!missing.isEmpty)
    }

    @Test func `a late success after a final decline is booked`() {
        let steps: [Step] = [
            ("decline", 1, "sale", "decline", 1, 1999), ("success", 2, "sale", "success", 5, 1999),
            ("decline", 1, "sale", "decline", 1, 1999),
        ]
        let end: Json = ["state": "captured", "captured_minor": 1999, "operations": ["1": "failed", "2": "succeeded"]]
        #expect(violations("sale", steps, after: ["failed", "captured", "captured"], end: end) == [])
    }

    @Test func `a hold is lowered, captured in part, refunded and the refund reversed`() {
        let steps: [Step] = [
            ("awaiting capture", 1, "auth", "success", 1, 1999), ("awaiting capture", 2, "cancel", "success", 2, 499),
            ("success", 3, "capture", "success", 3, 1000), ("success", 4, "refund", "decline", 4, 200),
            ("partially reversed", 5, "reversal", "success", 5, 300),
            ("success", 6, "refund reverse", "success", 6, 300),
        ]
        let end: Json = [
            "state": "captured", "authorized_minor": 1500, "captured_minor": 1000, "refunded_minor": 0,
            "operations": [
                "1": "succeeded", "2": "succeeded", "3": "succeeded", "4": "failed", "5": "succeeded", "6": "succeeded",
            ],
        ]
        let after = ["authorized", "authorized", "captured", "captured", "refunded_partially", "captured"]
        #expect(violations("auth", steps, after: after, end: end) == [])
    }

    @Test func `a history may begin in the middle`() {
        let steps: [Step] = [
            ("processing", 9, "refund", "processing", 9, 500), ("partially refunded", 9, "refund", "success", 9, 500),
        ]
        let initial: [(String, Json)] = [("state", "captured"), ("captured_minor", 1999)]
        let end: Json = ["state": "refunded_partially", "captured_minor": 1999, "refunded_minor": 500]
        let after = ["captured", "refunded_partially"]
        #expect(violations("sale", steps, after: after, end: end, initial: initial) == [])
    }

    @Test func `any order and repetition ends the same`() throws {
        let steps: [Step] = [
            ("awaiting 3ds result", 1, "auth", "awaiting 3ds result", 1, 1999),
            ("awaiting capture", 1, "auth", "success", 1, 1999), ("success", 2, "capture", "success", 2, 1500),
            ("processing", 3, "refund", "processing", 3, 500), ("partially refunded", 3, "refund", "success", 3, 500),
            ("partially refunded", 4, "refund", "decline", 4, 900),
        ]
        let end: Json = [
            "state": "refunded_partially", "authorized_minor": 1999, "captured_minor": 1500, "refunded_minor": 500,
            "operations": ["1": "succeeded", "2": "succeeded", "3": "succeeded", "4": "failed"],
        ]
        try forAll(runs: 200, seed: 77) { random in
            let order = (steps + steps.shuffled(using: &random).prefix(2)).shuffled(using: &random)
            #expect(violations("auth", order, after: nil, end: end) == [])
        }
    }
}
