import Kernel

/// Captures, cancellations and refunds: accepted first, settled later.
extension WorldlineSimulator {
    mutating func capture(_ payment: WorldlinePayment, _ body: Json) throws(WorldlineRefusal) -> SandboxAnswer {
        try WorldlineShape.capture.check(body)
        let left = payment.capturable
        guard left > 0 else { throw .closed("NOTHING_TO_CAPTURE") }
        let minor = body["amount"]?.integer ?? left
        guard (1...left).contains(minor) else { throw .invalid("amount", "more than is authorized") }
        if payment.mode == .finalAuthorization, minor != payment.amount.minor {
            throw .invalid("amount", "a final authorization is captured as a whole")
        }
        let isFinal = body["amount"] == nil || body["isFinal"]?.flag == true || minor == left
        let index = add(payment, .capture, minor, body, isFinal: isFinal)
        return answer(payment.number, index, 201)
    }

    mutating func cancel(_ payment: WorldlinePayment, _ body: Json) throws(WorldlineRefusal) -> SandboxAnswer {
        try WorldlineShape.cancel.check(body)
        let left = payment.capturable
        guard left > 0 else { throw .closed("PAYMENT_IS_CLOSED") }
        let minor = try body["amountOfMoney"].map { json throws(WorldlineRefusal) in
            try Self.money(json, "amountOfMoney").minor
        }
        guard (1...left).contains(minor ?? left) else { throw .invalid("amountOfMoney", "more than is held") }
        _ = add(payment, .cancel, minor ?? left, body, isFinal: minor == nil || minor == left)
        guard let changed = payments[payment.number] else { throw .unknownId }
        return .json(200, ["payment": json(changed)])
    }

    mutating func refund(_ payment: WorldlinePayment, _ body: Json) throws(WorldlineRefusal) -> SandboxAnswer {
        try WorldlineShape.refund.check(body)
        guard payment.captured > 0 else { throw .unknownId }
        let left = payment.refundable
        let minor = try body["amountOfMoney"].map { json throws(WorldlineRefusal) in
            try Self.money(json, "amountOfMoney").minor
        }
        guard left > 0, (1...left).contains(minor ?? left) else {
            throw .invalid("amountOfMoney", "more than was captured")
        }
        let index = add(payment, .refund, minor ?? left, body, isFinal: false)
        return answer(payment.number, index, 201)
    }

    private mutating func add(
        _ payment: WorldlinePayment,
        _ kind: WorldlinePayment.Operation.Kind,
        _ minor: Int64,
        _ body: Json,
        isFinal: Bool
    ) -> Int {
        let index = payment.operations.count + 1
        let status: WorldlineStatus
        switch kind {
        case .capture: status = minor == Trigger.captureUncertain ? .captureUncertain : .captureRequested
        case .cancel: status = .cancelRequested
        case .refund: status = .refundRequested
        }
        let operation = WorldlinePayment.Operation(
            index: index,
            kind: kind,
            amount: Money(minor, payment.amount.currency),
            reference: body.at("operationReferences", "merchantReference")?.text,
            isFinal: isFinal,
            status: status,
            changedAt: now
        )
        payments[payment.number]?.operations.append(operation)
        if let changed = payments[payment.number] { announce(changed, operation) }
        let isHeldBack = takeFault(kind.rawValue, [.pending]) != nil || status == .captureUncertain
        if !isHeldBack {
            add(.settle(payment.number, operation: index), after: configuration.timings.settlement)
        }
        return index
    }

    /// The acquirer's answer to a follow-up.
    mutating func settleOperation(_ payment: WorldlinePayment, _ index: Int, declines: Bool) {
        guard let place = payment.operations.firstIndex(where: { $0.index == index }) else { return }
        var operation = payment.operations[place]
        guard operation.status.isAwaited else { return }
        let isRefused = declines || takeFault(operation.kind.rawValue, [.declined]) != nil
        operation.status = Self.ending(operation, isRefused: isRefused)
        operation.changedAt = now
        payments[payment.number]?.operations[place] = operation
        guard let changed = payments[payment.number] else { return }
        let name = changed.id(index)
        switch operation.status {
        case .captured:
            book(.capture, operation.amount.minor, changed, name)
            if operation.isFinal { book(.release, held(changed), changed, name) }
        case .cancelled: book(.release, operation.isFinal ? held(changed) : operation.amount.minor, changed, name)
        case .refunded: book(.refund, operation.amount.minor, changed, name)
        case .created, .redirected, .authorizing, .uncertain, .authorized, .declined, .cancelledByPayer,
            .captureRequested, .captureUncertain, .captureRefused, .cancelRequested, .cancelRefused, .refundRequested,
            .refundUncertain, .refundRefused:
            break
        }
        announce(changed, operation)
    }

    private static func ending(_ operation: WorldlinePayment.Operation, isRefused: Bool) -> WorldlineStatus {
        switch operation.kind {
        case .capture:
            isRefused || operation.amount.minor == Trigger.captureRefused ? .captureRefused : .captured
        case .cancel: isRefused ? .cancelRefused : .cancelled
        case .refund: isRefused || operation.amount.minor == Trigger.refundRefused ? .refundRefused : .refunded
        }
    }

    /// The amount that is reserved and on its way to nowhere.
    private func held(_ payment: WorldlinePayment) -> Int64 {
        let awaited = payment.operations.filter { $0.kind == .capture && $0.status.isAwaited }
        return max(0, ledger.totals(of: owner(payment)).reserved - awaited.reduce(0) { $0 + $1.amount.minor })
    }

    private func answer(_ number: String, _ index: Int, _ status: Int) -> SandboxAnswer {
        guard let payment = payments[number], let operation = payment.operations.first(where: { $0.index == index })
        else { return .text(500, "No operation.\n") }
        return .json(status, json(operation, of: payment))
    }
}
