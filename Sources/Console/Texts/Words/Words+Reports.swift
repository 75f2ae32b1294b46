/// Words of reports and of their columns.
extension Words {
    package static let report: [String: Text] = [
        "turnover": Text("Turnover", "Оборот", "Оборот", "Chiffre d'affaires"),
        "refunds": Text("Refunds", "Повернення", "Возвраты", "Remboursements"),
        "fees": Text("Fees", "Комісії", "Комиссии", "Frais"),
        "holds": Text("Holds", "Утримання", "Удержания", "Réserves"),
        "disputes": Text("Disputes", "Оскарження", "Споры", "Litiges"),
        "bills": Text("Bills by payee", "Рахунки за отримувачами", "Счета по получателям", "Factures par bénéficiaire"),
        "uncommanded": Text(
            "What nobody asked for",
            "Чого ніхто не просив",
            "Чего никто не просил",
            "Ce que nul n'a demandé"
        ),
        "balance": Text(
            "Ledger: trial balance",
            "Книга: оборотний баланс",
            "Книга: пробный баланс",
            "Grand livre : balance"
        ),
        "methods": Text(
            "Turnover by method",
            "Оборот за способом",
            "Оборот по способу",
            "Chiffre d'affaires par moyen"
        ),
        "schemes": Text(
            "Turnover by card scheme",
            "Оборот за карткою",
            "Оборот по карте",
            "Chiffre d'affaires par réseau de carte"
        ),
        "approval": Text("Approval", "Схвалення", "Одобрение", "Acceptation"),
        "declines": Text("Declines", "Відмови", "Отказы", "Refus"),
        "three-d-secure": Text(
            "Identity checks (3-D Secure)",
            "Перевірки особи (3-D Secure)",
            "Проверки личности (3-D Secure)",
            "Contrôles d'identité (3-D Secure)"
        ),
        "recurring": Text("Recurring payments", "Регулярні платежі", "Регулярные платежи", "Paiements récurrents"),
        "time-to-money": Text("Time to money", "Час до грошей", "Время до денег", "Délai jusqu'à l'argent"),
        "open-items": Text(
            "Open money by age",
            "Відкриті гроші за віком",
            "Открытые деньги по возрасту",
            "Argent en suspens par âge"
        ),
        "settlement": Text("Settlement", "Розрахунки", "Расчёты", "Règlement"),
        "reconciliation": Text("Reconciliation", "Звіряння", "Сверка", "Rapprochement"),
        "exceptions": Text("Exceptions", "Розбіжності", "Расхождения", "Écarts"),
        "statement": Text("Ledger: statement", "Книга: виписка", "Книга: выписка", "Grand livre : relevé"),
        "periods": Text("Ledger: months", "Книга: місяці", "Книга: месяцы", "Grand livre : mois"),
    ]
    package static let reportHint: [String: Text] = [
        "turnover": Text(
            "What was captured, given back, and what is left",
            "Що списано, повернено й лишилося",
            "Что списано, возвращено и осталось",
            "Encaissé, rendu, et ce qui reste"
        ),
        "refunds": Text(
            "Refunds and their share of what was captured",
            "Повернення та їхня частка",
            "Возвраты и их доля",
            "Remboursements et leur part"
        ),
        "fees": Text(
            "What providers kept",
            "Що лишили собі провайдери",
            "Что оставили себе провайдеры",
            "Ce que les prestataires ont gardé"
        ),
        "holds": Text(
            "What was held, and how holds ended",
            "Що утримано й чим скінчилося",
            "Что удержано и чем кончилось",
            "Ce qui fut réservé, et l'issue"
        ),
        "disputes": Text(
            "What banks took back, and how it ended",
            "Що забрали банки й чим скінчилося",
            "Что забрали банки и чем кончилось",
            "Repris par les banques, et l'issue"
        ),
        "bills": Text(
            "Bills in bulk by who was paid",
            "Рахунки за тим, кому сплачено",
            "Счета по тому, кому оплачено",
            "Factures selon le bénéficiaire"
        ),
        "uncommanded": Text(
            "Money that moved by itself",
            "Гроші, що рухалися самі",
            "Деньги, что двигались сами",
            "Argent qui a bougé seul"
        ),
        "balance": Text(
            "Every account: debits beside credits",
            "Кожен рахунок: дебет і кредит",
            "Каждый счёт: дебет и кредит",
            "Chaque compte : débits et crédits"
        ),
        "methods": Text(
            "The turnover by the way it was paid",
            "Оборот за тим, як сплачено",
            "Оборот по тому, как оплачено",
            "Le chiffre selon le moyen de paiement"
        ),
        "schemes": Text(
            "The turnover by the scheme of the card",
            "Оборот за платіжною системою картки",
            "Оборот по платёжной системе карты",
            "Le chiffre selon le réseau de la carte"
        ),
        "approval": Text(
            "How attempts ended, and who got the money",
            "Чим скінчилися спроби",
            "Чем кончились попытки",
            "Issue des tentatives"
        ),
        "declines": Text(
            "Why tries were refused",
            "Чому спроби відхилено",
            "Почему попытки отклонены",
            "Pourquoi des essais furent refusés"
        ),
        "three-d-secure": Text(
            "Whose bank asked, and what came of it",
            "Чий банк перевіряв і з яким наслідком",
            "Чей банк проверял и с каким исходом",
            "Quelles banques ont demandé, et avec quel effet"
        ),
        "recurring": Text(
            "What fell due, was collected, recovered or lost",
            "Що настало, зібрано, повернено чи втрачено",
            "Что наступило, собрано, возвращено или потеряно",
            "Échu, encaissé, récupéré ou perdu"
        ),
        "time-to-money": Text(
            "From creation to the first money",
            "Від створення до перших грошей",
            "От создания до первых денег",
            "De la création au premier argent"
        ),
        "open-items": Text(
            "Holds, disputes and unknown outcomes",
            "Утримання, оскарження й невідоме",
            "Удержания, споры и неизвестное",
            "Réserves, litiges et issues inconnues"
        ),
        "settlement": Text(
            "What providers owe, beside their files",
            "Борг провайдерів поряд з їхніми файлами",
            "Долг провайдеров рядом с их файлами",
            "Dû par les prestataires, face à leurs fichiers"
        ),
        "reconciliation": Text(
            "Gross is net, fees, open, disputed and on its way",
            "Чи сходяться книги з файлами",
            "Сходятся ли книги с файлами",
            "Nos livres face aux fichiers"
        ),
        "exceptions": Text(
            "What does not fit, the oldest first",
            "Що не сходиться, найстарше спершу",
            "Что не сходится, старейшее сначала",
            "Ce qui ne concorde pas, le plus ancien d'abord"
        ),
        "statement": Text(
            "Every account by day, from opening to closing",
            "Кожен рахунок за днями",
            "Каждый счёт по дням",
            "Chaque compte par jour"
        ),
        "periods": Text(
            "The ledger by month, with what came late",
            "Книга за місяцями, із запізнілим",
            "Книга по месяцам, с опоздавшим",
            "Le livre par mois, avec les retards"
        ),
    ]
    package static let column: [String: Text] = [
        "day": .day, "kind": .kind, "provider": .provider, "account": .account, "mode": .mode, "currency": .currency,
        "captured": .captured, "refunded": .refunded, "chargedBack": .chargedBack,
        "fees": Text("Fees", "Комісії", "Комиссии", "Frais"), "net": Text("Net", "Чисто", "Чисто", "Net"),
        "transferred": .transferred, "claimed": Text("Claimed", "Заявлено", "Заявлено", "Affirmé"),
        "refunds": Text("Refunds", "Повернень", "Возвратов", "Remboursements"),
        "reversed": Text("Reversed", "Скасовано", "Отменено", "Repris"),
        "payerCommission": .commission, "authorised": Text("Authorised", "Авторизовано", "Авторизовано", "Autorisé"),
        "voided": Text("Voided", "Скасовано", "Отменено", "Annulé"),
        "lapsed": Text("Lapsed", "Минуло", "Истекло", "Périmé"),
        "change": Text("Change", "Зміна", "Изменение", "Variation"), "opened": .opened, "disputed": .disputed,
        "won": Text("Won", "Виграно", "Выиграно", "Gagné"), "lost": Text("Lost", "Програно", "Проиграно", "Perdu"),
        "payee": .payee, "paid": .paidTimes, "movement": Text("Movement", "Рух", "Движение", "Mouvement"),
        "parts": Text("Parts", "Частин", "Частей", "Parts"), "amount": .amount,
        "ledgerAccount": Text("Ledger account", "Рахунок книги", "Счёт книги", "Compte du livre"),
        "debit": Text("Debit", "Дебет", "Дебет", "Débit"), "credit": Text("Credit", "Кредит", "Кредит", "Crédit"),
        "balance": Text("Balance", "Сальдо", "Сальдо", "Solde"),
        "method": Text("Method", "Спосіб", "Способ", "Moyen"),
        "scheme": Text("Card scheme", "Платіжна система", "Платёжная система", "Réseau de carte"),
        "attempts": Text("Attempts", "Спроб", "Попыток", "Tentatives"),
        "approved": Text("Approved", "Схвалено", "Одобрено", "Acceptées"),
        "declined": Text("Declined", "Відхилено", "Отклонено", "Refusées"),
        "expired": Text("Expired", "Минуло", "Истекло", "Expirées"),
        "cancelled": Text("Cancelled", "Скасовано", "Отменено", "Annulées"),
        "approvalRate": Text("Approval, %", "Схвалення, %", "Одобрение, %", "Acceptation, %"),
        "late": Text("Late", "Запізнілих", "Опоздавших", "Tardives"),
        "unattended": Text("Payer never came", "Платник не прийшов", "Плательщик не пришёл", "Payeur absent"),
        "acted": Text("Payers who acted", "Платників діяло", "Плательщиков действовало", "Payeurs actifs"),
        "paymentRate": Text("Paid, %", "Сплачено, %", "Оплачено, %", "Payés, %"),
        "declineClass": Text("Reason", "Причина", "Причина", "Raison"),
        "declineCode": Text("Provider's code", "Код провайдера", "Код провайдера", "Code du prestataire"),
        "declines": Text("Declines", "Відмов", "Отказов", "Refus"),
        "tries": Text("Tries", "Спроб", "Попыток", "Essais"),
        "share": Text("Share, %", "Частка, %", "Доля, %", "Part, %"),
        "challenged": Text("Challenged", "Перевірено", "Проверено", "Contrôlés"),
        "challengeRate": Text("Challenged, %", "Перевірено, %", "Проверено, %", "Contrôlés, %"),
        "passed": Text("Passed", "Пройдено", "Пройдено", "Réussis"),
        "failed": Text("Failed", "Невдалих", "Неудачных", "Échoués"),
        "frictionless": Text("Without a check", "Без перевірки", "Без проверки", "Sans contrôle"),
        "passRate": Text("Passed, %", "Пройдено, %", "Пройдено, %", "Réussis, %"),
        "due": Text("Due", "Настало", "Наступило", "Échus"),
        "collected": Text("Collected", "Зібрано", "Собрано", "Encaissés"),
        "collectedAmount": Text("Collected amount", "Зібрана сума", "Собранная сумма", "Montant encaissé"),
        "recovered": Text("Recovered", "Повернено повтором", "Возвращено повтором", "Récupérés"),
        "recoveryRate": Text("Recovered, %", "Повернено, %", "Возвращено, %", "Récupérés, %"),
        "skipped": Text("Skipped", "Пропущено", "Пропущено", "Sautés"),
        "active": Text("Active", "Активних", "Активных", "Actifs"),
        "ended": Text("Ended", "Завершено", "Завершено", "Terminés"),
        "churned": Text("Lost customers", "Втрачених", "Потерянных", "Perdus"),
        "churnRate": Text("Lost, %", "Втрачено, %", "Потеряно, %", "Perdus, %"),
        "payments": Text("Payments", "Платежів", "Платежей", "Paiements"),
        "medianSeconds": Text("Median, s", "Медіана, с", "Медиана, с", "Médiane, s"),
        "p90Seconds": Text("90 %, s", "90 %, с", "90 %, с", "90 %, s"),
        "p99Seconds": Text("99 %, s", "99 %, с", "99 %, с", "99 %, s"),
        "item": Text("Open item", "Відкрите", "Открытое", "En suspens"),
        "age": Text("Age", "Вік", "Возраст", "Âge"),
        "items": Text("Items", "Позицій", "Позиций", "Éléments"),
        "opening": Text("Opening", "Початок", "Начало", "Ouverture"),
        "closing": Text("Closing", "Кінець", "Конец", "Clôture"),
        "reserve": Text("Reserve", "Резерв", "Резерв", "Réserve"),
        "adjusted": Text("Adjusted", "Скориговано", "Скорректировано", "Ajusté"),
        "rounding": Text("Rounding", "Округлення", "Округление", "Arrondi"),
        "payouts": Text("Payouts", "Виплати", "Выплаты", "Versements"),
        "filed": Text("In files", "У файлах", "В файлах", "Dans les fichiers"),
        "gross": Text("Gross", "Валово", "Валово", "Brut"),
        "open": Text("Open", "Відкрито", "Открыто", "En suspens"),
        "timing": Text("On its way", "У дорозі", "В пути", "En route"),
        "difference": Text("Difference", "Різниця", "Разница", "Différence"),
        "happened": Text("Happened", "Коли", "Когда", "Survenu"),
        "class": Text("Class", "Клас", "Класс", "Classe"),
        "owner": Text("Owner", "Відповідає", "Отвечает", "Responsable"),
        "line": Text("Line", "Рядок", "Строка", "Ligne"),
        "providerReference": Text(
            "Name at the provider",
            "Назва у провайдера",
            "Название у провайдера",
            "Nom chez le prestataire"
        ),
        "reference": Text("Reference", "Номер", "Номер", "Référence"),
        "exception": Text("Exception", "Розбіжність", "Расхождение", "Écart"),
        "period": Text("Month", "Місяць", "Месяц", "Mois"),
        "fromEarlier": Text("From closed months", "Із закритих місяців", "Из закрытых месяцев", "De mois clos"),
        "acts": Text("Acts", "Дій", "Действий", "Actes"),
    ]
}
