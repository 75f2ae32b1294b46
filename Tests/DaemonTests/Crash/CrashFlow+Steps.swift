import Http
import Kernel

extension CrashFlow {
    // MARK: Commands

    static func create(_ body: Json) -> Step {
        { run in
            var members = body.members ?? JsonObject([])
            members["reference"] = .string(run.name)
            if run.flow.resource == "payments" { members["description"] = .string(run.name) }
            if members["method"] == "instrument" { members["instrument"] = run.ground.instrument.map(Json.string) }
            let path = "/v1/\(run.flow.resource)"
            let made = try await run.stage.call(run.daemon, .post, path, .object(members), key: "\(run.name)-create")
            run.id = made["id"]?.text ?? ""
        }
    }

    static func perform(_ verb: String, _ body: Json) -> Step {
        { run in
            if run.isLost { return }
            let path = "/v1/\(run.flow.resource)/\(run.id)/\(verb)"
            try await run.stage.call(run.daemon, .post, path, body, key: "\(run.name)-\(verb)")
        }
    }

    /// The backend asks in a transaction of its own database, and waits for nothing.
    static func enqueue(_ command: String) -> Step {
        { run in
            try await run.stage.until("\(command) is enqueued") { () -> Stage.Look<Void> in
                do {
                    try await run.stage.enqueue(command, key: "\(run.name)-\(command)", ["payment": .string(run.id)])
                    return .done(())
                } catch { return .notYet("\(error)") }
            }
        }
    }

    static func reach(_ status: String) -> Step {
        { run in
            // Each look loads the stream, which is a passage of a point: not many, or the flow dies of looks alone.
            try await run.stage.until("\(run.id) is \(status)", pause: .milliseconds(150)) { () -> Stage.Look<Void> in
                let shown = try await run.stage.payment(run.daemon, run.id, at: run.flow.resource)
                if shown["status"]?.text == status { return .done(()) }
                run.notice(shown)
                return run.isLost ? .done(()) : .notYet(shown.canonicalText)
            }
        }
    }

    // MARK: The payer

    /// The payer opens the page, on which the magic amount plays by itself.
    static let openPage: Step = { run in
        guard let url = try await page(run) else { return }
        _ = try await run.stage.send(.get, url, HttpHeaders([("Accept", "text/html")]), [])
    }

    /// The payer is sent to a page, and opens it after the merchant has cancelled.
    static let keepPage: Step = { run in run.page = try await page(run) ?? run.page }
    static let openKept: Step = { run in
        _ = try await run.stage.send(.get, run.page, HttpHeaders([("Accept", "text/html")]), [])
    }

    /// The payer opens the page of the first account, and the one of the second.
    static let openPages: Step = { run in
        try await openPage(run)
        try await run.stage.until("\(run.name) goes on") { () -> Stage.Look<Void> in
            let payment = try await run.stage.payment(run.daemon, run.id)
            return payment.at("attempt", "number") == 2 ? .done(()) : .notYet(payment.canonicalText)
        }
        try await openPage(run)
    }

    /// The payer opens the page and presses a button; pressed already, the page says so.
    static func press(_ field: String, _ button: String) -> Step {
        { run in
            guard let url = try await page(run) else { return }
            let headers = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
            let answer = try await run.stage.send(.post, url, headers, Array("\(field)=\(button)".utf8))
            guard answer.status < 400 else { throw Stage.Failure(description: "\(url): \(answer.status)") }
        }
    }

    /// The address that the payer is sent to; `nil` where they were there already and the payment went on.
    private static func page(_ run: CrashRun) async throws -> String? {
        try await run.stage.until("\(run.name) has a page") { () -> Stage.Look<String?> in
            let status = try await run.stage.payment(run.daemon, run.id)["status"]?.text ?? ""
            // What is being found out after a crash may still want the payer.
            guard ["created", "requiresAction", "processing", "indeterminate"].contains(status) else {
                return .done(nil)
            }
            let path = "/v1/payments/\(run.id)/next-action"
            let answer = try await run.stage.exchange(run.daemon, .get, path)
            guard let url = (try? Json(answer.body))?["url"]?.text else { return .notYet(status) }
            return .done(url)
        }
    }

    /// The payer pays in the app, which keeps what it has to report.
    static let playApp: Step = { run in
        run.claim = try await run.stage.playApp(run.daemon, run.id, "approve", at: run.flow.resource)
    }

    static let claim: Step = { run in
        try await run.stage.claim(run.daemon, run.id, run.claim, key: run.name, at: run.flow.resource)
    }

    // MARK: Beside money

    /// The merchant has told that the goods are delivered, and tells it again where nobody knows whether it arrived.
    static let tellDelivery: Step = { run in
        try await run.stage.until("\(run.name) is told as delivered") { () -> Stage.Look<Void> in
            let payment = try await run.stage.payment(run.daemon, run.id)
            let auxiliaryRequests = payment["errands"]?.items ?? []
            if auxiliaryRequests.last?["state"] == "done" { return .done(()) }
            if auxiliaryRequests.last?["state"] == "unknown" {
                let path = "/v1/payments/\(run.id)/complete-delivery"
                let key = "\(run.name)-again-\(auxiliaryRequests.count)"
                _ = try? await run.stage.call(run.daemon, .post, path, [:], key: key)
            }
            return .notYet(payment.canonicalText)
        }
    }

    static let keepCard: Step = { run in
        if !run.isLost { run.instrument = try await run.stage.savedInstrument(run.daemon, run.id) }
    }

    static let removeCard: Step = { run in
        if run.isLost { return }
        let path = "/v1/instruments/\(run.instrument)"
        try await run.stage.call(run.daemon, .delete, path, key: "\(run.name)-remove")
        try await run.stage.until("\(run.instrument) is removed at the bank") { () -> Stage.Look<Void> in
            let shown = try await run.stage.call(run.daemon, .get, path)
            return shown.at("removal", "atProvider") == "removed" ? .done(()) : .notYet(shown.canonicalText)
        }
    }

    // MARK: Bills

    static let createBatch: Step = { run in
        guard let source = run.ground.bills else { throw Stage.Failure(description: "no card for bills") }
        run.id = try await run.stage.newBatch(run.daemon, source, name: run.name)
        try await run.stage.upload(run.daemon, run.id, run.billIds)
    }

    static let submitBatch: Step = { run in
        let count = Int64(run.billIds.count)
        let sum: Json = ["count": .integer(count), "total": Stage.hryvnias(1000 * count)]
        try await run.stage.call(run.daemon, .post, "/v1/bill-batches/\(run.id)/submit", sum, key: "\(run.name)-submit")
    }

    static let endBatch: Step = { run in
        try await run.stage.waitBatch(run.daemon, run.id, for: ["completed", "unresolved"])
    }
}
