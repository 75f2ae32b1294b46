/// What stands around every page, and on those that nobody's money is on.
extension Text {
    package static let skipToContent = Text("Skip to content", "До вмісту", "К содержанию", "Aller au contenu")
    package static let findPayment = Text(
        "Reference, customer or id",
        "Номер, клієнт або id",
        "Номер, клиент или id",
        "Référence, client ou id"
    )
    package static let sections = Text("Sections", "Розділи", "Разделы", "Rubriques")
    package static let timesIn = Text("Times are in", "Час у зоні", "Время в зоне", "Heures en zone")
    package static let keySearch = Text("search", "пошук", "поиск", "chercher")
    package static let keyRows = Text("rows", "рядки", "строки", "lignes")
    package static let keyHelp = Text("help", "довідка", "справка", "aide")
    package static let back = Text("Back", "Назад", "Назад", "Retour")
    package static let any = Text("Any", "Будь-який", "Любой", "Tous")
    package static let keep = Text("Save", "Зберегти", "Сохранить", "Enregistrer")
    package static let search = Text("Search", "Шукати", "Искать", "Chercher")
    package static let clear = Text("Clear", "Очистити", "Очистить", "Effacer")
    package static let pages = Text("Pages", "Сторінки", "Страницы", "Pages")
    package static let firstPage = Text("Newest", "Найновіші", "Самые новые", "Plus récents")
    package static let older = Text("Older", "Старіші", "Более старые", "Plus anciens")
    package static let milliseconds = Text("ms", "мс", "мс", "ms")
    package static let seconds = Text("s", "с", "с", "s")
    package static let minutes = Text("min", "хв", "мин", "min")
    package static let hours = Text("h", "год", "ч", "h")
    package static let days = Text("d", "дн", "дн", "j")

    // MARK: Sessions

    package static let signIn = Text("Sign in", "Увійти", "Войти", "Se connecter")
    package static let signInWith = Text(
        "With an API key of your merchant. What it may do decides what you see.",
        "З API-ключем вашого мерчанта. Його права визначають, що ви бачите.",
        "С API-ключом вашего мерчанта. Его права определяют, что вы видите.",
        "Avec une clé d'API de votre marchand. Ses droits décident de ce que vous voyez."
    )
    package static let signInHint = Text(
        "No key yet? Whoever runs the daemon makes one:",
        "Ще немає ключа? Його створює той, хто керує сервером:",
        "Ещё нет ключа? Его создаёт тот, кто управляет сервером:",
        "Pas encore de clé ? La personne qui gère le serveur en crée une :"
    )
    package static let apiKey = Text("API key", "API-ключ", "API-ключ", "Clé d'API")
    package static let keyNotTaken = Text(
        "This key is unknown, expired or revoked.",
        "Цей ключ невідомий, прострочений або відкликаний.",
        "Этот ключ неизвестен, истёк или отозван.",
        "Cette clé est inconnue, expirée ou révoquée."
    )
    package static let tooManyAttempts = Text(
        "Too many attempts from this address. Wait a little and try again.",
        "Забагато спроб із цієї адреси. Зачекайте трохи й спробуйте ще раз.",
        "Слишком много попыток с этого адреса. Подождите немного и попробуйте снова.",
        "Trop d'essais depuis cette adresse. Attendez un peu, puis réessayez."
    )
    package static let signedOut = Text("You are signed out.", "Ви вийшли.", "Вы вышли.", "Vous êtes déconnecté.")
    package static let signOut = Text("Sign out", "Вийти", "Выйти", "Se déconnecter")
    package static let signOutEverywhere = Text(
        "Sign out everywhere",
        "Вийти всюди",
        "Выйти везде",
        "Se déconnecter partout"
    )
    package static let sessionEnded = Text(
        "Your session is over",
        "Сеанс завершено",
        "Сеанс окончен",
        "Votre session est finie"
    )
    package static let sessionEndedHint = Text(
        "Sign in again. Nothing was done in between.",
        "Увійдіть знову. Нічого не було зроблено.",
        "Войдите снова. Ничего не было сделано.",
        "Reconnectez-vous. Rien n'a été fait entre-temps."
    )

    // MARK: Preferences

    package static let preferences = Text("Preferences", "Налаштування", "Настройки", "Préférences")
    package static let preferencesKept = Text("Saved.", "Збережено.", "Сохранено.", "Enregistré.")
    package static let reading = Text("Reading", "Читання", "Чтение", "Lecture")
    package static let language = Text("Language", "Мова", "Язык", "Langue")
    package static let zone = Text("Time zone", "Часовий пояс", "Часовой пояс", "Fuseau horaire")
    package static let zoneHint = Text(
        "As in the IANA database, for example Europe/Kyiv.",
        "Як у базі IANA, наприклад Europe/Kyiv.",
        "Как в базе IANA, например Europe/Kyiv.",
        "Selon la base IANA, par exemple Europe/Paris."
    )
    package static let zoneUnknown = Text(
        "There is no such time zone.",
        "Такого часового поясу немає.",
        "Такого часового пояса нет.",
        "Ce fuseau horaire n'existe pas."
    )
    package static let theme = Text("Theme", "Тема", "Тема", "Thème")
    package static let themeAuto = Text("As the system", "Як у системі", "Как в системе", "Comme le système")
    package static let themeLight = Text("Light", "Світла", "Светлая", "Clair")
    package static let themeDark = Text("Dark", "Темна", "Тёмная", "Sombre")
    package static let thisKey = Text("This key", "Цей ключ", "Этот ключ", "Cette clé")
    package static let merchant = Text("Merchant", "Мерчант", "Мерчант", "Marchand")
    package static let scopes = Text("May", "Права", "Права", "Droits")
    package static let signedInSince = Text("Signed in since", "Вхід від", "Вход с", "Connecté depuis")
    package static let openSessions = Text("Open sessions", "Відкриті сеанси", "Открытые сеансы", "Sessions ouvertes")

