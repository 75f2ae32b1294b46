/// Payments: lists, one payment, what a person may do to it.
extension Text {
    package static let payments = Text("Payments", "Платежі", "Платежи", "Paiements")
    package static let transfers = Text("Transfers", "Перекази", "Переводы", "Virements")
    package static let kindOfPayment = Text("Kind", "Вид", "Вид", "Type")
    package static let paymentsHint = Text(
        "Newest first",
        "Спочатку найновіші",
        "Сначала новые",
        "Les plus récents d'abord"
    )
    package static let created = Text("Created", "Створено", "Создан", "Créé")
    package static let updated = Text("Last change", "Остання зміна", "Последнее изменение", "Dernier changement")
    package static let status = Text("Status", "Статус", "Статус", "État")
    package static let amount = Text("Amount", "Сума", "Сумма", "Montant")
    package static let currency = Text("Currency", "Валюта", "Валюта", "Devise")
    package static let reference = Text("Reference", "Номер", "Номер", "Référence")
    package static let customer = Text("Customer", "Клієнт", "Клиент", "Client")
    package static let account = Text("Account", "Акаунт", "Аккаунт", "Compte")
    package static let provider = Text("Provider", "Провайдер", "Провайдер", "Prestataire")
    package static let email = Text("E-mail", "Е-пошта", "Эл. почта", "E-mail")
    package static let labelSought = Text(
        "Label, name=value",
        "Мітка, назва=значення",
        "Метка, имя=значение",
        "Libellé, nom=valeur"
    )
    package static let maskedCard = Text("Masked card", "Маска картки", "Маска карты", "Carte masquée")
    package static let amountFrom = Text("Amount from", "Сума від", "Сумма от", "Montant dès")
    package static let amountTo = Text("Amount to", "Сума до", "Сумма до", "Montant jusqu'à")
    package static let fromDay = Text("From", "Від", "С", "Du")
    package static let beforeDay = Text("Before", "До", "До", "Avant le")
    package static let needsPerson = Text("Needs a person", "Потрібна людина", "Нужен человек", "Attend une personne")
    package static let inDispute = Text("In dispute", "Оскаржуються", "Оспариваются", "En litige")
    package static let onlyFailed = Text("Failed", "Невдалі", "Неудачные", "Échoués")
    package static let onlyIndeterminate = Text(
        "Outcome unknown",
        "Результат невідомий",
        "Итог неизвестен",
        "Issue inconnue"
    )
    package static let filters = Text("Filters", "Фільтри", "Фильтры", "Filtres")
    package static let keepFilter = Text(
        "Save this filter",
        "Зберегти фільтр",
        "Сохранить фильтр",
        "Enregistrer ce filtre"
    )
    package static let filterName = Text("Name of the filter", "Назва фільтра", "Название фильтра", "Nom du filtre")
    package static let filterKept = Text(
        "The filter is saved.",
        "Фільтр збережено.",
        "Фильтр сохранён.",
        "Filtre enregistré."
    )
    package static let filterDropped = Text(
        "The filter is gone.",
        "Фільтр вилучено.",
        "Фильтр удалён.",
        "Filtre supprimé."
    )
    package static let dropFilter = Text(
        "Drop the filter {name}",
        "Вилучити фільтр {name}",
        "Удалить фильтр {name}",
        "Supprimer le filtre {name}"
    )
    package static let timelineCut = Text(
        "The first {count} events are shown; the API lists all of them.",
        "Показано перші {count} подій; усі перелічує API.",
        "Показаны первые {count} событий; все перечисляет API.",
        "Les {count} premiers événements sont affichés ; l'API les liste tous."
    )
    package static let noneFound = Text("Nothing matches", "Нічого не знайдено", "Ничего не найдено", "Aucun résultat")
    package static let noneFoundHint = Text(
        "Take a condition away, or look at other days.",
        "Приберіть умову або оберіть інші дні.",
        "Уберите условие или выберите другие дни.",
        "Retirez une condition, ou cherchez d'autres jours."
    )
    package static let noPayments = Text(
        "No payments yet",
        "Платежів ще немає",
        "Платежей ещё нет",
        "Pas encore de paiement"
    )
    package static let noPaymentsHint = Text(
        "Each payment that your backend creates stands here with its status. The first one is made by:",
        "Кожен платіж, який створює ваш бекенд, з'явиться тут зі статусом. Перший створює:",
        "Каждый платёж, который создаёт ваш бэкенд, появится здесь со статусом. Первый создаёт:",
        "Chaque paiement créé par votre backend apparaît ici avec son état. Le premier se crée par :"
    )
    package static let download = Text("Download", "Завантажити", "Скачать", "Télécharger")
    package static let downloadHint = Text(
        "What the file will hold, before it is made",
        "Що міститиме файл",
        "Что будет в файле",
        "Ce que le fichier contiendra"
    )
    package static let downloadHolds = Text("The file", "Файл", "Файл", "Le fichier")
    package static let downloadColumns = Text("Columns", "Стовпці", "Столбцы", "Colonnes")
    package static let downloadFilter = Text("Filter", "Фільтр", "Фильтр", "Filtre")
    package static let downloadMost = Text("Rows at most", "Найбільше рядків", "Не больше строк", "Lignes au plus")
    package static let downloadForm = Text("Format", "Формат", "Формат", "Format")

