import Conformance
import Ecommpay
import EcommpayConformance
import Kernel
import Testing

/// The suite judges: it passes what is right and fails what is wrong.
struct ConformanceTests {
    private let bench = EcommpaySuite()

    private func callback(_ expected: Json, _ context: Json = ["mode": "sale"], _ body: Callback = Callback())
        -> [String]
    {
        let item: Json = [
            "key": .string(Shop.key), "raw_body": .string(String(decoding: body.signed(), as: UTF8.self)),
            "signature_valid": true, "context": context, "expected": expected,
        ]
        return bench.violations(kind: "callbacks", item: item, file: ["our_project_id": 42])
    }

    @Test func `a right and a wrong expectation of a callback are told apart`() {
        #expect(callback(["normalized": "captured", "captured": 1999, "currency": "EUR"]) == [])
        #expect(callback(["normalized": "captured", "captured": 1998]).count == 1)
        #expect(callback(["normalized": "failed"]).count == 1)
        #expect(callback(["normalized": "reject"]).count == 1)
        #expect(callback(["normalized": "captured", "shade": "blue"]).count == 1)
    }

    @Test func `a repeated operation does not count twice`() {
        let prior: Json = [["id": 5_028_800_010_128_001, "type": "sale", "status": "success", "amount_minor": 1999]]
        let context: Json = [
            "mode": "sale", "currency": "EUR", "prior_state": "captured", "captured_minor": 1999,
            "prior_operations": prior,
        ]
        #expect(callback(["normalized": "captured", "captured": 1999], context) == [])
    }

    @Test func `an older step of a finished operation changes nothing`() {
        let prior: Json = [["id": 5_028_800_010_128_001, "type": "auth", "status": "success", "amount_minor": 1999]]
        let context: Json = [
            "mode": "auth", "currency": "EUR", "prior_state": "authorized", "authorized_minor": 1999,
            "prior_operations": prior,
        ]
        let late = Callback(type: "auth", status: "awaiting 3ds result", payment: "awaiting 3ds result")
        #expect(callback(["normalized": "authorized", "authorized": 1999], context, late) == [])
    }

    @Test(arguments: [
        ("capture", "processing", "processing", "authorized", "pending"),
        ("cancel", "decline", "awaiting capture", "authorized", "failed"),
        ("refund", "processing", "processing", "captured", "pending"),
        ("reversal", "external error", "success", "refunded_partially", "pending"),
    ])
    func `follow-ups that did not succeed leave the state`(_ row: (String, String, String, String, String)) {
        let captured: Int64 = row.3 == "authorized" ? 0 : 1999
        let context: Json = [
            "mode": "auth", "currency": "EUR", "prior_state": .string(row.3), "authorized_minor": 1999,
            "captured_minor": .integer(captured), "refunded_minor": row.3 == "refunded_partially" ? 5 : 0,
        ]
        let body = Callback(type: row.0, status: row.1, payment: row.2)
        #expect(callback(["normalized": .string(row.3), "operation": .string(row.4)], context, body) == [])
    }

    @Test func `foreign and broken callbacks are rejected with the file's reasons`() {
        let foreign = Callback(changes: [("project_id", 7)])
        #expect(callback(["normalized": "reject", "reason": "foreign_project"], [:], foreign) == [])
        #expect(callback(["normalized": "reject", "reason": "signature_missing"], [:], foreign).count == 1)
    }

    @Test func `the payment's word counts where there is no operation`() {
        let context: Json = [
            "mode": "sale", "currency": "EUR", "prior_state": "refunded_partially", "captured_minor": 1999,
            "refunded_minor": 500,
        ]
        let word = Callback(type: nil, payment: "success")
        #expect(callback(["normalized": "refunded_partially", "captured": 1999], context, word) == [])
        #expect(callback(["normalized": "captured", "captured": 0], ["mode": "sale"], word) == [])
    }

    @Test(
        arguments: [
            (404, ["errors": [["code": "3061"]]], "status", "not_found"),
            (401, ["message": "x"], "capture", "configuration"),
            (200, ["status": "error", "code": "2442"], "capture", "configuration"),
            (422, ["message": "x"], "cancel", "rejected"), (500, ["status": "success"], "refund", "unknown"),
            (200, "<html>", "refund", "unknown"), (200, ["status": "success"], "capture", "accepted"),
        ] as [(Int64, Json, String, String)]
    )
    func `answers are judged by status, codes and words`(_ row: (Int64, Json, String, String)) {
        let item: Json = [
            "operation": .string(row.2), "http_status": .integer(row.0), "body": row.1,
            "context": ["channel": "gate", "payment_id": "p"], "expected": ["outcome": .string(row.3)],
        ]
        #expect(bench.violations(kind: "responses", item: item, file: ["our_project_id": 42]) == [])
        let wrong: Json = [
            "operation": .string(row.2), "http_status": .integer(row.0), "body": row.1,
            "context": ["channel": "gate", "payment_id": "p"], "expected": ["outcome": "something else"],
        ]
        #expect(bench.violations(kind: "responses", item: wrong, file: ["our_project_id": 42]).count == 1)
    }

    @Test func `unlisted statuses and codes get the tables' last resort`() {
        let status: Json = [
            "status": "warp speed", "scope": "payment", "normalized": "pending", "final": false, "ambiguous": true,
        ]
        #expect(bench.violations(kind: "status_map", item: status, file: [:]) == [])
        let code: Json = ["code": "99999", "class": "unknown", "domain_class": "unknown"]
        #expect(bench.violations(kind: "operation_codes", item: code, file: [:]) == [])
        let wrong: Json = ["code": "10105", "class": "never", "domain_class": "insufficientFunds"]
        #expect(bench.violations(kind: "operation_codes", item: wrong, file: [:]).count == 1)
    }

    @Test func `an unknown kind is a violation`() {
        #expect(bench.violations(kind: "palmistry", item: [:], file: [:]).count == 1)
    }
}
