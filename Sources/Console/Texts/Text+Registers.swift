/// Bills, accounts, health, and texts that go by a number.
extension Text {
    package static let billBatches = Text("Bills", "Рахунки", "Счета", "Factures")
    package static let billBatchesHint = Text(
        "Batches of bills, newest first",
        "Пакети рахунків, спочатку нові",
        "Пакеты счетов, сначала новые",
        "Lots de factures, les plus récents d'abord"
    )
    package static let noBatches = Text("No batches yet", "Пакетів ще немає", "Пакетов ещё нет", "Aucun lot")
    package static let noBatchesHint = Text(
        "A batch stands here once your backend begins it:",
        "Пакет з'явиться, коли бекенд його почне:",
        "Пакет появится, когда бэкенд его начнёт:",
        "Un lot apparaît quand votre backend le commence :"
    )
    package static let bills = Text("Bills", "Рахунки", "Счета", "Factures")
    package static let bill = Text("Bill", "Рахунок", "Счёт", "Facture")
    package static let progress = Text("Progress", "Хід", "Ход", "Avancement")
    package static let payee = Text("Payee", "Отримувач", "Получатель", "Bénéficiaire")
    package static let ended = Text("Ended", "Завершено", "Завершён", "Fini")
    package static let trouble = Text("Trouble", "Проблема", "Проблема", "Problème")
    package static let more = Text("More", "Більше", "Больше", "Plus")

    // MARK: Accounts

    package static let accounts = Text("Accounts", "Акаунти", "Аккаунты", "Comptes")
    package static let accountsHint = Text(
        "At providers, and how payments are routed among them",
        "У провайдерів, і як маршрутизуються платежі",
        "У провайдеров, и как маршрутизируются платежи",
        "Chez les prestataires, et comment les paiements s'y répartissent"
    )
    package static let noAccounts = Text("No accounts yet", "Акаунтів ще немає", "Аккаунтов ещё нет", "Aucun compte")
    package static let noAccountsHint = Text(
        "Payments need an account at a provider. One is added by:",
        "Платежам потрібен акаунт у провайдера. Додати:",
        "Платежам нужен аккаунт у провайдера. Добавить:",
        "Il faut un compte chez un prestataire. Pour en ajouter un :"
    )
    package static let breaker = Text("Breaker", "Запобіжник", "Предохранитель", "Disjoncteur")
    package static let currencies = Text("Currencies", "Валюти", "Валюты", "Devises")
    package static let secrets = Text("Has secrets", "Має секрети", "Есть секреты", "Secrets présents")
    package static let settings = Text("Settings", "Налаштування", "Настройки", "Réglages")
    package static let noRules = Text(
        "No rules: the plain order decides.",
        "Правил немає: вирішує звичайний порядок.",
        "Правил нет: решает обычный порядок.",
        "Aucune règle : l'ordre simple décide."
    )
    package static let plainOrder = Text("Plain order", "Звичайний порядок", "Обычный порядок", "Ordre simple")
    package static let conditions = Text("When", "Коли", "Когда", "Quand")
    package static let explainRoute = Text(
        "Which account would take a payment?",
        "Який акаунт візьме платіж?",
        "Какой аккаунт возьмёт платёж?",
        "Quel compte prendrait un paiement ?"
    )
    package static let explain = Text("Explain", "Пояснити", "Объяснить", "Expliquer")
    package static let explainHint = Text(
        "Nothing is created: the rules are asked.",
        "Нічого не створюється: запитуються правила.",
        "Ничего не создаётся: спрашиваются правила.",
        "Rien n'est créé : les règles sont interrogées."
    )

    // MARK: Health

    package static let health = Text("Health", "Стан", "Состояние", "Santé")
    package static let healthHint = Text(
        "The daemon, and read models behind the log",
        "Сервер і моделі читання за журналом",
        "Сервер и модели чтения за журналом",
        "Le serveur, et les modèles de lecture derrière le journal"
    )
    package static let daemon = Text("Daemon", "Сервер", "Сервер", "Serveur")
    package static let isReady = Text(
        "Serves requests",
        "Обслуговує запити",
        "Обслуживает запросы",
        "Répond aux requêtes"
    )
    package static let isNotReady = Text("Not ready", "Не готовий", "Не готов", "Pas prêt")
    package static let readModels = Text("Read model", "Модель читання", "Модель чтения", "Modèle de lecture")
    package static let behind = Text("Behind", "Відстає", "Отстаёт", "Retard")
    package static let setAside = Text("Set aside", "Відкладено", "Отложено", "Mis de côté")
    package static let isCurrent = Text("Current", "Актуальна", "Актуальна", "À jour")
    package static let isBehind = Text("Behind", "Відстає", "Отстаёт", "En retard")
    package static let isOtherVersion = Text(
        "Another version is shown",
        "Показано іншу версію",
        "Показана другая версия",
        "Une autre version est affichée"
    )
    package static let copy = Text("Copy", "Копія", "Копия", "Copie")
    package static let command = Text("Command", "Команда", "Команда", "Commande")
    package static let rebuildHint = Text(
        "The command is run on the daemon's machine by the owner of the schema. It makes a copy beside what is shown; swap then shows the copy.",
        "Команду запускає на машині сервера власник схеми. Вона робить копію поруч із тим, що показано; потім swap показує копію.",
        "Команду запускает на машине сервера владелец схемы. Она делает копию рядом с тем, что показано; потом swap показывает копию.",
        "La commande est lancée sur la machine du serveur par le propriétaire du schéma. Elle fait une copie à côté de ce qui est affiché ; swap affiche ensuite la copie."
    )
    package static let hasStreamsAside = Text(
        "Streams set aside",
        "Є відкладені потоки",
        "Есть отложенные потоки",
        "Flux mis de côté"
    )
}

extension CountedText {
    package static let rows = CountedText(
        en: ("# row", "# rows"),
        uk: ("# рядок", "# рядки", "# рядків"),
        ru: ("# строка", "# строки", "# строк"),
        fr: ("# ligne", "# lignes")
    )
    package static let charges = CountedText(
        en: ("# charge", "# charges"),
        uk: ("# списання", "# списання", "# списань"),
        ru: ("# списание", "# списания", "# списаний"),
        fr: ("# prélèvement", "# prélèvements")
    )
    package static let expiredApart = CountedText(
        en: ("# expired apart", "# expired apart"),
        uk: ("окремо # прострочений", "окремо # прострочені", "окремо # прострочених"),
        ru: ("отдельно # истёкший", "отдельно # истёкших", "отдельно # истёкших"),
        fr: ("# expiré à part", "# expirés à part")
    )
    package static let streamsAside = CountedText(
        en: ("# stream is missing", "# streams are missing"),
        uk: ("бракує # потоку", "бракує # потоків", "бракує # потоків"),
        ru: ("не хватает # потока", "не хватает # потоков", "не хватает # потоков"),
        fr: ("# flux manque", "# flux manquent")
    )
}
