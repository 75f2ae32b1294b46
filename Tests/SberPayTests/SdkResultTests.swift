import Kernel
import ProviderKit
import SberPay
import Testing

struct SdkResultTests {
    private func claim(_ body: Json, _ changes: [(String, Json)] = []) throws -> AppClaim {
        try Shop.adapter.appResult(body, of: Shop.issued(changes))
    }

    @Test func `each state of each call has its meaning`() throws {
        let table: [(String, String, AppClaim.Meaning)] = [
            ("pay", "success", .success), ("pay", "waiting", .unknown), ("pay", "Processing", .unknown),
            ("pay", "cancel", .cancelled), ("pay", "error", .error), ("pay", "somethingNew", .unknown),
            ("getPaymentToken", "success", .unknown), ("getPaymentToken", "cancel", .cancelled),
            ("getPaymentToken", "error", .error),
        ]
        for (call, state, meaning) in table {
            let claim = try claim(["call": .string(call), "state": .string(state)])
            #expect(claim == AppClaim(meaning: meaning, code: "\(call):\(state)"))
        }
    }

    @Test func `a payment token is refused unread where the account takes none`() {
        for token in [Json.string("eyJ"), 5, .null, ["a": 1]] as [Json] where token != .null {
            #expect(throws: ClaimFailure(path: "paymentToken", reason: "token_not_accepted")) {
                try claim(["call": "nonsense", "paymentToken": token])
            }
        }
        #expect(throws: ClaimFailure(path: "paymentTokenId", reason: "token_not_accepted")) {
            try claim(["call": "getPaymentToken", "state": "success", "paymentTokenId": "6fcb2418"])
        }
    }

    @Test func `a payment token of up to 96 000 characters is taken where the account says so, and never kept`() throws
    {
        func body(_ count: Int) -> Json {
            [
                "call": "getPaymentToken", "state": "success",
                "paymentToken": .string(String(repeating: "e", count: count)),
            ]
        }
        let on: [(String, Json)] = [("tokenPay", true)]
        #expect(try claim(body(96_000), on) == AppClaim(meaning: .unknown, code: "getPaymentToken:success"))
        #expect(throws: ClaimFailure(path: "paymentToken", reason: "too_long")) { try claim(body(96_001), on) }
        #expect(throws: ClaimFailure(path: "paymentTokenId", reason: "exactly_one_token")) {
            try claim(["call": "pay", "state": "success", "paymentToken": "a", "paymentTokenId": "b"], on)
        }
    }

    @Test func `what is outside the schema is refused with its path`() {
        let table: [(Json, String, String)] = [
            ([], "", "not_an_object"), ([:], "call", "unknown_word"),
            (["call": "buy", "state": "x"], "call", "unknown_word"),
            (["call": "pay"], "state", "missing"), (["call": "pay", "state": 1], "state", "not_text"),
            (["call": "pay", "state": "success", "amount": 5], "amount", "unknown_member"),
        ]
        for (body, path, reason) in table {
            #expect(throws: ClaimFailure(path: path, reason: reason)) { try claim(body) }
        }
    }
}
