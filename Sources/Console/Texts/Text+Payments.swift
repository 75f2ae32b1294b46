/// Payments: lists, one payment, what a person may do to it.
extension Text {
    static let payments = Text("Payments", "Платежі", "Платежи", "Paiements")
    static let transfers = Text("Transfers", "Перекази", "Переводы", "Virements")
    static let kindOfPayment = Text("Kind", "Вид", "Вид", "Type")
    static let paymentsHint = Text("Newest first", "Спочатку найновіші", "Сначала новые", "Les plus récents d'abord")
    static let created = Text("Created", "Створено", "Создан", "Créé")
    static let updated = Text("Last change", "Остання зміна", "Последнее изменение", "Dernier changement")
    static let status = Text("Status", "Статус", "Статус", "État")
    static let amount = Text("Amount", "Сума", "Сумма", "Montant")
    static let currency = Text("Currency", "Валюта", "Валюта", "Devise")
    static let reference = Text("Reference", "Номер", "Номер", "Référence")
    static let customer = Text("Customer", "Клієнт", "Клиент", "Client")
    static let account = Text("Account", "Акаунт", "Аккаунт", "Compte")
    static let provider = Text("Provider", "Провайдер", "Провайдер", "Prestataire")
    static let fromDay = Text("From", "Від", "С", "Du")
    static let beforeDay = Text("Before", "До", "До", "Avant le")
    static let needsPerson = Text("Needs a person", "Потрібна людина", "Нужен человек", "Attend une personne")
    static let inDispute = Text("In dispute", "Оскаржуються", "Оспариваются", "En litige")
    static let onlyFailed = Text("Failed", "Невдалі", "Неудачные", "Échoués")
    static let onlyIndeterminate = Text("Outcome unknown", "Результат невідомий", "Итог неизвестен", "Issue inconnue")
    static let filters = Text("Filters", "Фільтри", "Фильтры", "Filtres")
    static let keepFilter = Text("Save this filter", "Зберегти фільтр", "Сохранить фильтр", "Enregistrer ce filtre")
    static let filterName = Text("Name of the filter", "Назва фільтра", "Название фильтра", "Nom du filtre")
    static let filterKept = Text("The filter is saved.", "Фільтр збережено.", "Фильтр сохранён.", "Filtre enregistré.")
    static let filterDropped = Text("The filter is gone.", "Фільтр вилучено.", "Фильтр удалён.", "Filtre supprimé.")
    static let dropFilter = Text(
        "Drop the filter {name}",
        "Вилучити фільтр {name}",
        "Удалить фильтр {name}",
        "Supprimer le filtre {name}"
    )
    static let noneFound = Text("Nothing matches", "Нічого не знайдено", "Ничего не найдено", "Aucun résultat")
    static let noneFoundHint = Text(
        "Take a condition away, or look at other days.",
        "Приберіть умову або оберіть інші дні.",
        "Уберите условие или выберите другие дни.",
        "Retirez une condition, ou cherchez d'autres jours."
    )
    static let noPayments = Text("No payments yet", "Платежів ще немає", "Платежей ещё нет", "Pas encore de paiement")
    static let noPaymentsHint = Text(
        "Each payment that your backend creates stands here with its status. The first one is made by:",
        "Кожен платіж, який створює ваш бекенд, з'явиться тут зі статусом. Перший створює:",
        "Каждый платёж, который создаёт ваш бэкенд, появится здесь со статусом. Первый создаёт:",
        "Chaque paiement créé par votre backend apparaît ici avec son état. Le premier se crée par :"
    )
    static let download = Text("Download", "Завантажити", "Скачать", "Télécharger")
    static let downloadHint = Text(
        "What the file will hold, before it is made",
        "Що міститиме файл",
        "Что будет в файле",
        "Ce que le fichier contiendra"
    )
    static let downloadHolds = Text("The file", "Файл", "Файл", "Le fichier")
    static let downloadColumns = Text("Columns", "Стовпці", "Столбцы", "Colonnes")
    static let downloadFilter = Text("Filter", "Фільтр", "Фильтр", "Filtre")
    static let downloadMost = Text("Rows at most", "Найбільше рядків", "Не больше строк", "Lignes au plus")
    static let downloadForm = Text("Format", "Формат", "Формат", "Format")

    // MARK: One payment

