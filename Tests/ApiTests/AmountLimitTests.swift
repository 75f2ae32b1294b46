import Api
import Http
import Kernel
import Payments
import Testing

/// One amount beyond what everybody counts with is refused where it comes in.
struct AmountLimitTests {
    @Test func `an amount has a limit at every door, and the limit itself is taken`() async throws {
        try await ApiHarness.run { api in
            func euros(_ minor: Int64) -> Json { ["value": .integer(minor), "currency": "EUR"] }
            func sale(_ minor: Int64) -> Json {
                var members = ApiHarness.sale().members ?? JsonObject([])
                members["amount"] = euros(minor)
                return .object(members)
            }
            try await api.post("/v1/payments", sale(AmountLimits.standard), key: "most").expect(202)
            for minor in [AmountLimits.standard + 1, AmountLimits.ceiling, .max] {
                let id = try await api.create(key: "paid-\(minor)")
                let answers = [
                    try await api.post("/v1/payments", sale(minor), key: "new-\(minor)"),
                    try await api.post("/v1/payments/\(id)/refund", ["amount": euros(minor)], key: "refund-\(minor)"),
                    try await api.post("/v1/payments/\(id)/capture", ["amount": euros(minor)], key: "capture-\(minor)"),
                    try await api.post("/v1/payments/\(id)/disputes", ["amount": euros(minor)], key: "open-\(minor)"),
                    try await api.post("/v1/routes/explain", ["amount": euros(minor)]),
                ]
                for answer in answers {
                    #expect(answer.status == 422)
                    #expect(answer.json["code"] == "amount_overflow", "\(answer.json.canonicalText)")
                    #expect(answer.json["path"] == "amount.value")
                    #expect(answer.json["detail"]?.text?.contains("1000000000000") == true)
                }
            }
        }
    }

    @Test func `limits are read by currency and never go beyond what every reader counts exactly`() throws {
        let (euro, yen) = (try #require(Currency("EUR")), try #require(Currency("JPY")))
        let limits = try #require(AmountLimits("500,JPY=9007199254740991"))
        #expect(limits.takes(Money(500, euro)))
        #expect(!limits.takes(Money(501, euro)))
        #expect(limits.limit(of: yen) == AmountLimits.ceiling)
        for text in ["", "x", "0", "-1", "9007199254740992", "XXQ=5", "JPY", "JPY=1=2", "5,"] {
            #expect(AmountLimits(text) == nil, "\(text)")
        }
        #expect(AmountLimits(general: .max).limit(of: euro) == AmountLimits.ceiling)
    }
}
