import Kernel

/// Callbacks: made when something happened, delivered one by one per payment, repeated until somebody answers 200.
extension EcommpaySimulator {
    /// Makes the callback of an operation as things stand now.
    mutating func announce(_ key: EcommpayPaymentKey, operation id: Int64) {
        guard let payment = payments[key], let operation = payment.operations.first(where: { $0.id == id }) else {
            return
        }
        guard !payment.order.callbacksDisabled else { return }
        let fault = takeFault(at: .callback, of: key) { $0.strikesCallbacks }
        var body = callbackBody(payment, operation)
        switch fault?.kind {
        case .unknownStatus: body = EcommpaySimulator.withUnheardOfStatuses(body)
        case .wrongAmount: body = EcommpaySimulator.withWrongAmounts(body)
        case .slow, .lostAnswer, .errorAfter, .errorBefore, .html, .huge, .declined, .unknownCode,
            .duplicateCallback, .reorderedCallbacks, .withheldCallback, .lateCallback, .forgedSignature,
            .truncatedCallback, nil:
            break
        }
        var bytes = signed(body, for: key.project, isForged: fault?.kind == .forgedSignature)
        if fault?.kind == .truncatedCallback { bytes.removeLast(bytes.count / 2) }
        let summary = "\(payment.status.rawValue) / \(operation.type.rawValue) \(operation.status.rawValue)"
        let wait = timings.callback + timings.lived(payment.order.callbackDelay)
        let url = payment.order.callbackUrl ?? projects[key.project]?.callbackUrl
        enqueue(bytes, to: url, key, summary: summary, wait: wait, fault: fault)
        if fault?.kind == .duplicateCallback {
            enqueue(bytes, to: url, key, summary: summary + " (again)", wait: wait, fault: nil)
        }
    }

    /// Makes a callback that belongs to no payment, as those about tokens and series do.
    mutating func announceOther(_ body: Json, project: Int64, url: String?, about: String, inGeneral: Bool) {
        guard let settings = projects[project] else { return }
        let signature = EcommpaySignature.sign(body, key: settings.secret)
        var members = body.members ?? JsonObject([])
        if inGeneral {
            var general = members["general"]?.members ?? JsonObject([])
            general["signature"] = .string(signature)
            members["general"] = .object(general)
        } else {
            members["signature"] = .string(signature)
        }
        let key = EcommpayPaymentKey(project: project, id: "")
        enqueue(
            written(.object(members), in: settings),
            to: url ?? settings.callbackUrl,
            key,
            summary: about,
            wait: timings.callback,
            fault: nil
        )
    }

    private func signed(_ body: Json, for project: Int64, isForged: Bool) -> [UInt8] {
        guard let settings = projects[project], var members = body.members else { return body.compactBytes }
        let key = isForged ? Secret("a key that nobody gave out") : settings.secret
        members["signature"] = .string(EcommpaySignature.sign(body, key: key))
        return written(.object(members), in: settings)
    }

