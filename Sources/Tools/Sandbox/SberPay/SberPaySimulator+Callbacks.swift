import Kernel

/// Callbacks, as each gateway sends them.
extension SberPaySimulator {
    /// Tells of an order as it stands now.
    mutating func tell(
        _ id: String,
        _ operation: String,
        succeeded: Bool = true,
        refund: (amount: Int64, externalId: String?)? = nil
    ) {
        guard let order = orders[id] else { return }
        var more: [(name: String, value: String)] = []
        if let refund, merchants[order.userName]?.tellsRefunds == true {
            more = [("refundedAmount", String(order.refunded)), ("operationRefundedAmount", String(refund.amount))]
            if let id = refund.externalId { more.append(("externalRefundId", id)) }
        }
        announce(order, operation, succeeded: succeeded, more: more)
    }

    mutating func announce(
        _ order: SberPayOrder,
        _ operation: String,
        succeeded: Bool,
        more: [(name: String, value: String)] = []
    ) {
        guard let merchant = merchants[order.userName] else { return }
        let core: [(name: String, value: String)] = [
            ("mdOrder", order.id), ("orderNumber", order.number), ("operation", operation),
            ("status", succeeded ? "1" : "0"),
        ]
        switch merchant.dialect {
        case .ecom:
            // Four members and nothing of refunds.
            send(core, to: merchant, url: order.callbackUrl ?? merchant.callbackUrl, about: order.number)
        case .legacy:
            let isPayment = !operation.hasPrefix("binding")
            send(
                core + [("amount", String(order.amount))] + more,
                to: merchant,
                url: isPayment ? order.callbackUrl ?? merchant.callbackUrl : merchant.callbackUrl,
                about: order.number
            )
        }
    }

    mutating func send(
        _ parameters: [(name: String, value: String)],
        to merchant: SberPayMerchant,
        url: String?,
        about number: String
    ) {
        guard let url else { return }
        let fault = takeFault("callback", SberPayFaultKind.callbacks)
        let operation = parameters.first { $0.name == "operation" }?.value ?? ""
        note("callback", operation, payment: number, fault?.kind.rawValue ?? "made")
        if fault?.kind == .withheldCallback { return }
        let body = body(parameters, merchant, isForged: fault?.kind == .forgedCallback)
        let (timings, isGet) = (configuration.timings, merchant.dialect == .legacy && merchant.callbackForm == .get)
        let wait = fault?.kind == .lateCallback ? Duration.milliseconds(fault?.milliseconds ?? 0) : .zero
        let pause = timings.lived(merchant.dialect == .legacy ? timings.legacyRetry : timings.ecomRetry)
        for _ in 0..<(fault?.kind == .duplicateCallback ? 2 : 1) {
            tell(
                SandboxNotice(
                    id: core.count(),
                    url: isGet ? url + (url.contains("?") ? "&" : "?") + body : url,
                    contentType: merchant.dialect == .ecom ? "application/json" : "application/x-www-form-urlencoded",
                    body: isGet ? [] : Array(body.utf8),
                    kind: isGet ? .get : .post,
                    pauses: Array(repeating: pause, count: timings.callbackAttempts - 1)
                ),
                after: timings.callback + wait
            )
        }
    }

    private func body(_ parameters: [(name: String, value: String)], _ merchant: SberPayMerchant, isForged: Bool)
        -> String
    {
        switch merchant.dialect {
        case .ecom:
            let members = parameters.map { pair in
                (pair.name, pair.name == "status" ? Json.integer(pair.value == "1" ? 1 : 0) : .string(pair.value))
            }
            return String(decoding: Json.object(JsonObject(members)).compactBytes, as: UTF8.self)
        case .legacy:
            var proof = SberPayChecksum.proof(parameters, merchant.checksum)
            if isForged { proof = proof.map { ($0.name, String($0.value.reversed())) } }
            return FormEncoding.encode(parameters + proof)
        }
    }
}
