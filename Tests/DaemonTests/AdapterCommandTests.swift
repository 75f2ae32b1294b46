import Glibc
import Kernel
import SystemKit
import TestKit
import Testing

@testable import Cli

/// `paystream adapter check` by its exit codes and lines.
struct AdapterCommandTests {
    private let tool = CommandLineTool([AdapterCommand.self], output: { _ in }, errors: { _ in })

    /// Keeps `text` in a file for the length of `body`.
    private func withFile<Value>(_ name: String, _ text: String, _ body: (String) async throws -> Value) async throws
        -> Value
    {
        let path = "/tmp/paystream-\(getpid())-\(name).json"
        try PrivateFile.write(text, to: path)
        defer { unlink(path) }
        return try await body(path)
    }

    private func code(_ words: String...) async -> Int32 { await tool.run(["adapter"] + words) }

    @Test func `an unknown kind, provider or verb is a wrong call`() async throws {
        try await withFile("kinds", #"{"kind":"ecommpay/callbacks","cases":[]}"#) { path in
            #expect(await code("check", "ecommpay", "--kind", "moods", path) == 2)
            #expect(await code("check", "ecommpay", "--kind", "dolyame/callbacks", path) == 2)
            #expect(await code("check", "nobody", "--kind", "callbacks", path) == 2)
            #expect(await code("judge", "ecommpay") == 2)
            #expect(await code("check", "ecommpay", "--kind", "callbacks") == 2)
            #expect(await code("check", "ecommpay", "--kind", "callbacks", path + ".absent") == 2)
        }
    }

    @Test func `a kind may be named with its provider, without it, or by the file alone`() async throws {
        try await withFile("names", #"{"kind":"ecommpay/callbacks","cases":[]}"#) { path in
            #expect(await code("check", "ecommpay", "--kind", "callbacks", path) == 0)
            #expect(await code("check", "ecommpay", "--kind", "ecommpay/callbacks", path) == 0)
            #expect(await code("check", "ecommpay", path) == 0)
        }
    }

