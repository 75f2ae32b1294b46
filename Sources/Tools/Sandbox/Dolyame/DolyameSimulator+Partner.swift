import Kernel

/// The Partner API.
extension DolyameSimulator {
    mutating func partner(_ request: SandboxRequest, _ path: [String]) -> SandboxAnswer {
        let method = path.last ?? ""
        let fault = takeFault(method, Set(DolyameFaultKind.allCases))?.kind
        let payment = path.count == 2 ? path[0] : (try? Json(request.body))?.at("order", "id")?.text ?? ""
        if fault == .throttled {
            note("call", method, payment: payment, "throttled")
            return DolyameRefusal(status: 429, code: "TOO_MANY_REQUESTS", message: "slow down").answer
        }
        var answer = perform(request, path)
        note("call", method, payment: payment, fault?.rawValue ?? String(answer.status))
        switch fault {
        case .slow?: answer.delay = Self.slowness
        case .lost?: answer.fate = .lost
        case .errorAfter?:
            return DolyameRefusal(status: 500, code: "INTERNAL_ERROR", message: "broken").answer
        case .throttled?, nil: break
        }
        return answer
    }

    private mutating func perform(_ request: SandboxRequest, _ path: [String]) -> SandboxAnswer {
        let body = (try? Json(request.body)) ?? [:]
        if request.method == "POST", path == ["create"] {
            switch DolyameOrder.read(body) {
            case .failure(let refusal): return refusal.answer
            case .success(let order):
                guard orders[order.id] == nil else {
                    return DolyameRefusal.conflict("the id was used before").answer
                }
                orders[order.id] = order
                return .json(200, order.json(link: link(order.id), withItems: false))
            }
        }
        guard path.count == 2, let order = orders[path[0]] else {
            return DolyameRefusal.notFound.answer
        }
        switch (request.method, path[1]) {
        case ("GET", "info"): return .json(200, order.json(link: link(order.id), withItems: true))
        case ("POST", "commit"): return answer(commit(order, body))
        case ("POST", "cancel"): return answer(cancel(order))
        case ("POST", "refund"): return refund(order, body)
        case ("POST", "complete_delivery"): return answer(delivered(order, body))
        default: return .text(404, "no such method\n")
        }
    }

    private func answer(_ result: Result<DolyameOrder, DolyameRefusal>) -> SandboxAnswer {
        switch result {
        case .success(let order): .json(200, order.json(link: link(order.id), withItems: false))
        case .failure(let refusal): refusal.answer
        }
    }

    /// Takes the whole hold or a part; what is left over goes back to the payer.
    mutating func commit(_ known: DolyameOrder, _ body: Json) -> Result<
        DolyameOrder, DolyameRefusal
    > {
        guard known.status == .waiting else {
            return .failure(.conflict("the order does not wait for a commit"))
        }
        switch DolyameOrder.Bill.read(body, items: "items", prepaid: "prepaid_amount") {
        case .failure(let refusal): return .failure(refusal)
        case .success(let bill):
            guard bill.amount <= known.amount else {
                return .failure(.validation("amount", "more than the order"))
            }
            var order = known
            book(.capture, bill.amount, order.id, "commit")
            book(.release, known.amount - bill.amount, order.id, "rest")
            (order.amount, order.prepaid, order.items) = (bill.amount, bill.prepaid, bill.items)
            move(order, to: .committed)
            return .success(orders[order.id] ?? order)
        }
    }

    mutating func cancel(_ order: DolyameOrder) -> Result<
        DolyameOrder, DolyameRefusal
    > {
        switch order.status {
        case .new, .approved: break
        case .waiting: book(.release, order.amount, order.id, "cancel")
        case .committed, .completed, .rejected, .canceled:
            return .failure(.conflict("the order is final"))
        }
        move(order, to: .canceled)
        return .success(orders[order.id] ?? order)
    }

    /// Ends the fiscal cycle of an order that was committed; no money moves.
    private mutating func delivered(_ known: DolyameOrder, _ body: Json) -> Result<DolyameOrder, DolyameRefusal> {
        guard known.status == .committed || known.status == .completed else {
            return .failure(.conflict("the order is not committed"))
        }
        if let given = body["order"],
            case .failure(let refusal) = DolyameOrder.Bill.read(given, items: "items", prepaid: "prepaid_amount")
        {
            return .failure(refusal)
        }
        var order = known
        order.isDelivered = true
        orders[order.id] = order
        return .success(order)
    }

    mutating func refund(_ known: DolyameOrder, _ body: Json) -> SandboxAnswer {
        guard known.status == .committed || known.status == .completed else {
            return DolyameRefusal.conflict("nothing was committed").answer
        }
        switch DolyameOrder.Bill.read(body, items: "returned_items", prepaid: "refunded_prepaid_amount")
        {
        case .failure(let refusal): return refusal.answer
        case .success(let bill):
            guard known.refunded + bill.amount <= known.amount else {
                return DolyameRefusal.validation("amount", "more than is left").answer
            }
            var order = known
            let id = "rf-\(order.id.suffix(6))-\(order.refunds.count + 1)"
            order.refunds.append(DolyameOrder.Refund(id: id, amount: bill.amount, prepaid: bill.prepaid))
            book(.refund, bill.amount, order.id, id)
            orders[order.id] = order
            notify(order)
            return .json(
                200,
                ["amount": DolyameOrder.decimal(order.amount - order.refunded), "refund_id": .string(id)]
            )
        }
    }

    /// Sets a new status and tells the shop.
    mutating func move(_ known: DolyameOrder, to status: DolyameOrder.Status) {
        var order = known
        order.status = status
        orders[order.id] = order
        notify(order)
    }
}
