import Http
import Kernel
import Testing

/// What a payment, its next action and its app parameters say of the payer, held against each other.
extension Stage {
    /// Fails where two of the three contradict each other; gives the status and what the payer is to do.
    @discardableResult
    func agree(_ daemon: DaemonProcess, _ id: String) async throws -> String {
        try await until("\(id) stands still while it is looked at") {
            let before = try await payment(daemon, id)
            let next = try await exchange(daemon, .get, "/v1/payments/\(id)/next-action")
            let given = try await exchange(daemon, .post, "/v1/payments/\(id)/app-parameters", [:])
            let after = try await payment(daemon, id)
            guard before["version"] == after["version"], before["obligations"] == after["obligations"] else {
                return .notYet(after.canonicalText)
            }
            let action = (try? Json(next.body)) ?? .null
            let said = (try? Json(given.body)) ?? .null
            let scene: Comment = "\(after.canonicalText) \(next.status) \(action.canonicalText) \(given.status) \(said)"
            let type = action["type"]?.text ?? "?"
            #expect(next.status == 200, scene)
            let isPayers = (after["obligations"]?.items ?? []).contains { $0["owner"] == "payer" }
            let isAsked = ["redirect", "sdk", "clarify", "retryInForm"].contains(type)
            #expect(isPayers == isAsked, scene)
            #expect((after["nextAction"] != nil) == (isAsked || type == "wait" && action["action"] != nil), scene)
            #expect(isAsked == (action["url"] != nil || action["appParameters"] != nil), scene)
            #expect((given.status == 200) == (action["appParameters"] != nil), scene)
            if given.status != 200 {
                let code = action["url"] != nil ? "not_an_app_payment" : "no_action_open"
                #expect(given.status == 409 && said["code"]?.text == code, scene)
            }
            return .done("\(after["status"]?.text ?? "?") \(type)")
        }
    }

    /// Removes a saved card while a payment waits for its payer with it: the payment is cancelled, and all agree on that.
    func remove(_ daemon: DaemonProcess, _ card: String, under payment: String) async throws {
        try await call(daemon, .delete, "/v1/instruments/\(card)", key: "remove-\(card)")
        try await until("nobody is asked to pay \(payment)") {
            let said = try await self.payment(daemon, payment)
            return said["nextAction"] == nil ? .done(()) : .notYet(said.canonicalText)
        }
        #expect(try await agree(daemon, payment).hasSuffix("wait"))
        let owed = try await self.payment(daemon, payment)["obligations"]?.items ?? []
        #expect(owed.map { $0["kind"] } == ["cancellation"], "\(owed)")
    }

    /// Looks until nobody is sent to the payment's order any more, and gives why.
    func misdirected(_ daemon: DaemonProcess, _ id: String) async throws -> [String] {
        try await until("\(id) has no next action") {
            let word = try await agree(daemon, id)
            guard word == "requiresAction none" else { return .notYet(word) }
            let owed = try await payment(daemon, id)["obligations"]?.items ?? []
            #expect(owed.allSatisfy { $0["owner"] == "operator" } && !owed.isEmpty)
            let next = try await call(daemon, .get, "/v1/payments/\(id)/next-action")
            return .done([next["reason"]?.text].compactMap(\.self))
        }
    }

    /// Looks again and again until the payment has a status, and gives all that was said on the way.
    func agree(_ daemon: DaemonProcess, _ id: String, until status: String) async throws -> Set<String> {
        var said: Set<String> = []
        return try await until("\(id) is \(status)") {
            let word = try await agree(daemon, id)
            said.insert(word)
            return word.hasPrefix("\(status) ") ? .done(said) : .notYet(word)
        }
    }
}
