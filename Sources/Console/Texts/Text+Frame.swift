/// What stands around every page, and on those that nobody's money is on.
extension Text {
    static let skipToContent = Text("Skip to content", "До вмісту", "К содержанию", "Aller au contenu")
    static let findPayment = Text(
        "Reference, customer or id",
        "Номер, клієнт або id",
        "Номер, клиент или id",
        "Référence, client ou id"
    )
    static let sections = Text("Sections", "Розділи", "Разделы", "Rubriques")
    static let timesIn = Text("Times are in", "Час у зоні", "Время в зоне", "Heures en zone")
    static let keySearch = Text("search", "пошук", "поиск", "chercher")
    static let keyRows = Text("rows", "рядки", "строки", "lignes")
    static let keyHelp = Text("help", "довідка", "справка", "aide")
    static let back = Text("Back", "Назад", "Назад", "Retour")
    static let any = Text("Any", "Будь-який", "Любой", "Tous")
    static let keep = Text("Save", "Зберегти", "Сохранить", "Enregistrer")
    static let search = Text("Search", "Шукати", "Искать", "Chercher")
    static let clear = Text("Clear", "Очистити", "Очистить", "Effacer")
    static let pages = Text("Pages", "Сторінки", "Страницы", "Pages")
    static let firstPage = Text("Newest", "Найновіші", "Самые новые", "Plus récents")
    static let older = Text("Older", "Старіші", "Более старые", "Plus anciens")
    static let milliseconds = Text("ms", "мс", "мс", "ms")
    static let seconds = Text("s", "с", "с", "s")
    static let minutes = Text("min", "хв", "мин", "min")
    static let hours = Text("h", "год", "ч", "h")
    static let days = Text("d", "дн", "дн", "j")

    // MARK: Sessions

    static let signIn = Text("Sign in", "Увійти", "Войти", "Se connecter")
    static let signInWith = Text(
        "With an API key of your merchant. What it may do decides what you see.",
        "З API-ключем вашого мерчанта. Його права визначають, що ви бачите.",
        "С API-ключом вашего мерчанта. Его права определяют, что вы видите.",
        "Avec une clé d'API de votre marchand. Ses droits décident de ce que vous voyez."
    )
    static let signInHint = Text(
        "No key yet? Whoever runs the daemon makes one:",
        "Ще немає ключа? Його створює той, хто керує сервером:",
        "Ещё нет ключа? Его создаёт тот, кто управляет сервером:",
        "Pas encore de clé ? La personne qui gère le serveur en crée une :"
    )
    static let apiKey = Text("API key", "API-ключ", "API-ключ", "Clé d'API")
    static let keyNotTaken = Text(
        "This key is unknown, expired or revoked.",
        "Цей ключ невідомий, прострочений або відкликаний.",
        "Этот ключ неизвестен, истёк или отозван.",
        "Cette clé est inconnue, expirée ou révoquée."
    )
    static let tooManyAttempts = Text(
        "Too many attempts from this address. Wait a little and try again.",
        "Забагато спроб із цієї адреси. Зачекайте трохи й спробуйте ще раз.",
        "Слишком много попыток с этого адреса. Подождите немного и попробуйте снова.",
        "Trop d'essais depuis cette adresse. Attendez un peu, puis réessayez."
    )
    static let signedOut = Text("You are signed out.", "Ви вийшли.", "Вы вышли.", "Vous êtes déconnecté.")
    static let signOut = Text("Sign out", "Вийти", "Выйти", "Se déconnecter")
    static let signOutEverywhere = Text(
        "Sign out everywhere",
        "Вийти всюди",
        "Выйти везде",
        "Se déconnecter partout"
    )
    static let sessionEnded = Text(
        "Your session is over",
        "Сеанс завершено",
        "Сеанс окончен",
        "Votre session est finie"
    )
    static let sessionEndedHint = Text(
        "Sign in again. Nothing was done in between.",
        "Увійдіть знову. Нічого не було зроблено.",
        "Войдите снова. Ничего не было сделано.",
        "Reconnectez-vous. Rien n'a été fait entre-temps."
    )

    // MARK: Preferences

    static let preferences = Text("Preferences", "Налаштування", "Настройки", "Préférences")
    static let preferencesKept = Text("Saved.", "Збережено.", "Сохранено.", "Enregistré.")
    static let reading = Text("Reading", "Читання", "Чтение", "Lecture")
    static let language = Text("Language", "Мова", "Язык", "Langue")
    static let zone = Text("Time zone", "Часовий пояс", "Часовой пояс", "Fuseau horaire")
    static let zoneHint = Text(
        "As in the IANA database, for example Europe/Kyiv.",
        "Як у базі IANA, наприклад Europe/Kyiv.",
        "Как в базе IANA, например Europe/Kyiv.",
        "Selon la base IANA, par exemple Europe/Paris."
    )
    static let zoneUnknown = Text(
        "There is no such time zone.",
        "Такого часового поясу немає.",
        "Такого часового пояса нет.",
        "Ce fuseau horaire n'existe pas."
    )
    static let theme = Text("Theme", "Тема", "Тема", "Thème")
    static let themeAuto = Text("As the system", "Як у системі", "Как в системе", "Comme le système")
    static let themeLight = Text("Light", "Світла", "Светлая", "Clair")
    static let themeDark = Text("Dark", "Темна", "Тёмная", "Sombre")
    static let thisKey = Text("This key", "Цей ключ", "Этот ключ", "Cette clé")
    static let merchant = Text("Merchant", "Мерчант", "Мерчант", "Marchand")
    static let scopes = Text("May", "Права", "Права", "Droits")
    static let signedInSince = Text("Signed in since", "Вхід від", "Вход с", "Connecté depuis")
    static let openSessions = Text("Open sessions", "Відкриті сеанси", "Открытые сеансы", "Sessions ouvertes")

