/// Overview, reports, open items, schedules, instruments, bills, accounts, health.
extension Text {
    // MARK: Overview

    static let overview = Text("Overview", "Огляд", "Обзор", "Aperçu")
    static let period = Text("Period", "Період", "Период", "Période")
    static let today = Text("Today", "Сьогодні", "Сегодня", "Aujourd'hui")
    static let sevenDays = Text("7 days", "7 днів", "7 дней", "7 jours")
    static let thirtyDays = Text("30 days", "30 днів", "30 дней", "30 jours")
    static let ninetyDays = Text("90 days", "90 днів", "90 дней", "90 jours")
    static let show = Text("Show", "Показати", "Показать", "Afficher")
    static let day = Text("Day", "День", "День", "Jour")
    static let time = Text("Time", "Час", "Время", "Heure")
    static let asTable = Text("As a table", "Таблицею", "Таблицей", "En tableau")
    static let nothingInPeriod = Text(
        "Nothing in this period",
        "За цей період нічого немає",
        "За этот период ничего нет",
        "Rien dans cette période"
    )
    static let nothingInPeriodHint = Text(
        "Take a longer period, or accounts of another mode.",
        "Оберіть довший період або інший режим акаунтів.",
        "Выберите более длинный период или другой режим аккаунтов.",
        "Prenez une période plus longue, ou des comptes d'un autre mode."
    )
    static let net = Text("Net turnover", "Чистий оборот", "Чистый оборот", "Chiffre net")
    static let volume = Text("Volume by day", "Обсяг за днями", "Объём по дням", "Volume par jour")
    static let approval = Text("Approval rate", "Частка успішних", "Доля успешных", "Taux d'acceptation")
    static let ofPayments = Text(
        "{part} of {whole} payments",
        "{part} із {whole} платежів",
        "{part} из {whole} платежей",
        "{part} paiements sur {whole}"
    )
    static let timeToMoney = Text("Time to money", "Час до грошей", "Время до денег", "Délai d'encaissement")
    static let whyDeclined = Text(
        "Why payments failed",
        "Чому платежі невдалі",
        "Почему платежи неудачны",
        "Pourquoi des échecs"
    )
    static let noDeclines = Text(
        "No payment failed",
        "Невдалих платежів немає",
        "Неудачных платежей нет",
        "Aucun échec"
    )
    static let noDeclinesHint = Text(
        "Refusals of this period would stand here by their class.",
        "Тут були б відмови періоду за класами.",
        "Здесь были бы отказы периода по классам.",
        "Les refus de la période seraient ici, par classe."
    )
    static let providerHealth = Text("Accounts", "Акаунти", "Аккаунты", "Comptes")
    static let formulas = Text(
        "How figures are reckoned",
        "Як рахуються цифри",
        "Как считаются цифры",
        "Comment les chiffres sont calculés"
    )
    static let netFormula = Text(
        "captured − refunded − charged back − fees",
        "списано − повернено − чарджбеки − комісії",
        "списано − возвращено − чарджбэки − комиссии",
        "encaissé − remboursé − rétrofacturé − frais"
    )
    static let approvalFormula = Text(
        "payments that got money ÷ those and the failed ones; expired and cancelled ones apart; counts below 20",
        "платежі з грошима ÷ вони та невдалі; прострочені й скасовані окремо; до 20 — кількості",
        "платежи с деньгами ÷ они и неудачные; истёкшие и отменённые отдельно; до 20 — количества",
        "paiements encaissés ÷ ceux-ci et les échoués ; expirés et annulés à part ; nombres sous 20"
    )
    static let timeFormula = Text(
        "first money − creation; the median of the slowest provider",
        "перші гроші − створення; медіана найповільнішого",
        "первые деньги − создание; медиана самого медленного",
        "premier argent − création ; médiane du plus lent"
    )

    // MARK: Reports

