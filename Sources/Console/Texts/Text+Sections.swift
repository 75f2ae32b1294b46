/// Overview, reports, open items, schedules, instruments, bills, accounts, health.
extension Text {
    // MARK: Overview

    package static let overview = Text("Overview", "Огляд", "Обзор", "Aperçu")
    package static let period = Text("Period", "Період", "Период", "Période")
    package static let today = Text("Today", "Сьогодні", "Сегодня", "Aujourd'hui")
    package static let sevenDays = Text("7 days", "7 днів", "7 дней", "7 jours")
    package static let thirtyDays = Text("30 days", "30 днів", "30 дней", "30 jours")
    package static let ninetyDays = Text("90 days", "90 днів", "90 дней", "90 jours")
    package static let show = Text("Show", "Показати", "Показать", "Afficher")
    package static let day = Text("Day", "День", "День", "Jour")
    package static let time = Text("Time", "Час", "Время", "Heure")
    package static let asTable = Text("As a table", "Таблицею", "Таблицей", "En tableau")
    package static let nothingInPeriod = Text(
        "Nothing in this period",
        "За цей період нічого немає",
        "За этот период ничего нет",
        "Rien dans cette période"
    )
    package static let nothingInPeriodHint = Text(
        "Take a longer period, or accounts of another mode.",
        "Оберіть довший період або інший режим акаунтів.",
        "Выберите более длинный период или другой режим аккаунтов.",
        "Prenez une période plus longue, ou des comptes d'un autre mode."
    )
    package static let net = Text("Net turnover", "Чистий оборот", "Чистый оборот", "Chiffre net")
    package static let volume = Text("Volume by day", "Обсяг за днями", "Объём по дням", "Volume par jour")
    package static let approval = Text("Approval rate", "Частка успішних", "Доля успешных", "Taux d'acceptation")
    package static let ofPayments = Text(
        "{part} of {whole} payments",
        "{part} із {whole} платежів",
        "{part} из {whole} платежей",
        "{part} paiements sur {whole}"
    )
    package static let timeToMoney = Text("Time to money", "Час до грошей", "Время до денег", "Délai d'encaissement")
    package static let whyDeclined = Text(
        "Why payments failed",
        "Чому платежі невдалі",
        "Почему платежи неудачны",
        "Pourquoi des échecs"
    )
    package static let noDeclines = Text(
        "No payment failed",
        "Невдалих платежів немає",
        "Неудачных платежей нет",
        "Aucun échec"
    )
    package static let noDeclinesHint = Text(
        "Refusals of this period would stand here by their class.",
        "Тут були б відмови періоду за класами.",
        "Здесь были бы отказы периода по классам.",
        "Les refus de la période seraient ici, par classe."
    )
    package static let providerHealth = Text("Accounts", "Акаунти", "Аккаунты", "Comptes")
    package static let formulas = Text(
        "How figures are reckoned",
        "Як рахуються цифри",
        "Как считаются цифры",
        "Comment les chiffres sont calculés"
    )
    package static let netFormula = Text(
        "captured − refunded − charged back − fees",
        "списано − повернено − чарджбеки − комісії",
        "списано − возвращено − чарджбэки − комиссии",
        "encaissé − remboursé − rétrofacturé − frais"
    )
    package static let approvalFormula = Text(
        "payments that got money ÷ those and the failed ones; expired and cancelled ones apart; counts below 20",
        "платежі з грошима ÷ вони та невдалі; прострочені й скасовані окремо; до 20 — кількості",
        "платежи с деньгами ÷ они и неудачные; истёкшие и отменённые отдельно; до 20 — количества",
        "paiements encaissés ÷ ceux-ci et les échoués ; expirés et annulés à part ; nombres sous 20"
    )
    package static let timeFormula = Text(
        "first money − creation, by the day of that money; the median of the slowest provider",
        "перші гроші − створення, за днем цих грошей; медіана найповільнішого",
        "первые деньги − создание, по дню этих денег; медиана самого медленного",
        "premier argent − création, par jour de cet argent ; médiane du plus lent"
    )
    package static let answerTime = Text(
        "Answers by day",
        "Відповіді за днями",
        "Ответы по дням",
        "Réponses par jour"
    )
    package static let halfOfThem = Text("half within", "половина за", "половина за", "la moitié en")
    package static let mostOfThem = Text("95 % within", "95 % за", "95 % за", "95 % en")
    package static let answerFormula = Text(
        "the provider's answer − the moment from which our message might leave; told as at most a tenth more",
        "відповідь провайдера − мить, від якої повідомлення могло вийти; до десятої більше",
        "ответ провайдера − миг, с которого сообщение могло уйти; до десятой больше",
        "réponse du prestataire − moment dès lequel notre message pouvait partir ; au plus un dixième de plus"
    )