    @Test func `a failed case, a file without cases and a broken file fail the check`() async throws {
        for (index, text) in [#"{"kind":"callbacks","cases":[{"id":"a"}]}"#, #"{"kind":"callbacks"}"#, "{"].enumerated()
        {
            try await withFile("bad\(index)", text) { path in
                #expect(await code("check", "ecommpay", "--kind", "callbacks", path) == 1, "\(text)")
            }
        }
    }

    @Test func `every case is one line that names it, whatever its texts hold`() async throws {
        let text = #"{"kind":"callbacks","cases":[{"id":"line\nbreak"},{"id":7},{}]}"#
        try await withFile("lines", text) { path in
            var tally = VectorTally()
            var lines: [String] = []
            let suite = try #require(Providers.suites["ecommpay"])
            let file = try VectorFile(path, kind: nil, provider: "ecommpay", suite: suite)
            file.check(&tally) { lines.append($0) }
            #expect(tally == VectorTally(passed: 0, failed: 3))
            #expect(lines.allSatisfy { $0.hasPrefix("FAIL ecommpay/callbacks ") && !$0.contains("\n") })
            #expect(lines[1].contains("callbacks 7:") && lines[2].contains("callbacks #3:"))
        }
    }

    @Test(
        arguments: [
            ("dolyame", #"{"kind":"order_ids","cases":[{"input":"ok-1","expect":{"valid":true},"length":4}]}"#, nil),
            (
                "dolyame", #"{"kind":"order_ids","cases":[{"input":"ok-1","expect":{"valid":true},"colour":"red"}]}"#,
                "colour: no member"
            ),
            (
                "dolyame",
                #"{"kind":"item_sums","cases":[{"input":{"amount":"1.00","items":[{"quantity":1,"price":"1.00"}],"hue":1},"#
                    + #""expect":{"valid":true}}]}"#, "input.hue: no member"
            ),
            (
                "ecommpay",
                #"{"kind":"signature_sdk_strings","cases":[{"key":"k","string_to_sign":"s","signature":7}]}"#,
                "signature: nothing compares it"
            ),
        ] as [(String, String, String?)]
    )
    func `what nobody knows of a case, or what nothing compares, fails it`(_ row: (String, String, String?))
        async throws
    {
        try await withFile("strict", row.1) { path in
            var tally = VectorTally()
            var lines: [String] = []
            let suite = try #require(Providers.suites[row.0])
            let file = try VectorFile(path, kind: nil, provider: row.0, suite: suite)
            file.check(&tally) { lines.append($0) }
            #expect(tally.failed == (row.2 == nil ? 0 : 1), "\(lines)")
            if let why = row.2 { #expect(lines[0].contains(why), "\(lines)") }
        }
    }

    /// A message of each provider about the payment `o-1`, as a case without the number of its payment.
    static let numbered: [(provider: String, text: String)] = [
        (
            "ecommpay",
            #"{"kind":"responses","cases":[{"operation":"status","http_status":200,"body":{"project_id":42,"#
                + #""payment":{"id":"o-1","status":"success"},"operations":[{"id":1,"type":"sale","status":"success","#
                + #""sum_initial":{"amount":5,"currency":"EUR"}}]},"expected":{"outcome":"answered"},NUMBER}],"#
                + #""our_project_id":42}"#
        ),
        (
            "ecommpay",
            #"{"kind":"responses","cases":[{"operation":"capture","http_status":200,"body":{"project_id":42,"#
                + #""payment_id":"o-1","request_id":"r","status":"success"},"expected":{"outcome":"accepted"},NUMBER}],"#
                + #""our_project_id":42}"#
        ),
        (
            "portmone",
            #"{"kind":"status_result","cases":[{"response":{"status":200,"body":[{"shopBillId":"7","#
                + #""shopOrderNumber":"o-1","billAmount":"10","status":"PAYED","errorCode":"0"}]},"#
                + #""expected":{"rows":[{"shopBillId":"7"}]},NUMBER}]}"#
        ),
        (
            "portmone",
            #"{"kind":"lifecycle","cases":[{"authorizedAmount":"10.00","history":["requires_action"],"#
                + #""rows":[{"shopBillId":"7","shopOrderNumber":"o-1","status":"CREATED","billAmount":"10.00"}],"#
                + #""expected":{"captured":"0.00"},NUMBER}]}"#
        ),
        (
            "dolyame",
            #"{"kind":"webhooks","cases":[{"remote_ip":"91.194.226.100","order_known":true,"#
                + #""body_raw":"{\"id\":\"o-1\",\"status\":\"approved\",\"demo\":false}","#
                + #""expect":{"http":200,"stored":true},NUMBER}]}"#
        ),
        (
            "dolyame",
            #"{"kind":"order_info_responses","cases":[{"http":200,"body_raw":"{\"id\":\"o-1\",\"status\":\"new\","#
                + #"\"amount\":10.00,\"residual_amount\":10.00,\"link\":\"https://dolyame.example/o\"}","#
                + #""context":{"created_amount":"10.00"},"expect":{"amount":"10.00"},NUMBER}]}"#
        ),
        (
            "sberpay",
            #"{"kind":"status_responses","cases":[{"dialect":"legacy","http_status":200,"response":{"errorCode":"0","#
                + #""orderNumber":"o-1","orderStatus":0,"amount":100,"currency":"643"},"expected":{"amount":100},NUMBER}]}"#
        ),
        (
            "sberpay",
            #"{"kind":"callback_operations","cases":[{"format":"form","callback":{"orderNumber":"o-1","mdOrder":"m-1","#
                + #""operation":"approved","status":"1"},"expected":{"hint":"authorized"},NUMBER}]}"#
        ),
        (
            "worldline",
            #"{"kind":"sample_responses","cases":[{"endpoint":"GET /v2/m/payments/1_0","http_status":200,"#
                + #""body_json":{"id":"1_0","status":"CAPTURED","statusOutput":{"statusCode":9},"paymentOutput":"#
                + #"{"amountOfMoney":{"amount":5,"currencyCode":"EUR"},"references":{"merchantReference":"o-1"}}},"#
                + #""expect":{"payment_id":"1_0"},NUMBER}]}"#
        ),
    ]

    @Test(arguments: numbered)
    func `a message that carries another order number than the payment's fails its case`(
        _ row: (provider: String, text: String)
    ) async throws {
        for (number, failed) in [("o-1", 0), ("o-2", 1)] {
            let text = row.text.replacing("NUMBER", with: #""order_number":"\#(number)""#)
            try await withFile("numbers", text) { path in
                var tally = VectorTally()
                var lines: [String] = []
                let suite = try #require(Providers.suites[row.provider])
                let file = try VectorFile(path, kind: nil, provider: row.provider, suite: suite)
                file.check(&tally) { lines.append($0) }
                #expect(tally == VectorTally(passed: 1 - failed, failed: failed), "\(lines)")
                if failed > 0 { #expect(lines[0].contains("order_number: the payment's is o-2"), "\(lines)") }
            }
        }
    }

    @Test func `the states are printed for every provider`() async {
        #expect(await code("states", "ecommpay") == 0)
        #expect(await code("states", "nobody") == 2)
    }

    @Test func `options may stand before, between and behind words`() throws {
        let options = [CommandOption("kind", value: "K", summary: "")]
        let given = try ScatteredArguments(["a", "--kind", "x", "b", "--", "--kind"], options: options)
        #expect(given.words == ["a", "b", "--kind"])
        #expect(given["kind"] == "x")
    }
}
