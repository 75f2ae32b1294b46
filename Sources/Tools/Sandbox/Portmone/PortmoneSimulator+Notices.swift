import Kernel

/// Notifications: for payments only, unsigned, repeated a few times.
extension PortmoneSimulator {
    mutating func announce(_ key: PortmoneOrderKey, _ id: String) {
        guard let url = merchants[key.payeeId]?.notificationUrl, let order = orders[key],
            let bill = order.bills.first(where: { $0.id == id })
        else { return }
        let fault = takeFault("notice", [.duplicateNotice, .withheldNotice])
        if fault?.kind == .withheldNotice { return }
        let count = fault?.kind == .duplicateNotice ? 2 : 1
        let document =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<BILLS><BILL><PAYEE><NAME>Sandbox</NAME><CODE>\(key.payeeId)"
            + "</CODE></PAYEE><BILL_ID>\(id)</BILL_ID><BILL_NUMBER>\(Html.escape(key.number))</BILL_NUMBER>"
            + "<PAYED_AMOUNT>\(bill.amount.decimal)</PAYED_AMOUNT><PAYED_COMMISSION>0.50</PAYED_COMMISSION>"
            + "<PAYED_DEBT>0</PAYED_DEBT><AUTH_CODE>TESTPM</AUTH_CODE><PAYER><CONTRACT_NUMBER>"
            + "\(Html.escape(order.description))</CONTRACT_NUMBER></PAYER></BILL></BILLS>"
        let timings = configuration.timings
        for _ in 0..<count {
            tell(
                SandboxNotice(
                    id: core.count(),
                    url: url,
                    contentType: "application/x-www-form-urlencoded",
                    body: Array(FormEncoding.encode([("data", document)]).utf8),
                    pauses: Array(repeating: timings.lived(timings.noticeRetry), count: timings.noticeAttempts - 1)
                ),
                after: timings.notice
            )
        }
    }
}
