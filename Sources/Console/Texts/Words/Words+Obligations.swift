/// Who owes what, and what happened.
extension Words {
    package static let owner: [String: Text] = [
        "payer": Text("the payer", "платник", "плательщик", "le payeur"),
        "provider": Text("the provider", "провайдер", "провайдер", "le prestataire"),
        "merchant": Text("you", "ви", "вы", "vous"),
        "operator": Text("an operator", "оператор", "оператор", "un opérateur"),
    ]

    package static let step: [String: Text] = [
        "payerActs": Text("The payer acts", "Діє платник", "Действует плательщик", "Le payeur agit"),
        "askProvider": Text(
            "Ask the provider",
            "Запитати провайдера",
            "Спросить провайдера",
            "Interroger le prestataire"
        ),
        "awaitAnswer": Text("Await the answer", "Чекати відповіді", "Ждать ответа", "Attendre la réponse"),
        "captureOrVoid": Text(
            "Capture or void",
            "Списати або скасувати",
            "Списать или отменить",
            "Encaisser ou annuler"
        ),
        "awaitRelease": Text("Await the release", "Чекати звільнення", "Ждать освобождения", "Attendre la libération"),
        "fulfilOrReturn": Text(
            "Deliver or refund",
            "Виконати або повернути",
            "Исполнить или вернуть",
            "Livrer ou rembourser"
        ),
        "answerDispute": Text(
            "Answer the dispute",
            "Відповісти на оскарження",
            "Ответить на спор",
            "Répondre au litige"
        ),
        "askAgain": Text("Ask again", "Запитати ще раз", "Спросить снова", "Redemander"),
        "resolve": Text("Resolve it", "Вирішити", "Решить", "Résoudre"),
        "approve": Text("Approve or decline", "Схвалити чи ні", "Одобрить или нет", "Approuver ou non"),
    ]

    package static let obligation: [String: Text] = [
        "outcome": Text("The outcome is open", "Результат відкритий", "Итог открыт", "Issue ouverte"),
        "cancellation": Text("Cancellation under way", "Скасування триває", "Отмена идёт", "Annulation en cours"),
        "operation": Text(
            "An operation has no outcome",
            "Операція без результату",
            "Операция без итога",
            "Opération sans issue"
        ),
        "amount": Text("Nobody knows how much moved", "Невідомо, скільки", "Неизвестно, сколько", "Montant inconnu"),
        "hold": Text("Money is held", "Гроші утримано", "Деньги удержаны", "Argent réservé"),
        "remainder": Text("Rest of a hold", "Решта утримання", "Остаток удержания", "Reste d'une réserve"),
        "contradiction": Text(
            "Evidence contradicts itself",
            "Докази суперечать",
            "Доказательства противоречат",
            "Preuves contradictoires"
        ),
        "lateSuccess": Text("Money came late", "Гроші прийшли пізно", "Деньги пришли поздно", "Argent arrivé tard"),
        "overReturned": Text(
            "More given back than taken",
            "Повернено більше, ніж списано",
            "Возвращено больше, чем списано",
            "Plus rendu que pris"
        ),
        "debit": Text(
            "Debit that nothing explains",
            "Списання без пояснення",
            "Списание без объяснения",
            "Débit inexpliqué"
        ),
        "dispute": Text("Dispute", "Оскарження", "Спор", "Litige"),
        "errand": Text(
            "Request to the provider",
            "Запит до провайдера",
            "Запрос к провайдеру",
            "Demande au prestataire"
        ),
        "report": Text(
            "The app reported something",
            "Застосунок повідомив",
            "Приложение сообщило",
            "L'application signale"
        ),
        "proposal": Text(
            "Proposal to approve",
            "Пропозиція на схвалення",
            "Предложение на одобрение",
            "Proposition à approuver"
        ),
        "reconciliation": Text(
            "To be compared after a restore",
            "Звірити після відновлення",
            "Сверить после восстановления",
            "À comparer après restauration"
        ),
        "inquiry": Text(
            "The provider's answer is unclear",
            "Відповідь провайдера неясна",
            "Ответ провайдера неясен",
            "Réponse peu claire"
        ),
    ]

    /// What an answer or a report says; purposes of messages among them.
    package static let outcome: [String: Text] = [
        "accepted": Text("accepted", "прийнято", "принято", "accepté"),
        "answered": Text("answered", "відповідь є", "ответ есть", "répondu"),
        "succeeded": Text("done", "виконано", "выполнено", "fait"),
        "processing": Text("in progress", "обробляється", "в обработке", "en cours"),
        "waiting": Text("waits", "чекає", "ждёт", "attend"),
        "declined": Text("declined", "відхилено", "отклонено", "refusé"),
        "expired": Text("expired", "прострочено", "истекло", "expiré"),
        "ambiguous": Text("ambiguous", "неоднозначно", "неоднозначно", "ambigu"),
        "unknown": Text("no answer", "без відповіді", "без ответа", "sans réponse"),
        "query": Text("question", "запит стану", "запрос состояния", "question"),
        "sale": Text("sale", "продаж", "продажа", "vente"),
        "capture": Text("capture", "списання", "списание", "encaissement"),
        "refund": Text("refund", "повернення", "возврат", "remboursement"),
        "void": Text("void", "скасування", "отмена", "annulation"),
        "handover": Text(
            "page for the payer",
            "сторінка для платника",
            "страница для плательщика",
            "page pour le payeur"
        ),
        "opened": Text("opened", "відкрито", "открыт", "ouvert"), "won": Text("won", "виграно", "выигран", "gagné"),
        "lost": Text("lost", "програно", "проигран", "perdu"),
    ]

