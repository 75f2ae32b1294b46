import Http
import Kernel

/// A payment's books and what of them is a person's, as its resource and the operators' list say it.
extension Stage {
    /// A sum of a payment in minor units.
    static func sum(_ payment: Json, _ name: String) -> Int64 { payment.at("amounts", name)?.integer ?? 0 }

    /// The operations of a kind, each as `origin state booked`.
    static func operations(_ payment: Json, _ kind: String) -> [String] {
        (payment["operations"]?.items ?? []).filter { $0["kind"]?.text == kind }.map { operation in
            let booked = operation.at("booked", "value")?.integer ?? 0
            return "\(operation["origin"]?.text ?? "?") \(operation["state"]?.text ?? "?") \(booked)"
        }
    }

    /// What an operator owes of a payment, each as `kind: reason`.
    static func operatorOwes(_ payment: Json) -> [String] {
        (payment["obligations"]?.items ?? []).filter { $0["owner"] == "operator" }.map { owed in
            "\(owed["kind"]?.text ?? "?"): \(owed["reason"]?.text ?? "?")"
        }
    }

    /// Waits until an operator owes it, at the payment and in `paystream operations --operator list`.
    @discardableResult
    func wait(_ daemon: DaemonProcess, _ id: String, operatorOwes what: String) async throws -> Json {
        let payment = try await until("an operator owes \(what)") {
            let payment = try await self.payment(daemon, id)
            return Self.operatorOwes(payment).contains(what) ? .done(payment) : .notYet(payment.canonicalText)
        }
        try await until("\(id) is listed for operators") {
            let listed = try await command(["operations", "--operator", "list"])
            return listed.contains(id) ? .done(()) : .notYet(listed)
        }
        return payment
    }

    /// Has the provider asked about a payment, until the answer makes it what is meant.
    @discardableResult
    func look(_ daemon: DaemonProcess, _ id: String, until what: String, _ holds: (Json) -> Bool) async throws -> Json {
        try await until("\(id): \(what)") {
            try await call(daemon, .post, "/v1/payments/\(id)/sync", [:], key: "look-\(next())")
            let payment = try await self.payment(daemon, id)
            return holds(payment) ? .done(payment) : .notYet(payment.canonicalText)
        }
    }

    /// Two persons deal with what contradicts itself.
    func acknowledge(_ daemon: DaemonProcess, _ id: String) async throws {
        let seen = try await payment(daemon, id)["version"] ?? .null
        let proposal: Json = ["verdict": ["is": "acknowledged"], "evidence": "the statement", "seenVersion": seen]
        let path = "/v1/payments/\(id)/resolutions"
        let proposed = try await call(daemon, .post, path, proposal, key: "propose-\(next())")
        guard let resolution = proposed["resolutions"]?.items?.last?["id"]?.text,
            let version = proposed["version"]?.integer
        else { throw Failure(description: "no proposal in \(proposed.canonicalText)") }
        let second = try await newKey("second-person-\(next())")
        _ = try await tool(daemon, ["operations", "approve", id, resolution, "--seen", String(version)], key: second)
    }
}