    /// The bytes of a body, with slashes as the project's platform writes them.
    func written(_ body: Json, in project: EcommpayProject) -> [UInt8] {
        let bytes = body.compactBytes
        guard project.escapesSlashes else { return bytes }
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count + 16)
        for byte in bytes {
            // A slash can stand in a string only, and none is escaped yet.
            if byte == UInt8(ascii: "/") { out.append(UInt8(ascii: "\\")) }
            out.append(byte)
        }
        return out
    }

    private mutating func enqueue(
        _ body: [UInt8],
        to url: String?,
        _ key: EcommpayPaymentKey,
        summary: String,
        wait: Duration,
        fault: EcommpayFault?
    ) {
        var delivery = EcommpayCallbackLog.Delivery(
            id: core.count(),
            project: key.project,
            paymentId: key.id.isEmpty ? nil : key.id,
            url: url,
            body: body,
            summary: summary,
            createdAt: now,
            state: url == nil ? .noAddress : .waiting
        )
        let first = DeliveryAttempt(delivery: delivery.id, number: 1)
        guard url != nil else { return callbacks.add(delivery) }
        switch fault?.kind {
        case .withheldCallback: delivery.state = .withheld
        case .reorderedCallbacks:
            delivery.state = .held
            callbacks.heldBack[key] = delivery.id
            add(.heldCallback(delivery.id), after: timings.lived(.seconds(60)))
        case .lateCallback:
            add(.callback(first), after: wait + .milliseconds(fault?.milliseconds ?? 0))
        case .slow, .lostAnswer, .errorAfter, .errorBefore, .html, .huge, .declined, .unknownCode,
            .duplicateCallback, .unknownStatus, .wrongAmount, .forgedSignature, .truncatedCallback, nil:
            add(.callback(first), after: wait)
            if let held = callbacks.heldBack.removeValue(forKey: key) {
                add(.heldCallback(held), after: wait)
            }
        }
        callbacks.add(delivery)
    }

    mutating func heldCallbackDue(_ id: Int64) {
        guard let delivery = callbacks[id], delivery.state == .held else { return }
        if callbacks.heldBack[delivery.key] == id { callbacks.heldBack[delivery.key] = nil }
        callbacks[id]?.state = .waiting
        callbackDue(DeliveryAttempt(delivery: id, number: 1))
    }

    mutating func callbackDue(_ attempt: DeliveryAttempt) {
        guard let delivery = callbacks[attempt.delivery], delivery.attempts.count == attempt.number - 1,
            delivery.state == .waiting || delivery.state == .retrying
        else { return }
        let key = delivery.key
        if attempt.number == 1, delivery.paymentId != nil {
            guard callbacks.underWay[key] == nil else {
                callbacks.queued[key, default: []].append(delivery.id)
                return
            }
            callbacks.underWay[key] = delivery.id
        }
        send(delivery.id)
    }

    /// Posts a callback now, as its next attempt.
    mutating func send(_ id: Int64) {
        guard let delivery = callbacks[id], let url = delivery.url else { return }
        callbacks[id]?.state = .delivering
        let attempt = EcommpayCallbackLog.Attempt(at: now, reply: nil)
        callbacks[id]?.attempts.append(attempt)
        core.actions.append(
            .deliver(
                SandboxDelivery(
                    attempt: DeliveryAttempt(delivery: id, number: delivery.attempts.count + 1),
                    url: url,
                    contentType: "application/json",
                    body: delivery.body
                )
            )
        )
    }

    package mutating func noticeEnded(_ attempt: DeliveryAttempt, _ reply: DeliveryReply) {
        guard let delivery = callbacks[attempt.delivery], attempt.number >= 1,
            attempt.number <= delivery.attempts.count, delivery.attempts[attempt.number - 1].reply == nil
        else { return }
        callbacks[delivery.id]?.attempts[attempt.number - 1].reply = reply
        if callbacks.underWay[delivery.key] == delivery.id {
            callbacks.underWay[delivery.key] = nil
            if var queue = callbacks.queued[delivery.key], !queue.isEmpty {
                let next = queue.removeFirst()
                callbacks.queued[delivery.key] = queue.isEmpty ? nil : queue
                callbackDue(DeliveryAttempt(delivery: next, number: 1))
            }
        }
        guard delivery.state == .delivering else { return }
        if reply == .status(200) {
            callbacks[delivery.id]?.state = .delivered
            return
        }
        let next = now.adding(timings.lived(EcommpayRetrySchedule.gap(after: attempt.number)))
        let end = delivery.createdAt.adding(timings.lived(EcommpayRetrySchedule.window))
        guard attempt.number < EcommpayRetrySchedule.attempts, next <= end else {
            callbacks[delivery.id]?.state = .givenUp
            return
        }
        callbacks[delivery.id]?.state = .retrying
        add(.callback(DeliveryAttempt(delivery: delivery.id, number: attempt.number + 1)), due: next)
    }

    /// Counts what was under way when the process ended as not delivered, and tries it again.
    package mutating func resume() {
        for delivery in callbacks.inOrder where delivery.state == .delivering {
            noticeEnded(DeliveryAttempt(delivery: delivery.id, number: delivery.attempts.count), .noAnswer)
        }
    }

    // MARK: Faults in the body

    private static func withUnheardOfStatuses(_ body: Json) -> Json {
        let word = Json.string(EcommpayPaymentStatus.unheardOf.rawValue)
        return replacing(replacing(body, "payment", "status", word), "operation", "status", word)
    }

    /// One hundred minor units too much, in both sums.
    private static func withWrongAmounts(_ body: Json) -> Json {
        let wrong = (body.at("operation", "sum_initial", "amount")?.integer ?? 0) + 100
        let currency = body.at("operation", "sum_initial", "currency") ?? .null
        let sum = Json.object(JsonObject([("amount", .integer(wrong)), ("currency", currency)]))
        return replacing(replacing(body, "payment", "sum", sum), "operation", "sum_initial", sum)
    }

    private static func replacing(_ body: Json, _ group: String, _ name: String, _ value: Json) -> Json {
        guard var members = body.members, var inner = members[group]?.members else { return body }
        inner[name] = value
        members[group] = .object(inner)
        return .object(members)
    }
}
