/// The API's words as people say them; a test holds each list against the values that there are.
package enum Words {
    package static let status: [String: Text] = [
        "accepted": Text("Accepted", "Прийнято", "Принят", "Accepté"),
        "created": Text("Created", "Створено", "Создан", "Créé"),
        "requiresAction": Text("Waits for the payer", "Чекає платника", "Ждёт плательщика", "Attend le payeur"),
        "processing": Text("Processing", "Обробляється", "В обработке", "En cours"),
        "indeterminate": Text("Outcome unknown", "Результат невідомий", "Итог неизвестен", "Issue inconnue"),
        "authorized": Text("Authorised", "Авторизовано", "Авторизован", "Autorisé"),
        "partiallyCaptured": Text("Partly captured", "Частково списано", "Частично списан", "Encaissé en partie"),
        "captured": Text("Captured", "Списано", "Списан", "Encaissé"),
        "partiallyRefunded": Text("Partly refunded", "Частково повернено", "Частично возвращён", "Remboursé en partie"),
        "refunded": Text("Refunded", "Повернено", "Возвращён", "Remboursé"),
        "disputed": Text("Disputed", "Оскаржується", "Оспаривается", "En litige"),
        "chargedBack": Text("Charged back", "Чарджбек", "Чарджбэк", "Rétrofacturé"),
        "voided": Text("Voided", "Скасовано", "Отменён", "Annulé"),
        "released": Text("Released", "Звільнено", "Освобождён", "Libéré"),
        "verified": Text("Verified", "Перевірено", "Проверен", "Vérifié"),
        "tokenized": Text("Card saved", "Картку збережено", "Карта сохранена", "Carte enregistrée"),
        "transferred": Text("Transferred", "Переказано", "Переведён", "Viré"),
        "failed": Text("Failed", "Невдалий", "Неудачный", "Échoué"),
        "expired": Text("Expired", "Прострочений", "Истёк", "Expiré"),
    ]

    package static let statusOrder = [
        "created", "requiresAction", "processing", "indeterminate", "authorized", "partiallyCaptured", "captured",
        "partiallyRefunded", "refunded", "disputed", "chargedBack", "voided", "released", "verified", "tokenized",
        "transferred", "failed", "expired",
    ]

    package static let mode: [String: Text] = [
        "live": Text("live", "бойовий", "боевой", "réel"), "test": Text("test", "тест", "тест", "test"),
        "live-autocancel": Text("auto-cancel", "автоскасування", "автоотмена", "auto-annulation"),
        "all": Text("all", "усі", "все", "tous"),
    ]

    /// Ways to pay as payers call them.
    package static let payerMethod: [String: Text] = [
        "card": Text("Bank card", "Банківська картка", "Банковская карта", "Carte bancaire"),
        "sberpay": Text("SberPay", "SberPay", "SberPay", "SberPay"),
        "instalments": Text("In instalments", "Частинами", "Частями", "En plusieurs fois"),
    ]

    package static let paymentMode: [String: Text] = [
        "sale": Text("Sale", "Продаж", "Продажа", "Vente"),
        "authorize": Text(
            "Authorise, then capture",
            "Авторизація, потім списання",
            "Авторизация, затем списание",
            "Autoriser puis encaisser"
        ),
        "verify": Text("Verification", "Перевірка", "Проверка", "Vérification"),
        "tokenize": Text("Saving a card", "Збереження картки", "Сохранение карты", "Enregistrement de carte"),
        "transfer": Text("Transfer", "Переказ", "Перевод", "Virement"),
    ]

    package static let methodOrder = ["hosted", "sdk", "instrument", "wallet"]
    package static let method: [String: Text] = [
        "hosted": Text("Provider's page", "Сторінка провайдера", "Страница провайдера", "Page du prestataire"),
        "sdk": Text("App with SDK", "Застосунок із SDK", "Приложение с SDK", "Application avec SDK"),
        "instrument": Text("Saved card", "Збережена картка", "Сохранённая карта", "Carte enregistrée"),
        "wallet": Text("Wallet", "Гаманець", "Кошелёк", "Portefeuille"),
    ]

    package static let operation: [String: Text] = [
        "sale": Text("Sale", "Продаж", "Продажа", "Vente"),
        "authorize": Text("Authorisation", "Авторизація", "Авторизация", "Autorisation"),
        "verify": Text("Verification", "Перевірка", "Проверка", "Vérification"),
        "tokenize": Text("Saving a card", "Збереження картки", "Сохранение карты", "Enregistrement de carte"),
        "transfer": Text("Transfer", "Переказ", "Перевод", "Virement"),
        "capture": Text("Capture", "Списання", "Списание", "Encaissement"),
        "void": Text("Void", "Скасування", "Отмена", "Annulation"),
        "refund": Text("Refund", "Повернення", "Возврат", "Remboursement"),
        "refundReversal": Text("Refund reversed", "Повернення скасовано", "Возврат отменён", "Remboursement repris"),
    ]

    package static let operationState: [String: Text] = [
        "requested": Text("Requested", "Запитано", "Запрошена", "Demandée"),
        "pending": Text("Pending", "Очікує", "Ожидает", "En attente"),
        "indeterminate": Text("Unknown", "Невідомо", "Неизвестно", "Inconnue"),
        "succeeded": Text("Done", "Виконано", "Выполнена", "Faite"),
        "failed": Text("Declined", "Відхилено", "Отклонена", "Refusée"),
        "notExecuted": Text("Not executed", "Не виконано", "Не выполнена", "Non exécutée"),
    ]

    package static let decline: [String: Text] = [
        "hard": Text("refused for good", "остаточна відмова", "окончательный отказ", "refus définitif"),
        "soft": Text("may be tried again", "можна повторити", "можно повторить", "peut être retenté"),
        "insufficientFunds": Text("not enough money", "бракує коштів", "не хватает средств", "fonds insuffisants"),
        "stepUpRequired": Text("payer must be there", "потрібен платник", "нужен плательщик", "payeur requis"),
        "instrumentInvalid": Text("card not valid", "картка недійсна", "карта недействительна", "carte invalide"),
        "fraud": Text("suspected fraud", "підозра на шахрайство", "подозрение на мошенничество", "soupçon de fraude"),
        "configuration": Text("configuration", "налаштування", "настройки", "configuration"),
        "providerDown": Text(
            "provider away",
            "провайдер недоступний",
            "провайдер недоступен",
            "prestataire indisponible"
        ),
        "unknown": Text("unknown reason", "причина невідома", "причина неизвестна", "raison inconnue"),
    ]

    package static let disputeStage: [String: Text] = [
        "opened": Text("Open", "Відкрито", "Открыт", "Ouvert"), "won": Text("Won", "Виграно", "Выигран", "Gagné"),
        "lost": Text("Lost", "Програно", "Проигран", "Perdu"),
    ]

    package static let verdict: [String: Text] = [
        "chosen": Text("chosen", "обрано", "выбран", "choisi"),
        "available": Text("available", "доступний", "доступен", "disponible"),
        "passed": Text("passed over", "пропущено", "пропущен", "écarté"),
    ]

    package static let input: [String: Text] = [
        "command": Text("Command", "Команда", "Команда", "Commande"),
        "answer": Text("Provider's answer", "Відповідь провайдера", "Ответ провайдера", "Réponse du prestataire"),
        "notification": Text("Notification", "Сповіщення", "Уведомление", "Notification"),
        "browserReturn": Text("Payer's return", "Повернення платника", "Возврат плательщика", "Retour du payeur"),
        "claim": Text("App's claim", "Заява застосунку", "Заявление приложения", "Affirmation de l'application"),
        "timer": Text("Timer", "Таймер", "Таймер", "Minuterie"),
        "imported": Text("Imported line", "Імпортований рядок", "Импортированная строка", "Ligne importée"),
    ]

    package static let resolutionOrder = ["acknowledged", "succeeded", "failed", "sendAgain", "attemptDead"]
    package static let resolution: [String: Text] = [
        "succeeded": Text("It succeeded", "Вдалося", "Удалось", "A réussi"),
        "failed": Text("It failed", "Не вдалося", "Не удалось", "A échoué"),
        "sendAgain": Text("Send it again", "Надіслати ще раз", "Отправить снова", "Renvoyer"),
        "acknowledged": Text(
            "Seen, nothing to do",
            "Переглянуто, нічого робити",
            "Просмотрено, делать нечего",
            "Vu, rien à faire"
        ),
        "attemptDead": Text("The attempt is over", "Спробу завершено", "Попытка окончена", "La tentative est finie"),
    ]
}
