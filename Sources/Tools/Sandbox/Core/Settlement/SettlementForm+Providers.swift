/// The files of the simulated providers, as docs/settlement.md tells them.
extension SettlementForm {
    static let ecommpay = SettlementForm(
        header: [
            ("payment_id", .payment), ("operation_id", .operation), ("operation_type", .kind),
            ("operation_status", .status), ("amount", .amount), ("currency", .currency), ("commission", .fee),
            ("operation_date", .at),
        ],
        words: [
            .sale: "sale", .capture: "capture", .refund: "refund", .refundReverse: "refund_reverse", .payout: "payout",
        ]
    )

    static let portmone: SettlementForm = {
        var form = SettlementForm(
            header: [
                ("SHOPBILLID", .operation), ("SHOPORDERNUMBER", .payment), ("STATUS", .kind), ("BILL_AMOUNT", .amount),
                ("BILL_CURRENCY", .currency), ("COMMISSION", .fee), ("PAY_DATE", .at),
            ],
            words: [.sale: "PAYED", .capture: "PAYED", .refund: "RETURN", .payout: "PAY_ORDER"]
        )
        form.delimiter = ";"
        form.isCyrillic = true
        form.clock = .kyiv
        form.isDayFirst = true
        return form
    }()

    static let dolyame: SettlementForm = {
        var form = SettlementForm(
            header: [
                ("Номер заказа", .payment), ("ID возврата", .operation), ("Операция", .kind), ("Сумма", .amount),
                ("Валюта", .currency), ("Комиссия", .fee), ("Дата операции", .at),
            ],
            words: [.sale: "Покупка", .capture: "Покупка", .refund: "Возврат", .payout: "Выплата"]
        )
        form.delimiter = ";"
        form.decimal = ","
        form.clock = .moscow
        form.isDayFirst = true
        form.hasSeconds = false
        // A purchase has its order's number alone.
        form.namesOperation = { $0 != .sale && $0 != .capture }
        return form
    }()

    static let sberPay: SettlementForm = {
        var form = SettlementForm(
            header: [
                ("Номер заказа", .payment), ("Номер операции", .operation), ("Тип операции", .kind),
                ("Сумма операции", .amount), ("Валюта", .currency), ("Комиссия", .fee), ("Дата и время", .at),
            ],
            words: [.sale: "Оплата", .capture: "Списание", .refund: "Возврат", .payout: "Перечисление"]
        )
        form.delimiter = ";"
        form.decimal = ","
        form.isCyrillic = true
        form.clock = .moscow
        form.isDayFirst = true
        form.currencies = ["RUB": "643", "USD": "840"]
        return form
    }()

    static let worldline: SettlementForm = {
        var form = SettlementForm(
            header: [
                ("PAYID", .operation), ("REF", .payment), ("TRXTYPE", .kind), ("AMOUNT", .amount),
                ("CURRENCY", .currency), ("FEES", .fee), ("PAYDATE", .at),
            ],
            words: [
                .sale: "SALE", .capture: "CAPTURE", .refund: "REFUND", .refundReverse: "REFUND_REVERSAL",
                .payout: "PAYOUT", .total: "TOTAL",
            ]
        )
        form.isIso = true
        form.hasTotal = true
        return form
    }()
}
