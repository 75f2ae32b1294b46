import Kernel

/// The mappings that come with the providers: the form in which the sandbox writes its files, and where an account's own begins.
///
/// No provider here publishes the form of its files; they are agreed on with each merchant.
extension SettlementMapping {
    /// The mapping for a provider's accounts that have none of their own; `nil` for an unknown provider.
    package static func standard(for provider: String) -> SettlementMapping? { all[provider] }

    /// Each provider's, by its name.
    package static let all: [String: SettlementMapping] = [
        "ecommpay": ecommpay, "portmone": portmone, "dolyame": dolyame, "sberpay": sberPay, "worldline": worldline,
    ]

    private static func columns(_ names: KeyValuePairs<Column, String>) -> [Column: String] {
        Dictionary(uniqueKeysWithValues: names.map { ($0.key, $0.value) })
    }

    private static func made(
        _ name: String,
        _ columns: [Column: String],
        dates: String,
        zone: String,
        _ change: (inout SettlementMapping) -> Void
    ) -> SettlementMapping {
        var mapping = SettlementMapping(name, .csv, columns, dates: DateForm(dates) ?? .iso, zone: zone)
        change(&mapping)
        return mapping
    }

    private static let ecommpay = made(
        "ecommpay operations",
        columns([
            .kind: "operation_type", .providerReference: "operation_id", .reference: "payment_id", .amount: "amount",
            .currency: "currency", .fee: "commission", .at: "operation_date",
        ]),
        dates: "yyyy-MM-dd HH:mm:ss",
        zone: "UTC"
    ) {
        $0.kinds = [
            "sale": .captured, "capture": .captured, "recurring": .captured, "refund": .refunded, "reversal": .refunded,
            "refund_reverse": .refundReversed, "chargeback": .disputed, "chargeback_reverse": .disputeWon,
            "payout": .payout, "rolling_reserve": .reserveHeld, "rolling_reserve_release": .reserveReturned,
            "commission": .fee,
        ]
        $0.only = Selection(column: "operation_status", words: ["success"])
    }

    private static let portmone = made(
        "Portmone registry",
        columns([
            .kind: "STATUS", .providerReference: "SHOPBILLID", .reference: "SHOPORDERNUMBER", .amount: "BILL_AMOUNT",
            .currency: "BILL_CURRENCY", .fee: "COMMISSION", .at: "PAY_DATE",
        ]),
        dates: "dd.MM.yyyy HH:mm:ss",
        zone: "Europe/Kyiv"
    ) {
        $0.delimiter = ";"
        $0.encoding = .windows1251
        $0.kinds = [
            "PAYED": .captured, "RETURN": .refunded, "CHARGEBACK": .disputed, "PAY_ORDER": .payout, "FEE": .fee,
        ]
    }

    private static let dolyame = made(
        "Dolyame register",
        columns([
            .kind: "Операция", .providerReference: "ID возврата", .reference: "Номер заказа", .amount: "Сумма",
            .currency: "Валюта", .fee: "Комиссия", .at: "Дата операции",
        ]),
        dates: "dd.MM.yyyy HH:mm",
        zone: "Europe/Moscow"
    ) {
        $0.delimiter = ";"
        $0.decimal = ","
        $0.grouping = " "
        $0.kinds = [
            "Покупка": .captured, "Возврат": .refunded, "Выплата": .payout, "Комиссия": .fee,
        ]
    }

    private static let sberPay = made(
        "Sber register",
        columns([
            .kind: "Тип операции", .providerReference: "Номер операции", .reference: "Номер заказа",
            .amount: "Сумма операции", .currency: "Валюта", .fee: "Комиссия", .at: "Дата и время",
        ]),
        dates: "dd.MM.yyyy HH:mm:ss",
        zone: "Europe/Moscow"
    ) {
        $0.delimiter = ";"
        $0.encoding = .windows1251
        $0.decimal = ","
        $0.kinds = [
            "Оплата": .captured, "Списание": .captured, "Возврат": .refunded, "Отмена": .refunded,
            "Опротестование": .disputed, "Перечисление": .payout, "Комиссия": .fee,
        ]
        $0.currencies = codes(["643": "RUB", "810": "RUB", "840": "USD"])
    }

    private static let worldline = made(
        "Worldline Direct transactions",
        columns([
            .kind: "TRXTYPE", .providerReference: "PAYID", .reference: "REF", .amount: "AMOUNT", .currency: "CURRENCY",
            .fee: "FEES", .at: "PAYDATE",
        ]),
        dates: "iso",
        zone: "Europe/Brussels"
    ) {
        $0.kinds = [
            "SALE": .captured, "CAPTURE": .captured, "REFUND": .refunded, "REFUND_REVERSAL": .refundReversed,
            "CHARGEBACK": .disputed, "CHARGEBACK_REVERSAL": .disputeWon, "PAYOUT": .payout, "FEE": .fee,
            "RESERVE": .reserveHeld, "RESERVE_RELEASE": .reserveReturned, "TOTAL": .total,
        ]
        $0.total = .net
    }

    private static func codes(_ words: [String: String]) -> [String: Currency] {
        words.compactMapValues { Currency($0) }
    }
}
