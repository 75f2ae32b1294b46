/// Endpoints of webhooks and what they were sent.
extension Text {
    package static let webhooks = Text("Webhooks", "Вебхуки", "Вебхуки", "Webhooks")
    package static let webhooksHint = Text(
        "Addresses that are sent events, and how that goes",
        "Адреси, на які надсилаються події, і як це йде",
        "Адреса, на которые отправляются события, и как это идёт",
        "Adresses qui reçoivent les événements, et comment cela se passe"
    )
    package static let noWebhooks = Text(
        "No endpoint yet",
        "Адрес ще немає",
        "Адресов ещё нет",
        "Aucune adresse pour l'instant"
    )
    package static let noWebhooksHint = Text(
        "Register the address of your receiver above, or by:",
        "Зареєструйте адресу вашого приймача вище або командою:",
        "Зарегистрируйте адрес вашего приёмника выше или командой:",
        "Enregistrez l'adresse de votre récepteur ci-dessus, ou par :"
    )
    package static let noWebhooksAsk = Text(
        "Somebody whose key may administer registers one by:",
        "Той, чий ключ може адмініструвати, реєструє її командою:",
        "Тот, чей ключ может администрировать, регистрирует его командой:",
        "Une personne dont la clé peut administrer en enregistre une par :"
    )
    package static let webhookAddress = Text("Address", "Адреса", "Адрес", "Adresse")
    package static let eventTypes = Text("Types of events", "Типи подій", "Типы событий", "Types d'événements")
    package static let allEvents = Text("all", "усі", "все", "tous")
    package static let eventTypesHint = Text(
        "As in payment.* refund.succeeded; nothing stands for all.",
        "Як-от payment.* refund.succeeded; порожньо — усі.",
        "Например, payment.* refund.succeeded; пусто — все.",
        "Comme payment.* refund.succeeded ; rien veut dire tous."
    )
    package static let lastSuccess = Text("Last success", "Останній успіх", "Последний успех", "Dernier succès")
    package static let lastFailure = Text("Last failure", "Остання невдача", "Последняя неудача", "Dernier échec")
    package static let registerWebhook = Text(
        "Register an address",
        "Зареєструвати адресу",
        "Зарегистрировать адрес",
        "Enregistrer une adresse"
    )
    package static let webhookOrder = Text("Order", "Порядок", "Порядок", "Ordre")
    package static let webhookSecret = Text(
        "Secret of the endpoint",
        "Секрет адреси",
        "Секрет адреса",
        "Secret de l'adresse"
    )

    // MARK: Deliveries

    package static let deliveries = Text("Deliveries", "Доставки", "Доставки", "Livraisons")
    package static let noDeliveries = Text(
        "Nothing was sent",
        "Нічого не надіслано",
        "Ничего не отправлено",
        "Rien n'a été envoyé"
    )
    package static let noDeliveriesHint = Text(
        "It is sent what happens from now on. Send a test event to try it.",
        "Надсилається те, що станеться відтепер. Надішліть тестову подію для перевірки.",
        "Отправляется то, что случится отныне. Отправьте тестовое событие для проверки.",
        "Elle reçoit ce qui arrive dès maintenant. Envoyez un événement de test pour l'essayer."
    )
    package static let testEvents = Text("Test events", "Тестові події", "Тестовые события", "Événements de test")
    package static let nextAttempt = Text(
        "Next attempt or end",
        "Наступна спроба або кінець",
        "Следующая попытка или конец",
        "Prochain essai ou fin"
    )
    package static let noStatus = Text("no status", "без статусу", "без статуса", "sans statut")
    package static let answerBegins = Text(
        "How the answer begins",
        "Початок відповіді",
        "Начало ответа",
        "Début de la réponse"
    )

    // MARK: Actions

    package static let ping = Text(
        "Send a test event",
        "Надіслати тестову подію",
        "Отправить тестовое событие",
        "Envoyer un événement de test"
    )
    package static let pingHint = Text(
        "Sends an event of the type webhook.ping at once.",
        "Одразу надсилає подію типу webhook.ping.",
        "Сразу отправляет событие типа webhook.ping.",
        "Envoie tout de suite un événement du type webhook.ping."
    )
    package static let redeliver = Text("Send again", "Надіслати знову", "Отправить снова", "Renvoyer")
    package static let redeliverHint = Text(
        "Sends an event and those behind it once more, by their ids.",
        "Ще раз надсилає подію й наступні за ідентифікаторами.",
        "Ещё раз отправляет событие и следующие по идентификаторам.",
        "Renvoie un événement et les suivants, par leurs identifiants."
    )
    package static let firstEvent = Text(
        "From event (evt_…)",
        "Від події (evt_…)",
        "С события (evt_…)",
        "Dès l'événement (evt_…)"
    )
    package static let lastEvent = Text(
        "To event (evt_…)",
        "До події (evt_…)",
        "До события (evt_…)",
        "Jusqu'à l'événement (evt_…)"
    )
    package static let enable = Text("Enable", "Увімкнути", "Включить", "Activer")
    package static let enableHint = Text(
        "Goes on from where it stood.",
        "Продовжує з того місця, де зупинилося.",
        "Продолжает с того места, где остановилось.",
        "Reprend là où cela s'était arrêté."
    )
    package static let disable = Text("Disable", "Вимкнути", "Выключить", "Désactiver")
    package static let disableHint = Text(
        "Nothing is sent; events wait in the feed.",
        "Нічого не надсилається; події чекають у стрічці.",
        "Ничего не отправляется; события ждут в ленте.",
        "Rien n'est envoyé ; les événements attendent dans le flux."
    )
    package static let rotateSecret = Text(
        "Make another secret",
        "Створити інший секрет",
        "Создать другой секрет",
        "Créer un autre secret"
    )
    package static let rotateSecretHint = Text(
        "The old one signs beside it for a while.",
        "Старий якийсь час підписує поруч.",
        "Старый какое-то время подписывает рядом.",
        "L'ancien signe encore à côté pendant un temps."
    )
    package static let removeWebhook = Text("Remove", "Вилучити", "Удалить", "Supprimer")
    package static let removeWebhookHint = Text(
        "For good, with what still waits for it.",
        "Назавжди, разом із тим, що ще чекає.",
        "Навсегда, вместе с тем, что ещё ждёт.",
        "Pour de bon, avec ce qui l'attend encore."
    )
    package static let donePing = Text(
        "The test event is on its way.",
        "Тестова подія в дорозі.",
        "Тестовое событие в пути.",
        "L'événement de test est en route."
    )
    package static let doneRedeliver = Text(
        "It is sent once more.",
        "Надсилається ще раз.",
        "Отправляется ещё раз.",
        "C'est renvoyé."
    )
    package static let doneEnabled = Text(
        "The endpoint is enabled.",
        "Адресу ввімкнено.",
        "Адрес включён.",
        "L'adresse est active."
    )
    package static let doneDisabled = Text(
        "The endpoint is disabled.",
        "Адресу вимкнено.",
        "Адрес выключен.",
        "L'adresse est désactivée."
    )
    package static let doneRemoved = Text(
        "The endpoint is removed.",
        "Адресу вилучено.",
        "Адрес удалён.",
        "L'adresse est supprimée."
    )
}
