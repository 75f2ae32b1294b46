/// Words of schedules, bills, instruments, accounts, open items and reports.
extension Words {
    package static let scheduleOrder = ["registered", "active", "paused", "completed", "cancelled", "expired"]
    package static let schedule: [String: Text] = [
        "accepted": Text("Accepted", "Прийнято", "Принято", "Accepté"),
        "unregistered": Text("Unregistered", "Незареєстрований", "Незарегистрировано", "Non enregistré"),
        "registered": Text(
            "Waits for its first payment",
            "Чекає першого платежу",
            "Ждёт первого платежа",
            "Attend le premier paiement"
        ),
        "active": Text("Active", "Активний", "Активно", "Actif"),
        "paused": Text("Paused", "Призупинено", "Приостановлено", "En pause"),
        "completed": Text("Completed", "Завершено", "Завершено", "Terminé"),
        "cancelled": Text("Cancelled", "Скасовано", "Отменено", "Annulé"),
        "expired": Text("Expired", "Минув", "Истекло", "Expiré"),
    ]
    package static let scheduleAction: [String: Text] = [
        "pause": Text("Pause", "Призупинити", "Приостановить", "Mettre en pause"),
        "resume": Text("Resume", "Відновити", "Возобновить", "Reprendre"),
        "run": Text("Charge now", "Списати зараз", "Списать сейчас", "Prélever maintenant"),
        "cancel": Text("Cancel for good", "Скасувати назавжди", "Отменить навсегда", "Annuler pour de bon"),
    ]
    package static let scheduleActionHint: [String: Text] = [
        "pause": Text(
            "Nothing is charged until it is resumed.",
            "Нічого не спишеться до відновлення.",
            "Ничего не спишется до возобновления.",
            "Rien n'est prélevé avant la reprise."
        ),
        "resume": Text(
            "Charges go on as the rule has them.",
            "Списання тривають за правилом.",
            "Списания продолжаются по правилу.",
            "Les prélèvements reprennent selon la règle."
        ),
        "run": Text(
            "Charges the next occurrence at once.",
            "Списує наступне негайно.",
            "Списывает следующее немедленно.",
            "Prélève la prochaine échéance tout de suite."
        ),
        "cancel": Text(
            "Nothing is charged any more, and it can't be taken up again.",
            "Більше нічого не спишеться, і відновити не можна.",
            "Больше ничего не спишется, и возобновить нельзя.",
            "Plus rien n'est prélevé, sans reprise possible."
        ),
    ]
    package static let period: [String: Text] = [
        "day": Text("every day", "щодня", "ежедневно", "chaque jour"),
        "week": Text("every week", "щотижня", "еженедельно", "chaque semaine"),
        "month": Text("every month", "щомісяця", "ежемесячно", "chaque mois"),
        "quarter": Text("every quarter", "щокварталу", "ежеквартально", "chaque trimestre"),
        "halfYear": Text("every half-year", "щопівроку", "раз в полгода", "chaque semestre"),
        "year": Text("every year", "щороку", "ежегодно", "chaque année"),
    ]
    package static let occurrence: [String: Text] = [
        "planned": Text("Planned", "Заплановано", "Запланировано", "Prévu"),
        "inFlight": Text("Under way", "Триває", "В пути", "En cours"),
        "declined": Text("Declined", "Відхилено", "Отклонено", "Refusé"),
        "waiting": Text("Waits to be tried again", "Чекає повтору", "Ждёт повтора", "Attend un nouvel essai"),
        "stepUp": Text("Customer is asked", "Запитано клієнта", "Запрошен клиент", "Client sollicité"),
        "succeeded": Text("Paid", "Сплачено", "Оплачено", "Payé"),
        "skipped": Text("Skipped", "Пропущено", "Пропущено", "Sauté"),
        "givenUp": Text("Given up", "Припинено", "Прекращено", "Abandonné"),
        "dropped": Text("Dropped", "Відкинуто", "Отброшено", "Écarté"),
    ]
    package static let instrumentOrder = ["usable", "expired", "invalid", "removed"]
    package static let instrument: [String: Text] = [
        "usable": Text("Usable", "Чинна", "Действует", "Utilisable"),
        "expired": Text("Expired", "Прострочена", "Истекла", "Expirée"),
        "invalid": Text("Not taken any more", "Більше не приймається", "Больше не принимается", "Plus acceptée"),
        "removed": Text("Removed", "Вилучена", "Удалена", "Supprimée"),
    ]
    package static let batch: [String: Text] = [
        "open": Text("Open", "Відкритий", "Открыт", "Ouvert"),
        "pricing": Text("Being priced", "Оцінюється", "Оценивается", "Calcul du prix"),
        "processing": Text("Processing", "Обробляється", "В обработке", "En cours"),
        "requires_action": Text("Waits for the payer", "Чекає платника", "Ждёт плательщика", "Attend le payeur"),
        "paused": Text("Stopped", "Зупинено", "Остановлен", "Arrêté"),
        "completed": Text("Completed", "Завершено", "Завершён", "Terminé"),
        "partially_completed": Text("Partly completed", "Частково", "Частично", "En partie"),
        "failed": Text("Failed", "Невдалий", "Неудачный", "Échoué"),
        "claimed": Text("Claimed by the app", "Заявлено застосунком", "Заявлено приложением", "Affirmé par l'app"),
        "unresolved": Text("Unresolved", "Не вирішено", "Не решён", "Non résolu"),
    ]
    package static let billOrder = [
        "paid", "held", "claimed", "requires_action", "waiting", "pending", "unknown", "refunded", "failed",
        "cancelled",
        "refused",
    ]
    package static let bill: [String: Text] = [
        "paid": Text("Paid", "Сплачено", "Оплачен", "Payée"), "held": Text("Held", "Утримано", "Удержан", "Réservée"),
        "refunded": Text("Refunded", "Повернено", "Возвращён", "Remboursée"),
        "cancelled": Text("Cancelled", "Скасовано", "Отменён", "Annulée"),
        "claimed": Text("Claimed", "Заявлено", "Заявлен", "Affirmée"),
        "requires_action": Text("Waits for the payer", "Чекає платника", "Ждёт плательщика", "Attend le payeur"),
        "failed": Text("Failed", "Невдалий", "Неудачный", "Échouée"),
        "unknown": Text("Unknown", "Невідомо", "Неизвестно", "Inconnue"),
        "refused": Text("Not asked for", "Не запитано", "Не запрошен", "Non demandée"),
        "pending": Text("Pending", "Очікує", "Ожидает", "En attente"),
        "waiting": Text("Not begun", "Не розпочато", "Не начат", "Pas commencée"),
    ]
    package static let breaker: [String: Text] = [
        "closed": Text("In use", "У роботі", "В работе", "En service"),
        "open": Text("Rests", "Пауза", "Пауза", "En pause"),
        "halfOpen": Text("Being tried", "Перевіряється", "Проверяется", "À l'essai"),
        "closedAccount": Text("Closed for good", "Закрито назавжди", "Закрыт навсегда", "Fermé pour de bon"),
    ]
    package static let openItem: [String: Text] = [
        "bill": Text("Bill", "Рахунок", "Счёт", "Facture"),
        "batch": Text("Batch of bills", "Пакет рахунків", "Пакет счетов", "Lot de factures"),
        "chunk": Text(
            "Message that pays bills",
            "Повідомлення з рахунками",
            "Сообщение со счетами",
            "Message de factures"
        ),
        "price": Text("Price of bills", "Ціна рахунків", "Цена счетов", "Prix des factures"),
        "removal": Text("Removal of a card", "Вилучення картки", "Удаление карты", "Suppression de carte"),
        "series": Text(
            "Series at the provider",
            "Серія у провайдера",
            "Серия у провайдера",
            "Série chez le prestataire"
        ),
        "arrival": Text(
            "Notification of an unknown order",
            "Сповіщення невідомого замовлення",
            "Уведомление неизвестного заказа",
            "Notification inconnue"
        ),
        "input": Text("Undecided input", "Невирішений вхід", "Нерешённый вход", "Entrée non décidée"),
        "webhook": Text("Disabled webhook", "Вимкнений вебхук", "Отключённый вебхук", "Webhook désactivé"),
    ]
    package static let flowKind: [String: Text] = [
        "payment": Text("payment", "платіж", "платёж", "paiement"),
        "transfer": Text("transfer", "переказ", "перевод", "virement"),
        "bill": Text("bill", "рахунок", "счёт", "facture"),
        "schedule": Text("schedule", "графік", "график", "échéancier"),
        "settlement": Text("settlement file", "файл розрахунків", "файл расчётов", "fichier de règlement"),
    ]
    package static let ledgerAccount: [String: Text] = [
        "provider": Text("owed by the provider", "борг провайдера", "долг провайдера", "dû par le prestataire"),
        "customers": Text(
            "taken from payers",
            "отримано від платників",
            "получено от плательщиков",
            "reçu des payeurs"
        ),
        "disputed": Text("in dispute", "оскаржується", "оспаривается", "en litige"),
        "chargebacks": Text("charged back", "чарджбеки", "чарджбэки", "rétrofacturé"),
        "fees": Text("fees", "комісії", "комиссии", "frais"),
        "authorised": Text(
            "authorised (memo)",
            "авторизовано (довідково)",
            "авторизовано (справочно)",
            "autorisé (mémo)"
        ),
        "authorisedContra": Text(
            "authorised, contra",
            "авторизовано, контра",
            "авторизовано, контра",
            "autorisé, contrepartie"
        ),
        "passedOn": Text("passed on (memo)", "передано (довідково)", "передано (справочно)", "transmis (mémo)"),
        "passedOnContra": Text("passed on, contra", "передано, контра", "передано, контра", "transmis, contrepartie"),
    ]
}
