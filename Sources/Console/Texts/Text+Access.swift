/// Keys of the merchant, and what waits for a second person.
extension Text {
    package static let keys = Text("Keys", "Ключі", "Ключи", "Clés")
    package static let keysHint = Text(
        "Who may do what, from where and until when",
        "Хто що може, звідки й до коли",
        "Кто что может, откуда и до когда",
        "Qui peut quoi, d'où et jusqu'à quand"
    )
    package static let keysInUse = Text("In use", "У роботі", "В работе", "En service")
    package static let allKeys = Text("All keys", "Усі ключі", "Все ключи", "Toutes les clés")
    package static let noKeys = Text("No keys", "Ключів немає", "Ключей нет", "Aucune clé")
    package static let noKeysHint = Text(
        "Give each person and program one of their own:",
        "Дайте кожній людині й програмі власний:",
        "Дайте каждому человеку и программе собственный:",
        "Donnez à chaque personne et programme la sienne :"
    )
    package static let keyName = Text("Who holds it", "Хто тримає", "Кто держит", "Qui la détient")
    package static let role = Text("Role", "Роль", "Роль", "Rôle")
    package static let expires = Text("Expires", "Спливає", "Истекает", "Expire")
    package static let networks = Text("Networks", "Мережі", "Сети", "Réseaux")
    package static let fromAnywhere = Text("anywhere", "звідусіль", "отовсюду", "partout")
    package static let oldTokenUntil = Text(
        "Earlier token until",
        "Попередній токен до",
        "Прежний токен до",
        "Ancien jeton jusqu'à"
    )
    package static let revokedAt = Text("Revoked", "Відкликано", "Отозван", "Révoquée")

    // MARK: Making, rotating, revoking

    package static let makeKey = Text("Make a key", "Створити ключ", "Создать ключ", "Créer une clé")
    package static let makeKeyHint = Text(
        "It may no more than yours. Keys of second persons are made by the owner of the database.",
        "Може не більше за ваш. Ключі других осіб створює власник бази.",
        "Может не больше вашего. Ключи вторых лиц создаёт владелец базы.",
        "Elle ne peut pas plus que la vôtre. Celles des secondes personnes sont créées par le propriétaire de la base."
    )
    package static let networksHint = Text(
        "As in 10.0.0.0/8; nothing stands for those of your key.",
        "Як-от 10.0.0.0/8; порожньо — мережі вашого ключа.",
        "Например, 10.0.0.0/8; пусто — сети вашего ключа.",
        "Comme 10.0.0.0/8 ; rien veut dire ceux de votre clé."
    )
    package static let expiresHint = Text(
        "When that day begins; nothing stands for as long as yours.",
        "Коли почнеться той день; порожньо — як ваш.",
        "Когда начнётся тот день; пусто — как ваш.",
        "Au début de ce jour ; rien veut dire comme la vôtre."
    )
    package static let rotateKey = Text(
        "Give it another token",
        "Дати інший токен",
        "Дать другой токен",
        "Changer son jeton"
    )
    package static let rotateKeyHint = Text(
        "Name, role and history stay; the token that it has goes on for a while.",
        "Ім'я, роль та історія лишаються; нинішній токен ще діє якийсь час.",
        "Имя, роль и история остаются; нынешний токен ещё действует какое-то время.",
        "Nom, rôle et historique restent ; le jeton actuel vaut encore un temps."
    )
    package static let revokeKey = Text("Revoke", "Відкликати", "Отозвать", "Révoquer")
    package static let revokeKeyHint = Text(
        "For good, within two seconds everywhere; its sessions end.",
        "Назавжди, за дві секунди всюди; його сеанси завершаться.",
        "Навсегда, за две секунды везде; его сеансы завершатся.",
        "Pour de bon, en deux secondes partout ; ses sessions finissent."
    )
    package static let overlap = Text(
        "The earlier one goes on for",
        "Попередній діє ще",
        "Прежний действует ещё",
        "L'ancien vaut encore"
    )
    package static let overlapNone = Text("not at all", "зовсім ні", "нисколько", "pas du tout")
    package static let overlapHour = Text("an hour", "годину", "час", "une heure")
    package static let overlapDay = Text("a day", "добу", "сутки", "un jour")
    package static let overlapWeek = Text("a week", "тиждень", "неделю", "une semaine")
    package static let keyToken = Text("Token of the key", "Токен ключа", "Токен ключа", "Jeton de la clé")
    package static let keyAwaits = Text(
        "It can be used once another person approves it.",
        "Діятиме, коли інша людина схвалить.",
        "Заработает, когда другой человек одобрит.",
        "Elle vaudra quand une autre personne l'aura approuvée."
    )
    package static let secretShownOnce = Text(
        "Keep it now as you keep a password: it is shown on this page and never again.",
        "Збережіть зараз, як пароль: показано лише тут і більше ніколи.",
        "Сохраните сейчас, как пароль: показано только здесь и больше никогда.",
        "Gardez-le maintenant comme un mot de passe : il n'est montré qu'ici, et plus jamais."
    )
    package static let secretNotShown = Text(
        "There is nothing to show: it was shown already, or it is not made yet. Make another where it is lost.",
        "Нема що показати: вже показано або ще не створено. Якщо втрачено, створіть інший.",
        "Показать нечего: уже показано или ещё не создано. Если потеряно, создайте другой.",
        "Rien à montrer : déjà montré, ou pas encore créé. S'il est perdu, créez-en un autre."
    )
    package static let goOn = Text("I have kept it", "Збережено", "Сохранено", "Je l'ai gardé")
    package static let doneRevoked = Text("The key is revoked.", "Ключ відкликано.", "Ключ отозван.", "Clé révoquée.")