    // MARK: One payment

    package static let timeline = Text("What happened", "Що сталося", "Что произошло", "Ce qui s'est passé")
    package static let logNotShown = Text(
        "The log is not shown",
        "Журнал не показано",
        "Журнал не показан",
        "Journal non affiché"
    )
    package static let logNotShownHint = Text(
        "Events and their evidence need a key that may audit.",
        "Події та їхні докази потребують ключа з правом audit.",
        "События и их доказательства требуют ключа с правом audit.",
        "Les événements et leurs preuves demandent une clé avec le droit audit."
    )
    package static let evidence = Text("Evidence", "Докази", "Доказательства", "Preuve")
    package static let version = Text("Version", "Версія", "Версия", "Version")
    package static let position = Text(
        "Place in the log",
        "Місце в журналі",
        "Место в журнале",
        "Place dans le journal"
    )
    package static let eventType = Text("Type", "Тип", "Тип", "Type")
    package static let cause = Text("Cause", "Причина", "Причина", "Cause")
    package static let eventData = Text("Data of the event", "Дані події", "Данные события", "Données de l'événement")
    package static let rawExchange = Text("Raw exchange", "Сирий обмін", "Сырой обмен", "Échange brut")
    package static let rawExchangeHint = Text(
        "Looking is recorded.",
        "Перегляд записується.",
        "Просмотр записывается.",
        "La consultation est enregistrée."
    )
    package static let rawExchangeRecorded = Text(
        "As it is kept. That you looked is recorded.",
        "Як збережено. Ваш перегляд записано.",
        "Как сохранено. Ваш просмотр записан.",
        "Tel qu'il est conservé. Votre consultation est enregistrée."
    )
    package static let rawBody = Text("Body", "Тіло", "Тело", "Corps")
    package static let rawMeta = Text("About it", "Про нього", "О нём", "À son sujet")
    package static let rawEmpty = Text("Nothing came with it.", "Порожнє.", "Пусто.", "Vide.")
    package static let rawSealed = Text(
        "Personal values are sealed and not shown.",
        "Персональні дані запечатано й не показано.",
        "Персональные данные запечатаны и не показаны.",
        "Les données personnelles sont scellées et masquées."
    )
    package static let backToPayment = Text("The payment", "Платіж", "Платёж", "Le paiement")
    package static let received = Text("Received", "Отримано", "Получено", "Reçu")
    package static let whatIsOwed = Text("What comes next", "Що далі", "Что дальше", "La suite")
    package static let until = Text("until", "до", "до", "jusqu'au")
    package static let operations = Text("Operations", "Операції", "Операции", "Opérations")
    package static let operation = Text("Operation", "Операція", "Операция", "Opération")
    package static let requested = Text("Requested", "Запитано", "Запрошено", "Demandé")
    package static let kind = Text("Kind", "Вид", "Вид", "Type")
    package static let state = Text("State", "Стан", "Состояние", "État")
    package static let atProvider = Text("At the provider", "У провайдера", "У провайдера", "Chez le prestataire")
    package static let details = Text("Details", "Деталі", "Детали", "Détails")
    package static let idOfPayment = Text("Id", "Ідентифікатор", "Идентификатор", "Identifiant")
    package static let mode = Text("Mode", "Режим", "Режим", "Mode")
    package static let accountMode = Text("Kind of account", "Вид акаунта", "Вид аккаунта", "Genre de compte")
    package static let method = Text("Method", "Спосіб", "Способ", "Moyen")
    package static let country = Text("Country", "Країна", "Страна", "Pays")
    package static let fee = Text("Fee", "Комісія провайдера", "Комиссия провайдера", "Frais")
    package static let commission = Text(
        "Payer's commission",
        "Комісія платника",
        "Комиссия плательщика",
        "Commission du payeur"
    )
    package static let referenceAtProvider = Text(
        "Name at the provider",
        "Назва у провайдера",
        "Имя у провайдера",
        "Nom chez le prestataire"
    )
    package static let disputes = Text("Disputes", "Оскарження", "Споры", "Litiges")
    package static let opened = Text("Opened", "Відкрито", "Открыт", "Ouvert")
    package static let reason = Text("Reason", "Причина", "Причина", "Motif")
    package static let routing = Text("Routing", "Маршрут", "Маршрут", "Routage")
    package static let byRule = Text("By the rule", "За правилом", "По правилу", "Par la règle")
    package static let byOrder = Text(
        "By the plain order",
        "За звичайним порядком",
        "По обычному порядку",
        "Par l'ordre simple"
    )

    // MARK: Money

    package static let captured = Text("Captured", "Списано", "Списано", "Encaissé")
    package static let held = Text("Held", "Утримано", "Удержано", "Réservé")
    package static let refunded = Text("Refunded", "Повернено", "Возвращено", "Remboursé")
    package static let released = Text("Released", "Звільнено", "Освобождено", "Libéré")
    package static let disputed = Text("Disputed", "Оскаржується", "Оспаривается", "En litige")
    package static let chargedBack = Text("Charged back", "Чарджбек", "Чарджбэк", "Rétrofacturé")
    package static let transferred = Text("Transferred", "Переказано", "Переведено", "Viré")
}
