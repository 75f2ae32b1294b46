import Kernel

/// The pages for people who look behind the scenes.
extension EcommpayPages {
    /// Rows that one page shows, newest first.
    private static let rowLimit = 200

    static func overview(_ simulator: EcommpaySimulator) -> String {
        let payments = simulator.paymentOrder.suffix(rowLimit).reversed().compactMap { simulator.payments[$0] }
        let deliveries = simulator.callbacks.inOrder.suffix(rowLimit).reversed()
        return SandboxFrame.overview(
            .ecommpay,
            payments: simulator.paymentOrder.count,
            """
            <p><a href="/sandbox/ledger">Ledger</a></p>
            <h2>Payments (\(simulator.paymentOrder.count))</h2>\(paymentTable(payments, simulator))
            <h2>Faults in wait</h2>\(faultTable(simulator.faults))
            <h2>Callbacks</h2>\(callbackTable(Array(deliveries)))
            """
        )
    }

    static func payment(_ payment: EcommpayPayment, _ simulator: EcommpaySimulator) -> String {
        let deliveries = simulator.callbacks.inOrder.filter { $0.key == payment.key }
        let entries = simulator.ledger.entries.filter { $0.owner == simulator.owner(payment.key) }
        let base = "/sandbox/payments/\(payment.key.project)/\(FormEncoding.escape(payment.key.id))"
        let actions = [
            ("capture", "Capture"), ("cancel", "Cancel the hold"), ("refund", "Refund"),
            ("auto_release", "Release by itself"), ("refund_reverse", "Undo the last refund"),
            ("manual_decline", "Manual change to decline"),
        ]
        .map { Html("<button name=\"action\" value=\"\($0.0)\">\($0.1)</button>") }
        return Html.page(
            title: payment.key.id,
            """
            <main class="wide"><p><a href="/sandbox">Sandbox: ecommpay</a></p><h1>\(payment.key.id)</h1>
            <p>\(payment.order.description ?? "")</p>
            <p class="amount">\(payment.order.amount.description)</p><p>\(payment.status.rawValue)</p>
            <h2>Operations</h2>\(operationTable(payment.operations))
            <h2>Dashboard</h2><form method="post" action="\(base)/dashboard">
            <label>Amount in minor units, empty for all
            <input type="text" name="amount" inputmode="numeric"></label>\(actions)</form>
            <h2>Ledger</h2>\(ledgerTable(entries))<h2>Callbacks</h2>\(callbackTable(deliveries))</main>
            """
        )
    }

    static func ledger(_ entries: [SandboxLedger.Entry], _ simulator: EcommpaySimulator) -> String {
        Html.page(
            title: "Ledger",
            """
            <main class="wide"><p><a href="/sandbox">Sandbox</a></p><h1>Ledger</h1>
            <p class="soft">\(entries.count) entries; the newest \(rowLimit) are shown.</p>
            \(ledgerTable(entries.suffix(rowLimit).reversed()))</main>
            """
        )
    }

    private static func paymentTable(_ payments: [EcommpayPayment], _ simulator: EcommpaySimulator) -> Html {
        SandboxFrame.table(
            ["Project", "Reference", "About", "Status", "Amount#", "Reserved#", "Kept#", "Refunded#", "Form"],
            payments.map { payment -> [Html] in
                let totals = simulator.ledger.totals(of: simulator.owner(payment.key))
                let currency = payment.order.amount.currency
                let address = "/sandbox/payments/\(payment.key.project)/\(FormEncoding.escape(payment.key.id))"
                let form = simulator.formOfPayment[payment.key].map {
                    Html("<a href=\"/payment/form/\($0)\">open</a>")
                }
                return [
                    "\(payment.key.project)", "<a href=\"\(address)\">\(payment.key.id)</a>",
                    "\(payment.order.description ?? "")", "\(payment.status.rawValue)",
                    "\(payment.order.amount.description)",
                    "\(Money(totals.reserved, currency).decimal)", "\(Money(totals.kept, currency).decimal)",
                    "\(Money(totals.refunded, currency).decimal)", "\(form)",
                ]
            }
        )
    }

    private static func operationTable(_ operations: [EcommpayOperation]) -> Html {
        SandboxFrame.table(
            ["Id", "Type", "Status", "Amount#", "Code", "Asked for by", "Created", "Changed"],
            operations.map { operation in
                [
                    String(operation.id), operation.type.rawValue, operation.status.rawValue,
                    operation.amount.description, "\(operation.code) \(EcommpayCode.message(of: operation.code))",
                    operation.isCommanded ? "merchant" : "nobody", operation.createdAt.description,
                    operation.changedAt.description,
                ]
            }
        )
    }

    private static func faultTable(_ faults: [EcommpayFault]) -> Html {
        SandboxFrame.table(
            ["Fault", "On", "Payment", "Times#"],
            faults.suffix(rowLimit).map { fault in
                [fault.kind.rawValue, fault.point.rawValue, fault.paymentId ?? "any", String(fault.times)]
            }
        )
    }

    private static func callbackTable(_ deliveries: [EcommpayCallbackLog.Delivery]) -> Html {
        SandboxFrame.table(
            ["Id", "Payment", "About", "State", "Attempts", "Made", ""],
            deliveries.map { delivery -> [Html] in
                let replies = delivery.attempts.map { attempt -> String in
                    switch attempt.reply {
                    case .status(let status): String(status)
                    case .noAnswer: "no answer"
                    case nil: "under way"
                    }
                }
                return [
                    "<a href=\"/sandbox/callbacks/\(delivery.id)\">\(delivery.id)</a>", "\(delivery.paymentId ?? "")",
                    "\(delivery.summary)", "\(delivery.state.rawValue)", "\(replies.joined(separator: ", "))",
                    "\(delivery.createdAt.description)",
                    """
                    <form method="post" action="/sandbox/callbacks/\(delivery.id)/send"><button>Send</button></form>
                    """,
                ]
            }
        )
    }

    private static func ledgerTable(_ entries: [SandboxLedger.Entry]) -> Html {
        SandboxFrame.table(
            ["No.#", "At", "Project", "Payment", "Operation", "Kind", "Amount#"],
            entries.map { entry in
                [
                    String(entry.number), entry.at.description, entry.owner.account, entry.owner.payment,
                    entry.operation, entry.kind.rawValue, entry.amount.description,
                ]
            }
        )
    }
}