    package static let event: [String: Text] = [
        "payment.created.v1": Text("Created", "Створено", "Создан", "Créé"),
        "payment.routed.v1": Text("Account chosen", "Акаунт обрано", "Аккаунт выбран", "Compte choisi"),
        "attempt.opened.v1": Text("Attempt opened", "Спробу розпочато", "Попытка начата", "Tentative ouverte"),
        "dispatch.licensed.v1": Text(
            "Message licensed",
            "Повідомлення дозволено",
            "Сообщение разрешено",
            "Message autorisé"
        ),
        "dispatch.observed.v1": Text("Answer observed", "Відповідь отримано", "Ответ получен", "Réponse observée"),
        "dispatch.revoked.v1": Text(
            "Message taken back",
            "Повідомлення відкликано",
            "Сообщение отозвано",
            "Message retiré"
        ),
        "operation.requested.v1": Text(
            "Operation requested",
            "Операцію запитано",
            "Операция запрошена",
            "Opération demandée"
        ),
        "operation.adopted.v1": Text("Operation adopted", "Операцію прийнято", "Операция принята", "Opération adoptée"),
        "operation.reported.v1": Text(
            "Provider reports",
            "Провайдер повідомляє",
            "Провайдер сообщает",
            "Le prestataire rapporte"
        ),
        "operation.ended.v1": Text("Operation ended", "Операцію завершено", "Операция окончена", "Opération finie"),
        "operation.total_reported.v1": Text("Total reported", "Повідомлено суму", "Сообщена сумма", "Total rapporté"),
        "attempt.reported.v1": Text(
            "Attempt reported",
            "Про спробу повідомлено",
            "О попытке сообщено",
            "Tentative rapportée"
        ),
        "attempt.closed.v1": Text("Attempt closed", "Спробу закрито", "Попытка закрыта", "Tentative close"),
        "attempt.order_opened.v1": Text(
            "Order opened at the provider",
            "Замовлення відкрито",
            "Заказ открыт",
            "Commande ouverte"
        ),
        "payment.cancel_requested.v1": Text(
            "Cancellation requested",
            "Запит на скасування",
            "Запрос отмены",
            "Annulation demandée"
        ),
        "payment.expiry_reached.v1": Text("Time is over", "Час вийшов", "Время вышло", "Délai dépassé"),
        "payment.hold_expired.v1": Text("Hold expired", "Утримання минуло", "Удержание истекло", "Réserve expirée"),
        "payment.claim_recorded.v1": Text(
            "App claims",
            "Заява застосунку",
            "Заявление приложения",
            "L'application affirme"
        ),
        "payment.contradiction_found.v1": Text(
            "Contradiction found",
            "Знайдено суперечність",
            "Найдено противоречие",
            "Contradiction trouvée"
        ),
        "payment.late_success.v1": Text("Late success", "Пізній успіх", "Поздний успех", "Succès tardif"),
        "payment.over_returned.v1": Text(
            "Too much given back",
            "Повернено забагато",
            "Возвращено слишком много",
            "Trop rendu"
        ),
        "payment.instrument_saved.v1": Text("Card saved", "Картку збережено", "Карта сохранена", "Carte enregistrée"),
        "payment.instrument_reported.v1": Text(
            "Card reported",
            "Повідомлено про картку",
            "Сообщено о карте",
            "Carte rapportée"
        ),
        "payment.receipt_reported.v1": Text("Receipt", "Квитанція", "Квитанция", "Reçu"),
        "payment.method_reported.v1": Text("Method reported", "Повідомлено спосіб", "Сообщён способ", "Moyen rapporté"),
        "payment.series_reported.v1": Text("Series reported", "Повідомлено серію", "Сообщена серия", "Série rapportée"),
        "payment.series_debit_reported.v1": Text(
            "Debit of a series",
            "Списання серії",
            "Списание серии",
            "Débit d'une série"
        ),
        "payment.fee_reported.v1": Text("Fee reported", "Повідомлено комісію", "Сообщена комиссия", "Frais rapportés"),
        "payment.commission_reported.v1": Text(
            "Payer's commission",
            "Комісія платника",
            "Комиссия плательщика",
            "Commission du payeur"
        ),
        "payment.unrecognised_reported.v1": Text("Unknown word", "Невідоме слово", "Неизвестное слово", "Mot inconnu"),
        "payment.errand_requested.v1": Text(
            "Request to the provider",
            "Запит до провайдера",
            "Запрос к провайдеру",
            "Demande au prestataire"
        ),
        "dispute.recorded.v1": Text("Dispute recorded", "Оскарження записано", "Спор записан", "Litige noté"),
        "evidence.added.v1": Text("Evidence added", "Доказ додано", "Доказательство добавлено", "Preuve ajoutée"),
        "resolution.proposed.v1": Text(
            "Resolution proposed",
            "Рішення запропоновано",
            "Решение предложено",
            "Résolution proposée"
        ),
        "resolution.approved.v1": Text(
            "Resolution approved",
            "Рішення схвалено",
            "Решение одобрено",
            "Résolution approuvée"
        ),
        "payment.recovery_began.v1": Text(
            "Recovery began",
            "Відновлення почалося",
            "Восстановление началось",
            "Reprise commencée"
        ),
    ]
}
