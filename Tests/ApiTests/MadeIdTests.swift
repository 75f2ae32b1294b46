import Api
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// Ids that clients make: known before anything is sent, and one thing each.
struct MadeIdTests {
    private static let id = "pay_01900000000070008000000000000abc"

    private static func sale(_ id: String, _ minor: Int64 = 1999) -> Json {
        var members = ApiHarness.sale(minor).members ?? JsonObject([])
        members["id"] = .string(id)
        return .object(members)
    }

    @Test func `a payment has the id that its client made, under whatever key it is sent again`() async throws {
        try await ApiHarness.run { api throws in
            let made = try await api.post("/v1/payments", Self.sale(Self.id), key: "one").expect(202)
            #expect(made.json["id"]?.text == Self.id)
            for key in ["one", "two", "two"] {
                let again = try await api.post("/v1/payments", Self.sale(Self.id), key: key).expect(200)
                #expect(again.json["id"]?.text == Self.id && again.header("Idempotent-Replayed") == "true", "\(key)")
            }
            let stream = api.stream(try #require(PaymentId(Self.id)))
            let events = try await api.store.load([(stream, 0)])[0]
            #expect(events.filter { $0.type == "payment.created.v1" }.count == 1)
        }
    }

    @Test func `an id that has other content is refused, and stays refused under that key`() async throws {
        try await ApiHarness.run { api throws in
            try await api.post("/v1/payments", Self.sale(Self.id), key: "one").expect(202)
            for _ in 0..<2 {
                let other = try await api.post("/v1/payments", Self.sale(Self.id, 500), key: "other").expect(409)
                #expect(other.code == "id_taken" && other.path == "id")
            }
            // Under the first key it is another command, as ever.
            let conflict = try await api.post("/v1/payments", Self.sale(Self.id, 500), key: "one").expect(409)
            #expect(conflict.code == "idempotency_conflict")
            #expect(try await api.get("/v1/payments/\(Self.id)").expect(200).json.at("amount", "value") == 1999)
        }
    }

    @Test func `one id is one thing, whatever its kind`() async throws {
        try await ApiHarness.run { api throws in
            try await api.post("/v1/payments", Self.sale(Self.id), key: "one").expect(202)
            try await api.configurePortmone()
            var transfer = ApiHarness.transfer.members ?? JsonObject([])
            transfer["id"] = .string("trf_" + Self.id.dropFirst(4))
            let refused = try await api.post("/v1/transfers", .object(transfer), key: "transfer").expect(409)
            #expect(refused.code == "id_taken")
            transfer["id"] = "trf_01900000000070008000000000000abd"
            let made = try await api.post("/v1/transfers", .object(transfer), key: "transfer-2")
            #expect(made.json["id"]?.text == "trf_01900000000070008000000000000abd")
        }
    }

    @Test func `schedules have ids of their clients, too`() async throws {
        try await ApiHarness.run { api throws in
            var body = ApiHarness.subscription.members ?? JsonObject([])
            body["id"] = "sch_01900000000070008000000000000abc"
            let made = try await api.post("/v1/schedules", .object(body), key: "one").expect(201)
            #expect(made.json["id"]?.text == "sch_01900000000070008000000000000abc")
            api.clock.advance(by: .seconds(60))
            let again = try await api.post("/v1/schedules", .object(body), key: "two").expect(200)
            #expect(again.json["id"] == made.json["id"])
            body["customer"] = "somebody else"
            #expect(try await api.post("/v1/schedules", .object(body), key: "three").expect(409).code == "id_taken")
        }
    }

    @Test(arguments: [
        // Version 4, version 5, another variant, another kind, no id at all.
        "pay_01900000000040008000000000000abc", "pay_01900000000050008000000000000abc",
        "pay_01900000000070000000000000000abc", "trf_01900000000070008000000000000abc", "pay_1", "order-1042",
    ])
    func `an id that is no version 7 of its kind is refused by its name`(_ id: String) async throws {
        try await ApiHarness.run { api throws in
            let answer = try await api.post("/v1/payments", Self.sale(id), key: "one").expect(422)
            #expect(answer.code == "identifier_malformed" && answer.path == "id")
        }
    }
}
