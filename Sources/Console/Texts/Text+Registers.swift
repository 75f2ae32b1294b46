/// Bills, accounts, health, and texts that go by a number.
extension Text {
    static let billBatches = Text("Bills", "Рахунки", "Счета", "Factures")
    static let billBatchesHint = Text(
        "Batches of bills, newest first",
        "Пакети рахунків, спочатку нові",
        "Пакеты счетов, сначала новые",
        "Lots de factures, les plus récents d'abord"
    )
    static let noBatches = Text("No batches yet", "Пакетів ще немає", "Пакетов ещё нет", "Aucun lot")
    static let noBatchesHint = Text(
        "A batch stands here once your backend begins it:",
        "Пакет з'явиться, коли бекенд його почне:",
        "Пакет появится, когда бэкенд его начнёт:",
        "Un lot apparaît quand votre backend le commence :"
    )
    static let bills = Text("Bills", "Рахунки", "Счета", "Factures")
    static let bill = Text("Bill", "Рахунок", "Счёт", "Facture")
    static let progress = Text("Progress", "Хід", "Ход", "Avancement")
    static let payee = Text("Payee", "Отримувач", "Получатель", "Bénéficiaire")
    static let ended = Text("Ended", "Завершено", "Завершён", "Fini")
    static let trouble = Text("Trouble", "Проблема", "Проблема", "Problème")
    static let more = Text("More", "Більше", "Больше", "Plus")

    // MARK: Accounts

    static let accounts = Text("Accounts", "Акаунти", "Аккаунты", "Comptes")
    static let accountsHint = Text(
        "At providers, and how payments are routed among them",
        "У провайдерів, і як маршрутизуються платежі",
        "У провайдеров, и как маршрутизируются платежи",
        "Chez les prestataires, et comment les paiements s'y répartissent"
    )
    static let noAccounts = Text("No accounts yet", "Акаунтів ще немає", "Аккаунтов ещё нет", "Aucun compte")
    static let noAccountsHint = Text(
        "Payments need an account at a provider. One is added by:",
        "Платежам потрібен акаунт у провайдера. Додати:",
        "Платежам нужен аккаунт у провайдера. Добавить:",
        "Il faut un compte chez un prestataire. Pour en ajouter un :"
    )
    static let breaker = Text("Breaker", "Запобіжник", "Предохранитель", "Disjoncteur")
    static let currencies = Text("Currencies", "Валюти", "Валюты", "Devises")
    static let secrets = Text("Has secrets", "Має секрети", "Есть секреты", "Secrets présents")
    static let noRules = Text(
        "No rules: the plain order decides.",
        "Правил немає: вирішує звичайний порядок.",
        "Правил нет: решает обычный порядок.",
        "Aucune règle : l'ordre simple décide."
    )
    static let plainOrder = Text("Plain order", "Звичайний порядок", "Обычный порядок", "Ordre simple")
    static let conditions = Text("When", "Коли", "Когда", "Quand")
    static let explainRoute = Text(
        "Which account would take a payment?",
        "Який акаунт візьме платіж?",
        "Какой аккаунт возьмёт платёж?",
        "Quel compte prendrait un paiement ?"
    )
    static let explain = Text("Explain", "Пояснити", "Объяснить", "Expliquer")
    static let explainHint = Text(
        "Nothing is created: the rules are asked.",
        "Нічого не створюється: запитуються правила.",
        "Ничего не создаётся: спрашиваются правила.",
        "Rien n'est créé : les règles sont interrogées."
    )

    // MARK: Health

    static let health = Text("Health", "Стан", "Состояние", "Santé")
    static let healthHint = Text(
        "The daemon, and read models behind the log",
        "Сервер і моделі читання за журналом",
        "Сервер и модели чтения за журналом",
        "Le serveur, et les modèles de lecture derrière le journal"
    )
    static let daemon = Text("Daemon", "Сервер", "Сервер", "Serveur")
    static let isReady = Text("Serves requests", "Обслуговує запити", "Обслуживает запросы", "Répond aux requêtes")
    static let isNotReady = Text("Not ready", "Не готовий", "Не готов", "Pas prêt")
    static let readModels = Text("Read model", "Модель читання", "Модель чтения", "Modèle de lecture")
    static let behind = Text("Behind", "Відстає", "Отстаёт", "Retard")
    static let setAside = Text("Set aside", "Відкладено", "Отложено", "Mis de côté")
    static let isCurrent = Text("Current", "Актуальна", "Актуальна", "À jour")
    static let isBehind = Text("Behind", "Відстає", "Отстаёт", "En retard")
    static let hasStreamsAside = Text(
        "Streams set aside",
        "Є відкладені потоки",
        "Есть отложенные потоки",
        "Flux mis de côté"
    )
}

extension CountedText {
    static let rows = CountedText(
        en: ("# row", "# rows"),
        uk: ("# рядок", "# рядки", "# рядків"),
        ru: ("# строка", "# строки", "# строк"),
        fr: ("# ligne", "# lignes")
    )
    static let charges = CountedText(
        en: ("# charge", "# charges"),
        uk: ("# списання", "# списання", "# списань"),
        ru: ("# списание", "# списания", "# списаний"),
        fr: ("# prélèvement", "# prélèvements")
    )
    static let expiredApart = CountedText(
        en: ("# expired apart", "# expired apart"),
        uk: ("окремо # прострочений", "окремо # прострочені", "окремо # прострочених"),
        ru: ("отдельно # истёкший", "отдельно # истёкших", "отдельно # истёкших"),
        fr: ("# expiré à part", "# expirés à part")
    )
    static let streamsAside = CountedText(
        en: ("# stream is missing", "# streams are missing"),
        uk: ("бракує # потоку", "бракує # потоків", "бракує # потоків"),
        ru: ("не хватает # потока", "не хватает # потоков", "не хватает # потоков"),
        fr: ("# flux manque", "# flux manquent")
    )
}
