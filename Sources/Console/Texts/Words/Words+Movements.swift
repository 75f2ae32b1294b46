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
        "rounding": Text("Rounding", "Округлення", "Округление", "Arrondi"),
    ]
    /// What events told of tries, attempts and occurrences.
    package static let fact: [String: Text] = [
        "tried": Text("Tried", "Спроба", "Попытка", "Essai"),
        "challenged": Text("Asked for 3-D Secure", "Запитано 3-D Secure", "Запрошен 3-D Secure", "3-D Secure demandé"),
        "approved": Text("Approved", "Схвалено", "Одобрено", "Accepté"),
        "refused": Text("Refused", "Відхилено", "Отклонено", "Refusé"),
        "ended": Text("Ended without money", "Скінчилося без грошей", "Закончилось без денег", "Terminé sans argent"),
        "paid": Text("First money", "Перші гроші", "Первые деньги", "Premier argent"),
        "uncertain": Text("Outcome unknown", "Результат невідомий", "Результат неизвестен", "Issue inconnue"),
        "certain": Text("Outcome known", "Результат відомий", "Результат известен", "Issue connue"),
        "answered": Text("Answered", "Відповідь", "Ответ", "Réponse"),
        "began": Text("Schedule began", "Графік почався", "График начался", "Échéancier commencé"),
        "over": Text("Schedule over", "Графік завершено", "График завершён", "Échéancier terminé"),
        "due": Text("Due", "Настало", "Наступило", "Échu"),
        "declined": Text("Declined", "Відхилено", "Отклонено", "Refusé"),
        "collected": Text("Collected", "Зібрано", "Собрано", "Encaissé"),
        "lost": Text("Given up", "Списано як втрату", "Признано потерянным", "Abandonné"),
        "skipped": Text("Skipped", "Пропущено", "Пропущено", "Sauté"),
    ]
    /// Items of the report 'open-items'.
    package static let waiting: [String: Text] = [
        "hold": Text("Hold", "Утримання", "Удержание", "Blocage"),
        "dispute": Text("Dispute", "Спір", "Спор", "Litige"),
        "uncertain": Text("Outcome unknown", "Результат невідомий", "Результат неизвестен", "Issue inconnue"),
    ]
}