    static let reports = Text("Reports", "Звіти", "Отчёты", "Rapports")
    static let reportsHint = Text(
        "Each names the position of the log that it was made at",
        "Кожен називає місце журналу, на якому його зроблено",
        "Каждый называет место журнала, на котором сделан",
        "Chacun nomme la place du journal où il a été fait"
    )
    static let madeAt = Text(
        "Made at position {position} of the log.",
        "Зроблено на місці {position} журналу.",
        "Сделан на месте {position} журнала.",
        "Fait à la place {position} du journal."
    )
    static let sameAgain = Text("Exactly this again", "Точно такий знову", "Точно такой снова", "Exactement celui-ci")
    static let openFrom = Text(
        "days from {day} on may still grow",
        "дні від {day} ще можуть змінитися",
        "дни с {day} ещё могут измениться",
        "les jours depuis le {day} peuvent encore changer"
    )

    // MARK: Open items

    static let openItems = Text("Open items", "Відкриті питання", "Открытые вопросы", "Points ouverts")
    static let openItemsHint = Text(
        "What somebody still owes, and until when",
        "Хто що ще має зробити й до коли",
        "Кто что ещё должен и до когда",
        "Ce que quelqu'un doit encore, et jusqu'à quand"
    )
    static let allOpen = Text("All", "Усі", "Все", "Tous")
    static let nothingOpen = Text("Nothing is open", "Усе закрито", "Всё закрыто", "Rien d'ouvert")
    static let nothingOpenHint = Text(
        "Uncertain outcomes, holds, disputes and proposals would stand here.",
        "Тут були б невідомі результати, утримання, оскарження та пропозиції.",
        "Здесь были бы неизвестные итоги, удержания, споры и предложения.",
        "Issues incertaines, réserves, litiges et propositions seraient ici."
    )
    static let otherOpen = Text("Beside payments", "Поза платежами", "Вне платежей", "Hors paiements")
    static let ageInDays = Text("Age in days", "Вік у днях", "Возраст в днях", "Âge en jours")
    static let nextStep = Text("Next step", "Наступний крок", "Следующий шаг", "Prochaine étape")
    static let owedBy = Text("Owed by", "За ким", "За кем", "Dû par")
    static let since = Text("Since", "Від", "С", "Depuis")

    // MARK: Schedules

    static let schedules = Text("Schedules", "Розклади", "Расписания", "Échéanciers")
    static let schedulesHint = Text(
        "Recurring payments",
        "Регулярні платежі",
        "Регулярные платежи",
        "Paiements récurrents"
    )
    static let calendar = Text("Calendar", "Календар", "Календарь", "Calendrier")
    static let calendarHint = Text(
        "Coming charges, if every charge succeeds",
        "Майбутні списання, якщо кожне вдасться",
        "Будущие списания, если каждое удастся",
        "Prélèvements à venir, si chacun réussit"
    )
    static let calendarCut = Text(
        "The {count} schedules that charge soonest are shown.",
        "Показано {count} найближчих розкладів.",
        "Показано {count} ближайших расписаний.",
        "Les {count} échéanciers les plus proches sont affichés."
    )
    static let monthBefore = Text("Month before", "Попередній місяць", "Предыдущий месяц", "Mois précédent")
    static let monthAfter = Text("Month after", "Наступний місяць", "Следующий месяц", "Mois suivant")
    static let noSchedules = Text("No schedules", "Розкладів немає", "Расписаний нет", "Aucun échéancier")
    static let noSchedulesHint = Text(
        "A subscription stands here once your backend registers it:",
        "Підписка з'явиться, коли бекенд її зареєструє:",
        "Подписка появится, когда бэкенд её зарегистрирует:",
        "Un abonnement apparaît quand votre backend l'enregistre :"
    )
    static let nextCharge = Text("Next charge", "Наступне списання", "Следующее списание", "Prochain prélèvement")
    static let paidTimes = Text("Paid", "Сплачено", "Оплачено", "Payés")
    static let onDemand = Text("on demand", "на вимогу", "по требованию", "à la demande")
    static let byDates = Text("by dates", "за датами", "по датам", "par dates")
    static let comingCharges = Text("Coming charges", "Майбутні списання", "Будущие списания", "Prélèvements à venir")
    static let nothingComes = Text(
        "Nothing is due",
        "Нічого не заплановано",
        "Ничего не запланировано",
        "Rien de prévu"
    )
    static let nothingComesHint = Text(
        "Charges stand here once a schedule with a rule is active.",
        "Списання з'являться з активним розкладом.",
        "Списания появятся с активным расписанием.",
        "Les prélèvements apparaissent avec un échéancier actif."
    )
    static let pastCharges = Text("Charges so far", "Списання досі", "Списания до сих пор", "Prélèvements passés")
    static let nothingCharged = Text(
        "Nothing charged yet",
        "Ще нічого не списано",
        "Ещё ничего не списано",
        "Rien de prélevé"
    )
    static let nothingChargedHint = Text(
        "Each due charge stands here with its tries.",
        "Тут буде кожне списання з його спробами.",
        "Здесь будет каждое списание с его попытками.",
        "Chaque échéance apparaît ici avec ses tentatives."
    )
    static let attempts = Text("Tries", "Спроби", "Попытки", "Tentatives")
    static let runBy = Text("Run by", "Веде", "Ведёт", "Géré par")
    static let firstPayment = Text("First payment", "Перший платіж", "Первый платёж", "Premier paiement")
    static let doneSchedule = Text("Done.", "Зроблено.", "Сделано.", "Fait.")
    static let testClock = Text("Test clock", "Тестовий годинник", "Тестовые часы", "Horloge de test")
    static let clockAt = Text("Stands at", "Показує", "Показывают", "Indique")
    static let clockTo = Text("Travels to", "Рухається до", "Идут к", "Avance vers")
    static let clockWaits = Text("Waits for", "Чекає на", "Ждут", "Attend")
    static let clockMove = Text("Move the clock", "Перевести годинник", "Перевести часы", "Avancer l'horloge")
    static let clockMoveHint = Text(
        "Forward only; what falls due on its way is charged.",
        "Лише вперед; усе належне буде списано.",
        "Только вперёд; всё причитающееся будет списано.",
        "Seulement en avant ; ce qui échoit est prélevé."
    )
    static let onItsWay = Text("on its way", "у дорозі", "в пути", "en route")
    static let doneClock = Text("The clock is on its way.", "Годинник рушив.", "Часы пошли.", "L'horloge avance.")