    // MARK: Reports

    package static let reports = Text("Reports", "Звіти", "Отчёты", "Rapports")
    package static let reportsHint = Text(
        "Each names the position of the log that it was made at",
        "Кожен називає місце журналу, на якому його зроблено",
        "Каждый называет место журнала, на котором сделан",
        "Chacun nomme la place du journal où il a été fait"
    )
    package static let madeAt = Text(
        "Made at position {position} of the log.",
        "Зроблено на місці {position} журналу.",
        "Сделан на месте {position} журнала.",
        "Fait à la place {position} du journal."
    )
    package static let everythingBefore = Text(
        "Everything before {day}",
        "Усе до {day}",
        "Всё до {day}",
        "Tout avant le {day}"
    )
    package static let movementsBehind = Text(
        "The movements behind it",
        "Рухи, що за цим стоять",
        "Движения, которые за этим стоят",
        "Les mouvements qui le composent"
    )
    package static let factsBehind = Text(
        "What it counts",
        "Що тут пораховано",
        "Что здесь посчитано",
        "Ce qui est compté"
    )
    package static let movementsFileHint = Text(
        "The file holds what these days count, of every account and currency.",
        "Файл містить пораховане за ці дні, за всіма акаунтами й валютами.",
        "Файл содержит посчитанное за эти дни, по всем аккаунтам и валютам.",
        "Le fichier contient ce qui est compté ces jours-là, de tous les comptes et devises."
    )
    package static let sameAgain = Text(
        "Exactly this again",
        "Точно такий знову",
        "Точно такой снова",
        "Exactement celui-ci"
    )
    package static let openFrom = Text(
        "days from {day} on may still grow",
        "дні від {day} ще можуть змінитися",
        "дни с {day} ещё могут измениться",
        "les jours depuis le {day} peuvent encore changer"
    )

    package static let longReport = Text(
        "Longer than a page",
        "Довший за сторінку",
        "Длиннее страницы",
        "Plus long qu'une page"
    )
    package static let longReportHint = Text(
        "Take fewer days, or download all of it.",
        "Оберіть менше днів або завантажте все.",
        "Выберите меньше дней или скачайте всё.",
        "Prenez moins de jours, ou téléchargez-le en entier."
    )
    package static let asOf = Text("As of", "Станом на", "По состоянию на", "À la date de")
    package static let asOfHint = Text(
        "A position of the log, or a moment as in 2026-11-21T12:00:00Z; nothing stands for now.",
        "Місце журналу або мить, як-от 2026-11-21T12:00:00Z; порожньо — зараз.",
        "Место журнала или миг, например 2026-11-21T12:00:00Z; пусто — сейчас.",
        "Une place du journal, ou un instant comme 2026-11-21T12:00:00Z ; rien veut dire maintenant."
    )
    package static let byTime = Text("Days are those of", "Дні за", "Дни по", "Jours selon")
    package static let byKnown = Text("the evidence", "доказом", "доказательству", "la preuve")
    package static let byEffective = Text("the provider", "провайдером", "провайдеру", "le prestataire")

    // MARK: Open items

