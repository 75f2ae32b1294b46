import Conformance
import Kernel
import Portmone
import PortmoneConformance
import ProviderKit
import TestKit
import Testing

/// The suite judges: it passes what is right and fails what is wrong.
struct ConformanceTests {
    private let bench = PortmoneSuite()

    private func lifecycle(_ history: [Json], _ rows: [Json], _ expected: Json) -> [String] {
        let item: Json = [
            "authorizedAmount": "80.00", "history": .array(history), "rows": .array(rows), "expected": expected,
        ]
        return bench.violations(kind: "lifecycle", item: item, file: [:])
    }

    private func row(_ id: String, _ status: String, _ amount: String) -> Json {
        ["shopBillId": .string(id), "status": .string(status), "billAmount": .string(amount)]
    }

    @Test func `right and wrong ends of a history are told apart`() {
        let rows = [row("5", "PAYED", "80")]
        #expect(lifecycle(["created"], rows, ["state": "captured", "captured": "80.00"]) == [])
        #expect(lifecycle(["created"], rows, ["state": "captured", "captured": "79.99"]).count == 1)
        #expect(lifecycle(["created"], rows, "failed").count == 1)
        let capture: [Json] = ["authorized", "capture_requested:30.00"]
        #expect(
            lifecycle(capture, [row("5", "PAYED", "30")], ["state": "captured_partially", "released": "50.00"]) == []
        )
        let refunds = rows + [row("6", "RETURN", "-80.00")]
        #expect(lifecycle(["captured"], refunds, ["state": "refunded", "net": "0.00"]) == [])
    }

    @Test func `a wrong signature, row and answer are violations`() {
        let signature: Json = [
            "input": [
                "payeeId": "1", "dt": "20240115121500", "shopOrderNumber": "A", "billAmount": "1.00", "login": "L",
                "key": "k",
            ], "signature": "00",
        ]
        #expect(bench.violations(kind: "signature", item: signature, file: [:]).count == 1)
        let status: Json = [
            "response": ["status": 200, "body": .array([row("5", "PAYED", "80")])],
            "expected": ["rows": [["shopBillId": "6", "status": "PAYED", "amount": "80.00"]]],
        ]
        #expect(bench.violations(kind: "status_result", item: status, file: [:]).count == 1)
        let void: Json = [
            "request": [
                "body": ["method": "rejectPreauth", "params": ["data": ["payeeId": "1", "login": "L", "extra": "x"]]]
            ], "response": ["body": ["errorCode": "6", "error": "e"]], "expected": ["error": ["code": "6"]],
        ]
        #expect(!bench.violations(kind: "preauth", item: void, file: [:]).isEmpty)
        #expect(bench.violations(kind: "palmistry", item: [:], file: [:]).count == 1)
    }

    @Test func `bills are compared by id`() {
        let item: Json = [
            "requested": ["1": "10.00"], "ubills": [["billId": "1", "status": "PAYED", "paidAmount": "10.0"]],
            "expected": ["batch": "completed", "bills": ["1": "failed"]],
        ]
        #expect(bench.violations(kind: "ubill_results", item: item, file: [:]).count == 1)
    }

    /// With `UPDATE_GOLDEN=1` the document's diagram is written instead of compared.
    @Test func `the diagram in the document is the adapter's`() throws {
        let source = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        let path = source.joined(separator: "/") + "/docs/providers/portmone.md"
        let document = String(decoding: try FileBytes.read(path), as: UTF8.self)
        let parts = document.split(separator: "```mermaid\n", maxSplits: 1, omittingEmptySubsequences: false)
        let tail = try #require(parts.count == 2 ? parts[1].firstRange(of: "```") : nil)
        let diagram = Shop.adapter.states.mermaid
        if environment("UPDATE_GOLDEN") == "1" {
            let text = "\(parts[0])```mermaid\n\(diagram)\(parts[1][tail.lowerBound...])"
            try FileBytes.write(Array(text.utf8), to: path)
        } else {
            let shown = String(parts[1][..<tail.lowerBound])
            #expect(shown == diagram)
        }
    }
}