    // MARK: Problems

    package static let notAllowed = Text("Not allowed", "Не дозволено", "Не разрешено", "Non autorisé")
    package static let notAllowedHint = Text(
        "Nothing was done. Your key lacks the right, or the form was not sent from here.",
        "Нічого не зроблено. Ключ не має права, або форму надіслано не звідси.",
        "Ничего не сделано. У ключа нет права, или форма отправлена не отсюда.",
        "Rien n'a été fait. Votre clé n'en a pas le droit, ou le formulaire ne vient pas d'ici."
    )
    package static let notFound = Text("Not found", "Не знайдено", "Не найдено", "Introuvable")
    package static let notFoundHint = Text(
        "Check the address, and that the key belongs to the same merchant.",
        "Перевірте адресу та що ключ належить тому самому мерчанту.",
        "Проверьте адрес и что ключ принадлежит тому же мерчанту.",
        "Vérifiez l'adresse, et que la clé est bien du même marchand."
    )
    package static let changedMeanwhile = Text(
        "It changed meanwhile",
        "Тим часом усе змінилося",
        "Тем временем всё изменилось",
        "Cela a changé entre-temps"
    )
    package static let changedMeanwhileHint = Text(
        "Nothing was done. Look at it again and decide anew.",
        "Нічого не зроблено. Подивіться ще раз і вирішіть знову.",
        "Ничего не сделано. Посмотрите ещё раз и решите снова.",
        "Rien n'a été fait. Regardez à nouveau et décidez ensuite."
    )
    package static let tooMuchAtOnce = Text(
        "Too much at once",
        "Забагато водночас",
        "Слишком много сразу",
        "Trop à la fois"
    )
    package static let tooMuchAtOnceHint = Text(
        "Wait a moment and load the page again.",
        "Зачекайте хвилинку й оновіть сторінку.",
        "Подождите немного и обновите страницу.",
        "Attendez un instant et rechargez la page."
    )
    package static let notNow = Text("Not just now", "Зараз не виходить", "Сейчас не получается", "Pas en ce moment")
    package static let notNowHint = Text(
        "Nothing is known to have happened. Try again in a moment.",
        "Невідомо, щоб щось сталося. Спробуйте за хвилину.",
        "Неизвестно, чтобы что-то произошло. Попробуйте через минуту.",
        "Rien ne semble s'être passé. Réessayez dans un instant."
    )
    package static let refused = Text("Refused", "Відхилено", "Отклонено", "Refusé")
    package static let refusedHint = Text(
        "Nothing was done. Correct what is named below.",
        "Нічого не зроблено. Виправте вказане нижче.",
        "Ничего не сделано. Исправьте указанное ниже.",
        "Rien n'a été fait. Corrigez ce qui est indiqué ci-dessous."
    )
    package static let problemCode = Text("Code", "Код", "Код", "Code")
    package static let problemPlace = Text("Where", "Де", "Где", "Où")
    package static let problemScope = Text("Needs the right", "Потрібне право", "Нужно право", "Droit nécessaire")

    // MARK: Months

    package static let months = [
        Text("Jan", "січ.", "янв.", "janv."), Text("Feb", "лют.", "февр.", "févr."),
        Text("Mar", "бер.", "мар.", "mars"), Text("Apr", "квіт.", "апр.", "avr."),
        Text("May", "трав.", "мая", "mai"), Text("Jun", "черв.", "июн.", "juin"),
        Text("Jul", "лип.", "июл.", "juil."), Text("Aug", "серп.", "авг.", "août"),
        Text("Sep", "вер.", "сент.", "sept."), Text("Oct", "жовт.", "окт.", "oct."),
        Text("Nov", "лист.", "нояб.", "nov."), Text("Dec", "груд.", "дек.", "déc."),
    ]
    package static let monthNames = [
        Text("January", "Січень", "Январь", "Janvier"), Text("February", "Лютий", "Февраль", "Février"),
        Text("March", "Березень", "Март", "Mars"), Text("April", "Квітень", "Апрель", "Avril"),
        Text("May", "Травень", "Май", "Mai"), Text("June", "Червень", "Июнь", "Juin"),
        Text("July", "Липень", "Июль", "Juillet"), Text("August", "Серпень", "Август", "Août"),
        Text("September", "Вересень", "Сентябрь", "Septembre"), Text("October", "Жовтень", "Октябрь", "Octobre"),
        Text("November", "Листопад", "Ноябрь", "Novembre"), Text("December", "Грудень", "Декабрь", "Décembre"),
    ]
    package static let weekdays = [
        Text("Mon", "Пн", "Пн", "lun."), Text("Tue", "Вт", "Вт", "mar."), Text("Wed", "Ср", "Ср", "mer."),
        Text("Thu", "Чт", "Чт", "jeu."), Text("Fri", "Пт", "Пт", "ven."), Text("Sat", "Сб", "Сб", "sam."),
        Text("Sun", "Нд", "Вс", "dim."),
    ]
}