    package static let openItems = Text("Open items", "Відкриті питання", "Открытые вопросы", "Points ouverts")
    package static let openItemsHint = Text(
        "What somebody still owes, and until when",
        "Хто що ще має зробити й до коли",
        "Кто что ещё должен и до когда",
        "Ce que quelqu'un doit encore, et jusqu'à quand"
    )
    package static let allOpen = Text("All", "Усі", "Все", "Tous")
    package static let nothingOpen = Text("Nothing is open", "Усе закрито", "Всё закрыто", "Rien d'ouvert")
    package static let nothingOpenHint = Text(
        "Uncertain outcomes, holds, disputes and proposals would stand here.",
        "Тут були б невідомі результати, утримання, оскарження та пропозиції.",
        "Здесь были бы неизвестные итоги, удержания, споры и предложения.",
        "Issues incertaines, réserves, litiges et propositions seraient ici."
    )
    package static let otherOpen = Text("Beside payments", "Поза платежами", "Вне платежей", "Hors paiements")
    package static let ageInDays = Text("Age in days", "Вік у днях", "Возраст в днях", "Âge en jours")
    package static let nextStep = Text("Next step", "Наступний крок", "Следующий шаг", "Prochaine étape")
    package static let owedBy = Text("Owed by", "За ким", "За кем", "Dû par")
    package static let since = Text("Since", "Від", "С", "Depuis")

    // MARK: Schedules

    package static let schedules = Text("Schedules", "Розклади", "Расписания", "Échéanciers")
    package static let schedulesHint = Text(
        "Recurring payments",
        "Регулярні платежі",
        "Регулярные платежи",
        "Paiements récurrents"
    )
    package static let calendar = Text("Calendar", "Календар", "Календарь", "Calendrier")
    package static let calendarHint = Text(
        "Coming charges, if every charge succeeds",
        "Майбутні списання, якщо кожне вдасться",
        "Будущие списания, если каждое удастся",
        "Prélèvements à venir, si chacun réussit"
    )
    package static let calendarCut = Text(
        "The {count} schedules that charge soonest are shown.",
        "Показано {count} найближчих розкладів.",
        "Показано {count} ближайших расписаний.",
        "Les {count} échéanciers les plus proches sont affichés."
    )
    package static let monthBefore = Text("Month before", "Попередній місяць", "Предыдущий месяц", "Mois précédent")
    package static let monthAfter = Text("Month after", "Наступний місяць", "Следующий месяц", "Mois suivant")
    package static let noSchedules = Text("No schedules", "Розкладів немає", "Расписаний нет", "Aucun échéancier")
    package static let noSchedulesHint = Text(
        "A subscription stands here once your backend registers it:",
        "Підписка з'явиться, коли бекенд її зареєструє:",
        "Подписка появится, когда бэкенд её зарегистрирует:",
        "Un abonnement apparaît quand votre backend l'enregistre :"
    )
    package static let nextCharge = Text(
        "Next charge",
        "Наступне списання",
        "Следующее списание",
        "Prochain prélèvement"
    )
    package static let paidTimes = Text("Paid", "Сплачено", "Оплачено", "Payés")
    package static let onDemand = Text("on demand", "на вимогу", "по требованию", "à la demande")
    package static let byDates = Text("by dates", "за датами", "по датам", "par dates")
    package static let comingCharges = Text(
        "Coming charges",
        "Майбутні списання",
        "Будущие списания",
        "Prélèvements à venir"
    )
    package static let nothingComes = Text(
        "Nothing is due",
        "Нічого не заплановано",
        "Ничего не запланировано",
        "Rien de prévu"
    )
    package static let nothingComesHint = Text(
        "Charges stand here once a schedule with a rule is active.",
        "Списання з'являться з активним розкладом.",
        "Списания появятся с активным расписанием.",
        "Les prélèvements apparaissent avec un échéancier actif."
    )
    package static let pastCharges = Text(
        "Charges so far",
        "Списання досі",
        "Списания до сих пор",
        "Prélèvements passés"
    )
    package static let nothingCharged = Text(
        "Nothing charged yet",
        "Ще нічого не списано",
        "Ещё ничего не списано",
        "Rien de prélevé"
    )
    package static let nothingChargedHint = Text(
        "Each due charge stands here with its tries.",
        "Тут буде кожне списання з його спробами.",
        "Здесь будет каждое списание с его попытками.",
        "Chaque échéance apparaît ici avec ses tentatives."
    )
    package static let attempts = Text("Tries", "Спроби", "Попытки", "Tentatives")
    package static let runBy = Text("Run by", "Веде", "Ведёт", "Géré par")
    package static let firstPayment = Text("First payment", "Перший платіж", "Первый платёж", "Premier paiement")
    package static let doneSchedule = Text("Done.", "Зроблено.", "Сделано.", "Fait.")
    package static let testClock = Text("Test clock", "Тестовий годинник", "Тестовые часы", "Horloge de test")
    package static let clockAt = Text("Stands at", "Показує", "Показывают", "Indique")
    package static let clockTo = Text("Travels to", "Рухається до", "Идут к", "Avance vers")
    package static let clockWaits = Text("Waits for", "Чекає на", "Ждут", "Attend")
    package static let clockMove = Text("Move the clock", "Перевести годинник", "Перевести часы", "Avancer l'horloge")
    package static let clockMoveHint = Text(
        "Forward only; what falls due on its way is charged.",
        "Лише вперед; усе належне буде списано.",
        "Только вперёд; всё причитающееся будет списано.",
        "Seulement en avant ; ce qui échoit est prélevé."
    )
    package static let takeClock = Text(
        "Take a clock of its own",
        "Узяти власний годинник",
        "Взять собственные часы",
        "Prendre sa propre horloge"
    )
    package static let takeClockHint = Text(
        "The merchant lives by it from then on: charges fall due when you move it.",
        "Відтоді мерчант живе за ним: списання настають, коли ви його переведете.",
        "С тех пор мерчант живёт по ним: списания наступают, когда вы их переведёте.",
        "Le marchand vit dès lors à son heure : les prélèvements échoient quand vous l'avancez."
    )
    package static let doneClockTaken = Text(
        "The merchant has a clock of its own.",
        "Мерчант має власний годинник.",
        "У мерчанта собственные часы.",
        "Le marchand a sa propre horloge."
    )
    package static let onItsWay = Text("on its way", "у дорозі", "в пути", "en route")
    package static let doneClock = Text(
        "The clock is on its way.",
        "Годинник рушив.",
        "Часы пошли.",
        "L'horloge avance."
    )