    // MARK: Problems

    static let notAllowed = Text("Not allowed", "Не дозволено", "Не разрешено", "Non autorisé")
    static let notAllowedHint = Text(
        "Nothing was done. Your key lacks the right, or the form was not sent from here.",
        "Нічого не зроблено. Ключ не має права, або форму надіслано не звідси.",
        "Ничего не сделано. У ключа нет права, или форма отправлена не отсюда.",
        "Rien n'a été fait. Votre clé n'en a pas le droit, ou le formulaire ne vient pas d'ici."
    )
    static let notFound = Text("Not found", "Не знайдено", "Не найдено", "Introuvable")
    static let notFoundHint = Text(
        "Check the address, and that the key belongs to the same merchant.",
        "Перевірте адресу та що ключ належить тому самому мерчанту.",
        "Проверьте адрес и что ключ принадлежит тому же мерчанту.",
        "Vérifiez l'adresse, et que la clé est bien du même marchand."
    )
    static let changedMeanwhile = Text(
        "It changed meanwhile",
        "Тим часом усе змінилося",
        "Тем временем всё изменилось",
        "Cela a changé entre-temps"
    )
    static let changedMeanwhileHint = Text(
        "Nothing was done. Look at it again and decide anew.",
        "Нічого не зроблено. Подивіться ще раз і вирішіть знову.",
        "Ничего не сделано. Посмотрите ещё раз и решите снова.",
        "Rien n'a été fait. Regardez à nouveau et décidez ensuite."
    )
    static let tooMuchAtOnce = Text("Too much at once", "Забагато водночас", "Слишком много сразу", "Trop à la fois")
    static let tooMuchAtOnceHint = Text(
        "Wait a moment and load the page again.",
        "Зачекайте хвилинку й оновіть сторінку.",
        "Подождите немного и обновите страницу.",
        "Attendez un instant et rechargez la page."
    )
    static let notNow = Text("Not just now", "Зараз не виходить", "Сейчас не получается", "Pas en ce moment")
    static let notNowHint = Text(
        "Nothing is known to have happened. Try again in a moment.",
        "Невідомо, щоб щось сталося. Спробуйте за хвилину.",
        "Неизвестно, чтобы что-то произошло. Попробуйте через минуту.",
        "Rien ne semble s'être passé. Réessayez dans un instant."
    )
    static let refused = Text("Refused", "Відхилено", "Отклонено", "Refusé")
    static let refusedHint = Text(
        "Nothing was done. Correct what is named below.",
        "Нічого не зроблено. Виправте вказане нижче.",
        "Ничего не сделано. Исправьте указанное ниже.",
        "Rien n'a été fait. Corrigez ce qui est indiqué ci-dessous."
    )
    static let problemCode = Text("Code", "Код", "Код", "Code")
    static let problemPlace = Text("Where", "Де", "Где", "Où")
    static let problemScope = Text("Needs the right", "Потрібне право", "Нужно право", "Droit nécessaire")

    // MARK: Months

    static let months = [
        Text("Jan", "січ.", "янв.", "janv."), Text("Feb", "лют.", "февр.", "févr."),
        Text("Mar", "бер.", "мар.", "mars"), Text("Apr", "квіт.", "апр.", "avr."),
        Text("May", "трав.", "мая", "mai"), Text("Jun", "черв.", "июн.", "juin"),
        Text("Jul", "лип.", "июл.", "juil."), Text("Aug", "серп.", "авг.", "août"),
        Text("Sep", "вер.", "сент.", "sept."), Text("Oct", "жовт.", "окт.", "oct."),
        Text("Nov", "лист.", "нояб.", "nov."), Text("Dec", "груд.", "дек.", "déc."),
    ]
    static let monthNames = [
        Text("January", "Січень", "Январь", "Janvier"), Text("February", "Лютий", "Февраль", "Février"),
        Text("March", "Березень", "Март", "Mars"), Text("April", "Квітень", "Апрель", "Avril"),
        Text("May", "Травень", "Май", "Mai"), Text("June", "Червень", "Июнь", "Juin"),
        Text("July", "Липень", "Июль", "Juillet"), Text("August", "Серпень", "Август", "Août"),
        Text("September", "Вересень", "Сентябрь", "Septembre"), Text("October", "Жовтень", "Октябрь", "Octobre"),
        Text("November", "Листопад", "Ноябрь", "Novembre"), Text("December", "Грудень", "Декабрь", "Décembre"),
    ]
    static let weekdays = [
        Text("Mon", "Пн", "Пн", "lun."), Text("Tue", "Вт", "Вт", "mar."), Text("Wed", "Ср", "Ср", "mer."),
        Text("Thu", "Чт", "Чт", "jeu."), Text("Fri", "Пт", "Пт", "ven."), Text("Sat", "Сб", "Сб", "sam."),
        Text("Sun", "Нд", "Вс", "dim."),
    ]
}
