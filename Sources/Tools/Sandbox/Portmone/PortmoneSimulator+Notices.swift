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
        for _ in 0..<count {
            counter += 1
            let body = FormEncoding.encode([("data", document)])
            notices[counter] = Notice(id: counter, url: url, body: Array(body.utf8))
            due.add(
                .notice(DeliveryAttempt(delivery: counter, number: 1)),
                due: now.adding(configuration.timings.notice)
            )
        }
    }

    mutating func noticeDue(_ attempt: DeliveryAttempt) {
        guard let notice = notices[attempt.delivery], !notice.isDelivered, notice.attempts == attempt.number - 1 else {
            return
        }
        notices[notice.id]?.attempts += 1
        notices[notice.id]?.isOpen = true
        actions.append(
            .deliver(
                SandboxDelivery(
                    attempt: attempt,
                    url: notice.url,
                    contentType: "application/x-www-form-urlencoded",
                    body: notice.body
                )
            )
        )
    }

    mutating func noticeEnded(_ attempt: DeliveryAttempt, _ reply: DeliveryReply) {
        guard let notice = notices[attempt.delivery], notice.isOpen, notice.attempts == attempt.number else { return }
        notices[notice.id]?.isOpen = false
        if reply == .status(200) {
            notices[notice.id]?.isDelivered = true
            return
        }
        guard attempt.number < configuration.timings.noticeAttempts else { return }
        due.add(
            .notice(DeliveryAttempt(delivery: notice.id, number: attempt.number + 1)),
            due: now.adding(configuration.timings.lived(configuration.timings.noticeRetry))
        )
    }
}
