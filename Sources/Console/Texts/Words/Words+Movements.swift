/// Words of what moves, and of what waits for its end.
extension Words {
    /// Movements, and what settlement books beside them.
    package static let movement: [String: Text] = [
        "authorised": Text("Held", "Утримано", "Удержано", "Bloqué"),
        "holdCaptured": Text("Taken from the hold", "Знято з утримання", "Снято с удержания", "Pris sur le blocage"),
        "holdReleased": Text("Hold given back", "Утримання знято", "Удержание снято", "Blocage levé"),
        "holdExpired": Text("Hold lapsed", "Утримання минуло", "Удержание истекло", "Blocage périmé"),
        "captured": .captured, "refunded": .refunded,
        "refundReversed": Text(
            "Refund taken back",
            "Повернення скасовано",
            "Возврат отменён",
            "Remboursement repris"
        ),
        "transferred": .transferred, "disputed": Text("Disputed", "Оскаржено", "Оспорено", "Contesté"),
        "disputeWon": Text("Dispute won", "Спір виграно", "Спор выигран", "Litige gagné"),
        "disputeLost": Text("Dispute lost", "Спір програно", "Спор проигран", "Litige perdu"),
        "fee": Text("Fee", "Комісія", "Комиссия", "Frais"), "payerCommission": .commission,
        "claimed": Text("Claimed", "Заявлено", "Заявлено", "Affirmé"),
        "payout": Text("Payout", "Виплата", "Выплата", "Versement"),
        "reserveHeld": Text("Reserve held", "Резерв утримано", "Резерв удержан", "Réserve retenue"),
        "reserveReturned": Text("Reserve given back", "Резерв повернено", "Резерв возвращён", "Réserve rendue"),
        "adjustment": Text("Adjustment", "Коригування", "Корректировка", "Ajustement"),
    ]
    /// Items of the report 'open-items'.
    package static let waiting: [String: Text] = [
        "hold": Text("Hold", "Утримання", "Удержание", "Blocage"),
        "dispute": Text("Dispute", "Спір", "Спор", "Litige"),
        "uncertain": Text("Outcome unknown", "Результат невідомий", "Результат неизвестен", "Issue inconnue"),
    ]
}