    // MARK: Instruments

    static let instruments = Text("Cards", "Картки", "Карты", "Cartes")
    static let instrumentsHint = Text(
        "Saved means of payment",
        "Збережені засоби оплати",
        "Сохранённые средства оплаты",
        "Moyens enregistrés"
    )
    static let noInstruments = Text("No saved cards", "Збережених карток немає", "Сохранённых карт нет", "Aucune carte")
    static let noInstrumentsHint = Text(
        "A card stands here once a payer agrees to save it.",
        "Картка з'явиться, коли платник погодиться її зберегти.",
        "Карта появится, когда плательщик согласится её сохранить.",
        "Une carte apparaît quand un payeur accepte de l'enregistrer."
    )
    static let savedAt = Text("Saved", "Збережено", "Сохранена", "Enregistrée")
    static let card = Text("Card", "Картка", "Карта", "Carte")
    static let validUntil = Text("Valid until", "Дійсна до", "Действует до", "Valable jusqu'à")
    static let uses = Text("Uses", "Використань", "Использований", "Utilisations")
    static let lastUsed = Text("Last used", "Востаннє", "Последний раз", "Dernier usage")
    static let removedAt = Text("Removed", "Вилучено", "Удалена", "Supprimée")
    static let checkInstrument = Text(
        "Ask the provider",
        "Запитати провайдера",
        "Спросить провайдера",
        "Interroger le prestataire"
    )
    static let checkInstrumentHint = Text(
        "Whether it still keeps the card.",
        "Чи він досі зберігає картку.",
        "Хранит ли он ещё карту.",
        "S'il garde encore la carte."
    )
    static let removeInstrument = Text("Remove the card", "Вилучити картку", "Удалить карту", "Supprimer la carte")
    static let removeInstrumentHint = Text(
        "For good: nothing is charged to it any more.",
        "Назавжди: з неї більше не списують.",
        "Навсегда: с неё больше не списывают.",
        "Pour de bon : plus rien n'y est prélevé."
    )
    static let doneInstrument = Text("Done.", "Зроблено.", "Сделано.", "Fait.")
}