    // MARK: Changes

    package static let changes = Text("Changes", "Зміни", "Изменения", "Changements")
    package static let change = Text("Change", "Зміна", "Изменение", "Changement")
    package static let changesHint = Text(
        "One person proposes, another one approves, within seven days",
        "Одна людина пропонує, інша схвалює, за сім днів",
        "Один предлагает, другой одобряет, за семь дней",
        "Une personne propose, une autre approuve, en sept jours"
    )
    package static let onePersonIsEnough = Text(
        "One person is enough for this merchant",
        "Цьому мерчанту досить однієї людини",
        "Этому мерчанту достаточно одного человека",
        "Une personne suffit pour ce marchand"
    )
    package static let noChanges = Text("Nothing waits", "Ніщо не чекає", "Ничего не ждёт", "Rien n'attend")
    package static let noChangesHint = Text(
        "Change routing, an account or a key: it stands here until another person approves it.",
        "Змініть маршрути, акаунт чи ключ: зміна чекатиме тут на схвалення іншою людиною.",
        "Измените маршруты, аккаунт или ключ: изменение будет ждать здесь одобрения другого человека.",
        "Changez les routes, un compte ou une clé : cela attend ici qu'une autre personne l'approuve."
    )
    package static let noChangesOnePerson = Text(
        "Ask for two persons, so that changes of routing, accounts and keys wait here.",
        "Вимагайте двох осіб, щоб зміни маршрутів, акаунтів і ключів чекали тут.",
        "Требуйте двух человек, чтобы изменения маршрутов, аккаунтов и ключей ждали здесь.",
        "Exigez deux personnes, pour que les changements de routes, de comptes et de clés attendent ici."
    )
    package static let askTwoPersons = Text(
        "Ask for two persons",
        "Вимагати двох осіб",
        "Требовать двух человек",
        "Exiger deux personnes"
    )
    package static let askTwoPersonsHint = Text(
        "From then on another person approves what changes routing, accounts and keys. Going back takes two.",
        "Відтоді інша людина схвалює зміни маршрутів, акаунтів і ключів. Повернення вимагає двох.",
        "С тех пор другой человек одобряет изменения маршрутов, аккаунтов и ключей. Возврат требует двух.",
        "Dès lors une autre personne approuve les changements de routes, de comptes et de clés. Le retour en exige deux."
    )
    package static let askOnePerson = Text(
        "Propose that one person is enough",
        "Запропонувати, що досить однієї людини",
        "Предложить, что достаточно одного человека",
        "Proposer qu'une personne suffise"
    )
    package static let askOnePersonHint = Text(
        "Another person has to approve it.",
        "Має схвалити інша людина.",
        "Должен одобрить другой человек.",
        "Une autre personne doit l'approuver."
    )
    package static let doneTwoPersons = Text(
        "Two persons are needed now.",
        "Тепер потрібні двоє.",
        "Теперь нужны двое.",
        "Il faut maintenant deux personnes."
    )
    package static let doneOnePersonProposed = Text(
        "Proposed. Another person approves it.",
        "Запропоновано. Схвалює інша людина.",
        "Предложено. Одобряет другой человек.",
        "Proposé. Une autre personne approuve."
    )
    package static let acts = Text("What was done", "Що зроблено", "Что сделано", "Ce qui a été fait")
    package static let actsHint = Text(
        "By administrators, about keys, accounts, routing and the merchant",
        "Адміністраторами: ключі, акаунти, маршрути, мерчант",
        "Администраторами: ключи, аккаунты, маршруты, мерчант",
        "Par les administrateurs : clés, comptes, routes, marchand"
    )
    package static let noActs = Text("Nothing yet", "Ще нічого", "Ещё ничего", "Rien pour l'instant")
    package static let noActsHint = Text(
        "Whoever makes a key or changes an account stands here with it.",
        "Тут буде кожен, хто створить ключ чи змінить акаунт.",
        "Здесь будет каждый, кто создаст ключ или изменит аккаунт.",
        "Quiconque crée une clé ou change un compte apparaît ici."
    )
    package static let actor = Text("By", "Хто", "Кто", "Par")
    package static let aNewKey = Text("A new key", "Новий ключ", "Новый ключ", "Une nouvelle clé")
    package static let proposedAt = Text("Proposed", "Запропоновано", "Предложено", "Proposé")
    package static let reject = Text("Reject", "Відхилити", "Отклонить", "Rejeter")
    package static let endedChanges = Text("Ended", "Завершені", "Завершённые", "Terminés")
    package static let endedBy = Text("Ended by", "Завершив", "Завершил", "Terminé par")
    package static let doneChangeApproved = Text(
        "Approved and carried out.",
        "Схвалено й виконано.",
        "Одобрено и выполнено.",
        "Approuvé et exécuté."
    )
    package static let doneChangeRejected = Text("Rejected.", "Відхилено.", "Отклонено.", "Rejeté.")
}