    static let timeline = Text("What happened", "Що сталося", "Что произошло", "Ce qui s'est passé")
    static let logNotShown = Text(
        "The log is not shown",
        "Журнал не показано",
        "Журнал не показан",
        "Journal non affiché"
    )
    static let logNotShownHint = Text(
        "Events and their evidence need a key that may audit.",
        "Події та їхні докази потребують ключа з правом audit.",
        "События и их доказательства требуют ключа с правом audit.",
        "Les événements et leurs preuves demandent une clé avec le droit audit."
    )
    static let evidence = Text("Evidence", "Докази", "Доказательства", "Preuve")
    static let version = Text("Version", "Версія", "Версия", "Version")
    static let position = Text("Place in the log", "Місце в журналі", "Место в журнале", "Place dans le journal")
    static let eventType = Text("Type", "Тип", "Тип", "Type")
    static let cause = Text("Cause", "Причина", "Причина", "Cause")
    static let eventData = Text("Data of the event", "Дані події", "Данные события", "Données de l'événement")
    static let rawExchange = Text("Raw exchange", "Сирий обмін", "Сырой обмен", "Échange brut")
    static let rawExchangeHint = Text(
        "Looking is recorded.",
        "Перегляд записується.",
        "Просмотр записывается.",
        "La consultation est enregistrée."
    )
    static let rawExchangeRecorded = Text(
        "As it is kept. That you looked is recorded.",
        "Як збережено. Ваш перегляд записано.",
        "Как сохранено. Ваш просмотр записан.",
        "Tel qu'il est conservé. Votre consultation est enregistrée."
    )
    static let rawBody = Text("Body", "Тіло", "Тело", "Corps")
    static let rawMeta = Text("About it", "Про нього", "О нём", "À son sujet")
    static let rawEmpty = Text("Nothing came with it.", "Порожнє.", "Пусто.", "Vide.")
    static let rawSealed = Text(
        "Personal values are sealed and not shown.",
        "Персональні дані запечатано й не показано.",
        "Персональные данные запечатаны и не показаны.",
        "Les données personnelles sont scellées et masquées."
    )
    static let backToPayment = Text("The payment", "Платіж", "Платёж", "Le paiement")
    static let received = Text("Received", "Отримано", "Получено", "Reçu")
    static let whatIsOwed = Text("What comes next", "Що далі", "Что дальше", "La suite")
    static let until = Text("until", "до", "до", "jusqu'au")
    static let operations = Text("Operations", "Операції", "Операции", "Opérations")
    static let operation = Text("Operation", "Операція", "Операция", "Opération")
    static let requested = Text("Requested", "Запитано", "Запрошено", "Demandé")
    static let kind = Text("Kind", "Вид", "Вид", "Type")
    static let state = Text("State", "Стан", "Состояние", "État")
    static let atProvider = Text("At the provider", "У провайдера", "У провайдера", "Chez le prestataire")
    static let details = Text("Details", "Деталі", "Детали", "Détails")
    static let idOfPayment = Text("Id", "Ідентифікатор", "Идентификатор", "Identifiant")
    static let mode = Text("Mode", "Режим", "Режим", "Mode")
    static let method = Text("Method", "Спосіб", "Способ", "Moyen")
    static let country = Text("Country", "Країна", "Страна", "Pays")
    static let fee = Text("Fee", "Комісія провайдера", "Комиссия провайдера", "Frais")
    static let commission = Text(
        "Payer's commission",
        "Комісія платника",
        "Комиссия плательщика",
        "Commission du payeur"
    )
    static let referenceAtProvider = Text(
        "Name at the provider",
        "Назва у провайдера",
        "Имя у провайдера",
        "Nom chez le prestataire"
    )
    static let disputes = Text("Disputes", "Оскарження", "Споры", "Litiges")
    static let opened = Text("Opened", "Відкрито", "Открыт", "Ouvert")
    static let reason = Text("Reason", "Причина", "Причина", "Motif")
    static let routing = Text("Routing", "Маршрут", "Маршрут", "Routage")
    static let byRule = Text("By the rule", "За правилом", "По правилу", "Par la règle")
    static let byOrder = Text(
        "By the plain order",
        "За звичайним порядком",
        "По обычному порядку",
        "Par l'ordre simple"
    )

    // MARK: Money

    static let captured = Text("Captured", "Списано", "Списано", "Encaissé")
    static let held = Text("Held", "Утримано", "Удержано", "Réservé")
    static let refunded = Text("Refunded", "Повернено", "Возвращено", "Remboursé")
    static let released = Text("Released", "Звільнено", "Освобождено", "Libéré")
    static let disputed = Text("Disputed", "Оскаржується", "Оспаривается", "En litige")
    static let chargedBack = Text("Charged back", "Чарджбек", "Чарджбэк", "Rétrofacturé")
    static let transferred = Text("Transferred", "Переказано", "Переведено", "Viré")
}