    // MARK: Instruments

    package static let instruments = Text("Cards", "Картки", "Карты", "Cartes")
    package static let instrumentsHint = Text(
        "Saved means of payment",
        "Збережені засоби оплати",
        "Сохранённые средства оплаты",
        "Moyens enregistrés"
    )
    package static let noInstruments = Text(
        "No saved cards",
        "Збережених карток немає",
        "Сохранённых карт нет",
        "Aucune carte"
    )
    package static let noInstrumentsHint = Text(
        "A card stands here once a payer agrees to save it.",
        "Картка з'явиться, коли платник погодиться її зберегти.",
        "Карта появится, когда плательщик согласится её сохранить.",
        "Une carte apparaît quand un payeur accepte de l'enregistrer."
    )
    package static let savedAt = Text("Saved", "Збережено", "Сохранена", "Enregistrée")
    package static let card = Text("Card", "Картка", "Карта", "Carte")
    package static let validUntil = Text("Valid until", "Дійсна до", "Действует до", "Valable jusqu'à")
    package static let uses = Text("Uses", "Використань", "Использований", "Utilisations")
    package static let lastUsed = Text("Last used", "Востаннє", "Последний раз", "Dernier usage")
    package static let removedAt = Text("Removed", "Вилучено", "Удалена", "Supprimée")
    package static let checkInstrument = Text(
        "Ask the provider",
        "Запитати провайдера",
        "Спросить провайдера",
        "Interroger le prestataire"
    )
    package static let checkInstrumentHint = Text(
        "Whether it still keeps the card.",
        "Чи він досі зберігає картку.",
        "Хранит ли он ещё карту.",
        "S'il garde encore la carte."
    )
    package static let removeInstrument = Text(
        "Remove the card",
        "Вилучити картку",
        "Удалить карту",
        "Supprimer la carte"
    )
    package static let removeInstrumentHint = Text(
        "For good: nothing is charged to it any more.",
        "Назавжди: з неї більше не списують.",
        "Навсегда: с неё больше не списывают.",
        "Pour de bon : plus rien n'y est prélevé."
    )
    package static let doneInstrument = Text("Done.", "Зроблено.", "Сделано.", "Fait.")
}
