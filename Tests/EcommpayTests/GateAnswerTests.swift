import Ecommpay
import Kernel
import Payments
import ProviderKit
import Testing

/// Answers of Gate to our requests.
struct GateAnswerTests {
    private func facts(
        _ purpose: DispatchPurpose,
        _ status: Int,
        _ body: Json?,
        raw: String = ""
    ) -> [Fact] {
        let bytes = body?.compactBytes ?? Array(raw.utf8)
        return Shop.adapter.interpret(
            .answered(purpose, status: status, headers: [:], body: bytes),
            Shop.context()
        )
    }

    private func outcome(_ facts: [Fact]) -> DispatchOutcome? {
        facts.lazy.compactMap { if case .dispatch(let found) = $0 { found } else { nil } }.first
    }

    private let refund = DispatchPurpose.operation(.refund)

    private var acceptance: Json {
        ["status": "success", "request_id": "r-1", "project_id": 42, "payment_id": "pay-7"]
    }

    @Test func `an acceptance is no result`() {
        #expect(facts(refund, 200, acceptance) == [.dispatch(.accepted)])
    }

    @Test func `an acceptance of another payment says nothing about ours`() {
        var other = acceptance.members
        other?["payment_id"] = "pay-8"
        let found = facts(refund, 200, other.map { .object($0) })
        #expect(found.contains(.contradiction(.identity, detail: "payment pay-8")))
        #expect(!found.contains(.dispatch(.accepted)))
    }

    @Test(arguments: ["3230", "3041", "3613", "3182", "1434"])
    func `a known id is a duplicate, whatever the status`(_ code: String) {
        for status in [200, 400, 409] {
            let found = facts(refund, status, ["status": "error", "code": .string(code)])
            #expect(found == [.dispatch(.duplicate(code: code))])
        }
    }

    @Test func `a refusal is definitive and carries its class`() {
        let table = Shop.adapter.declaration.tableVersion
        let found = facts(refund, 400, ["status": "error", "code": 3283])
        #expect(outcome(found) == .notExecuted(Decline(reason: .hard, code: "3283", tableVersion: table)))
        let signature = facts(refund, 400, ["status": "error", "errors": [["code": "3261"]]])
        #expect(outcome(signature) == .notExecuted(Decline(reason: .configuration, code: "3261", tableVersion: table)))
        for code in ["3261", "3262", "303", "310", "318", "2442"] {
            let refused = facts(refund, 400, ["status": "error", "code": .string(code)])
            #expect(outcome(refused) == .notExecuted(Decline(reason: .configuration, code: code, tableVersion: table)))
        }
        let forbidden = facts(refund, 403, ["message": "no"])
        #expect(outcome(forbidden) == .notExecuted(Decline(reason: .configuration, code: nil, tableVersion: table)))
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504])
    func `an overload or fault says nothing, even with a refusal's body`(_ status: Int) {
        let found = facts(refund, status, ["status": "error", "code": "3283"])
        guard case .unknown = outcome(found) else {
            Issue.record("\(found)")
            return
        }
    }

    @Test(arguments: ["<html>oops</html>", "", "[]", "\"ok\"", "{\"status\":\"success\"", "null"])
    func `an answer that is no object says nothing`(_ raw: String) {
        for status in [200, 400, 403] {
            guard case .unknown = outcome(facts(refund, status, nil, raw: raw)) else {
                Issue.record("\(status) \(raw)")
                continue
            }
        }
    }

    @Test func `success words count under 200 only, and unknown words never`() {
        for (status, word) in [(201, "success"), (302, "success"), (200, "accepted")] {
            guard case .unknown = outcome(facts(refund, status, ["status": .string(word)])) else {
                Issue.record("\(status) \(word)")
                continue
            }
        }
    }

    @Test func `no answer is unknown and nothing sent is nothing sent`() {
        let context = Shop.context()
        #expect(
            Shop.adapter.interpret(.sentNoAnswer(refund, reason: "timeout"), context)
                == [.dispatch(.unknown(reason: "timeout"))]
        )
        #expect(
            Shop.adapter.interpret(.notSent(refund, reason: "refused"), context)
                == [.dispatch(.notSent(reason: "refused"))]
        )
    }

    @Test func `a payment that nobody knows is not registered`() {
        let body: Json = ["project_id": 42, "errors": [["code": "3061", "message": "x"]]]
        #expect(facts(.query, 200, body) == [.dispatch(.answered), .attempt(.notRegistered)])
        #expect(facts(.query, 404, body) == [.dispatch(.answered), .attempt(.notRegistered)])
        #expect(facts(.query, 503, body) != [.dispatch(.answered), .attempt(.notRegistered)])
    }

    @Test func `a status answer gives every operation`() {
        func operation(_ id: Int64, _ type: Json, _ minor: Int64, _ at: String) -> Json {
            [
                "id": .integer(id), "type": type, "status": "success", "created_date": .string(at), "code": "0",
                "sum_initial": ["amount": .integer(minor), "currency": "EUR"],
            ]
        }
        let body: Json = [
            "project_id": 42, "payment": ["id": "pay-7", "status": "partially refunded", "method": "card"],
            "operations": [
                operation(1, "sale", 1999, "2026-03-02T10:00:00+0000"),
                operation(2, "refund", 500, "2026-03-02T11:00:00+0000"),
            ],
            "errors": [["code": "3041"]],
        ]
        let found = facts(.query, 200, body)
        #expect(found.first == .dispatch(.answered))
        #expect(found.filter { if case .operation = $0 { true } else { false } }.count == 2)
        #expect(!found.contains { if case .attempt = $0 { true } else { false } })
        var view = EcommpayStates.view()
        #expect(view.apply(found) == [])
        #expect(view.state == .partlyReturned)
    }

    @Test func `an acceptance without a payment is no answer to a question`() {
        guard case .unknown = outcome(facts(.query, 200, acceptance)) else {
            Issue.record("not unknown")
            return
        }
    }
}
