import Conformance
import Dolyame
import DolyameConformance
import Kernel
import Testing

/// The suite tells right from wrong by the case alone.
struct ConformanceTests {
    private let bench = DolyameSuite()

    private func violations(_ kind: String, _ input: Json, _ expect: Json) -> [String] {
        bench.violations(kind: kind, item: ["input": input, "expect": expect], file: [:])
    }

    @Test func `sums and their violations are computed`() {
        let input: Json = ["amount": "10.00", "items": [["quantity": 3, "price": "3.33"]]]
        #expect(
            violations("item_sums", input, ["items_sum": "9.99", "difference": "0.01", "violations": ["SUM"]]) == []
        )
        #expect(violations("item_sums", input, ["violations": []]).count == 1)
        #expect(violations("item_sums", input, ["valid": true]).count == 1)
        let broken: Json = ["amount": "10", "items": [["quantity": 0, "price": "-1.001"]]]
        #expect(violations("item_sums", broken, ["violations": ["QTY", "PRECISION"]]) == [])
        let large: Json = ["amount": "1", "items": [["quantity": 2, "price": "92233720368547758.07"]]]
        #expect(violations("item_sums", large, ["violations": ["OVERFLOW"]]) == [])
    }

    @Test func `a member that nothing decides is a violation`() {
        #expect(violations("order_ids", "ok-1", ["valid": true, "colour": "red"]).count == 1)
        #expect(bench.violations(kind: "palmistry", item: [:], file: [:]).count == 1)
    }

    @Test func `a commit that breaks a rule is not sent and a sent one is compared`() {
        let items: Json = [["name": "A", "quantity": 1, "price": "5.00"]]
        let order: Json = ["amount": "5.00", "items": items]
        let input: Json = ["state": "authorized", "created": order, "commit": order]
        let path = "/v1/orders/o-9/commit"
        let raw = "{\"items\":[{\"price\":5,\"quantity\":1,\"name\":\"A\"}],\"amount\":5.0}"
        let expect: Json = ["valid": true, "method": "POST", "path": .string(path), "body_raw": .string(raw)]
        #expect(violations("commit_requests", input, expect) == [])
        let other: Json = ["valid": true, "method": "POST", "path": .string(path), "body_raw": "{\"amount\":5.01}"]
        #expect(violations("commit_requests", input, other).count == 1)
        let late: Json = ["state": "captured", "created": order, "commit": order]
        #expect(violations("commit_requests", late, ["violations": ["STATE"]]) == [])
    }

    @Test func `wrong ends of streamCache are told by fold and payment`() {
        let item: Json = [
            "created_amount": "10.00",
            "steps": [["cmd": "create", "info": "new"], ["webhook": "wait_for_commit", "info": "wait_for_commit"]],
            "expect": ["final_state": "captured", "commits_sent": 1],
        ]
        #expect(bench.violations(kind: "sequences", item: item, file: [:]).count == 2)
    }

    @Test func `late and provider-side cancels are told apart`() {
        func end(_ steps: Json, _ expect: Json) -> [String] {
            bench.violations(
                kind: "sequences",
                item: ["created_amount": "10.00", "steps": steps, "expect": expect],
                file: [:]
            )
        }
        let start: [Json] = [["cmd": "create", "info": "new"], ["poll": "wait_for_commit"]]
        #expect(end(.array(start + [["poll": "canceled"]]), ["final_state": "voided", "cause": "provider"]) == [])
        let ours: Json = ["cmd": "cancel", "http": 200, "status": "canceled"]
        #expect(end(.array(start + [ours]), ["final_state": "voided", "cause": "merchant"]) == [])
    }
}
