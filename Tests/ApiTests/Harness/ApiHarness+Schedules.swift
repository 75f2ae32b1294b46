import Http
import Kernel
import Payments
import Schedules

extension ApiHarness {
    /// A monthly series whose payer confirms each payment.
    static let subscription: Json = [
        "kind": "regular", "presence": "customerPresent", "customer": "customer-77", "reference": "sub-1",
        "amount": ["value": 1999, "currency": "EUR"], "activation": "verify",
        "details": ["payer": ["email": "ann@example.org"]],
        "rule": ["period": "month", "start": "2027-01-31", "time": "10:00", "zone": "Europe/Moscow"],
    ]

    /// Registers a schedule and activates it by the first payment.
    func schedule(_ body: Json = ApiHarness.subscription, key: String) async throws -> ScheduleId {
        let made = try await post("/v1/schedules", body, key: key).expect(201)
        guard let id = made.json["id"]?.text.flatMap({ ScheduleId($0) }) else {
            throw HarnessFailure(what: "schedule: \(made)")
        }
        let first: Json = [
            "mode": "verify", "method": "hosted", "amount": ["value": 0, "currency": "EUR"],
            "customer": "customer-77", "schedule": .string(id.text),
            "details": ["payer": ["email": "ann@example.org"]],
        ]
        let payment = try await create(first, key: "\(key)-first")
        let verified = CallbackOperation(id: 8001, type: "account verification", status: "success", minor: 0)
        try await deliver(payment, verified, "success")
        for _ in 0..<200 {
            if try await get("/v1/schedules/\(id)").json["status"] == "active" { return id }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw HarnessFailure(what: "the schedule never became active")
    }
}
