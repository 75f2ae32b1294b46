/// Words of webhooks, keys and changes.
extension Words {
    package static let webhook: [String: Text] = [
        "enabled": Text("Enabled", "Увімкнено", "Включён", "Active"),
        "disabled": Text("Disabled", "Вимкнено", "Выключен", "Désactivée"),
        "removed": Text("Removed", "Вилучено", "Удалён", "Supprimée"),
        "unreadable": Text("Unreadable", "Не читається", "Не читается", "Illisible"),
    ]
    package static let webhookDisabled: [String: Text] = [
        "asked": Text("somebody asked for it", "на прохання", "по просьбе", "à la demande"),
        "gone": Text("it answered 410", "відповіла 410", "ответил 410", "a répondu 410"),
        "failing": Text("it failed for days", "дні невдач", "дни неудач", "des jours d'échecs"),
    ]
    package static let webhookOrders = ["none", "resource"]
    package static let webhookOrder: [String: Text] = [
        "none": Text("as fast as it goes", "якнайшвидше", "как можно быстрее", "au plus vite"),
        "resource": Text(
            "in the order of each resource",
            "у порядку ресурсу",
            "в порядке ресурса",
            "dans l'ordre de la ressource"
        ),
    ]
    package static let delivery: [String: Text] = [
        "waiting": Text("Waiting", "Чекає", "Ждёт", "En attente"),
        "delivered": Text("Delivered", "Доставлено", "Доставлено", "Livré"),
        "givenUp": Text("Given up", "Припинено", "Прекращено", "Abandonné"),
    ]
    package static let webhookFailure: [String: Text] = [
        "status": Text("refused by its status", "відмова статусом", "отказ статусом", "refusé par son statut"),
        "gone": Text("wants no more", "більше не хоче", "больше не хочет", "n'en veut plus"),
        "address_refused": Text(
            "address may not be reached",
            "адреса заборонена",
            "адрес запрещён",
            "adresse interdite"
        ),
        "name_unresolved": Text("name has no address", "ім'я без адреси", "имя без адреса", "nom sans adresse"),
        "unreachable": Text("unreachable", "недосяжно", "недоступно", "injoignable"),
        "tls": Text("certificate is not good", "хибний сертифікат", "плохой сертификат", "certificat invalide"),
        "deadline": Text("too slow", "надто повільно", "слишком медленно", "trop lent"),
        "connection": Text("connection broke", "з'єднання розірвано", "соединение разорвано", "connexion coupée"),
        "not_sent": Text("not sent", "не надіслано", "не отправлено", "pas envoyé"),
        "event_lost": Text("event is gone", "події вже немає", "события уже нет", "événement perdu"),
    ]
    package static let keyState: [String: Text] = [
        "usable": Text("In use", "У роботі", "В работе", "En service"),
        "expired": Text("Expired", "Сплив", "Истёк", "Expirée"),
        "revoked": Text("Revoked", "Відкликано", "Отозван", "Révoquée"),
        "awaits_approval": Text("Waits for approval", "Чекає схвалення", "Ждёт одобрения", "Attend l'approbation"),
    ]
    package static let role: [String: Text] = [
        "operator": Text("Operator", "Оператор", "Оператор", "Opérateur"),
        "approver": Text("Approver", "Схвалювач", "Одобряющий", "Approbateur"),
        "finance": Text("Finance", "Фінанси", "Финансы", "Finances"),
        "auditor": Text("Auditor", "Аудитор", "Аудитор", "Auditeur"),
        "developer": Text("Developer", "Розробник", "Разработчик", "Développeur"),
        "admin": Text("Administrator", "Адміністратор", "Администратор", "Administrateur"),
    ]
    package static let change: [String: Text] = [
        "command": Text("A command", "Команда", "Команда", "Une commande"),
        "key": Text("A new key", "Новий ключ", "Новый ключ", "Une nouvelle clé"),
        "onePerson": Text(
            "Back to one person",
            "Назад до однієї людини",
            "Назад к одному человеку",
            "Retour à une personne"
        ),
    ]
    package static let changeState: [String: Text] = [
        "open": Text("Open", "Відкрита", "Открыто", "Ouvert"),
        "approved": Text("Approved", "Схвалена", "Одобрено", "Approuvé"),
        "rejected": Text("Rejected", "Відхилена", "Отклонено", "Rejeté"),
        "expired": Text("Expired", "Минула", "Истекло", "Expiré"),
    ]

    static func tone(delivery status: String) -> Tone {
        switch status {
        case "delivered": .fine
        case "givenUp": .person
        default: .waits
        }
    }
}
