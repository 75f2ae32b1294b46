/// Reconciliation: files of providers, and what does not fit.
extension Text {
    package static let reconciliation = Text("Reconciliation", "Звіряння", "Сверка", "Rapprochement")
    package static let reconciliationHint = Text(
        "Providers' files beside our books",
        "Файли провайдерів поряд з нашими книгами",
        "Файлы провайдеров рядом с нашими книгами",
        "Les fichiers des prestataires face à nos livres"
    )
    package static let exceptions = Text("Exceptions", "Розбіжності", "Расхождения", "Écarts")
    package static let nothingDiffers = Text("Nothing differs", "Усе сходиться", "Всё сходится", "Tout concorde")
    package static let nothingDiffersHint = Text(
        "What a provider's file says otherwise than our books would be here.",
        "Тут було б те, що файл провайдера каже інакше, ніж наші книги.",
        "Здесь было бы то, что файл провайдера говорит иначе, чем наши книги.",
        "Ici paraît ce qu'un fichier du prestataire dit autrement que nos livres."
    )
    package static let resolvedExceptions = Text("Resolved", "Вирішені", "Решённые", "Résolus")
    package static let nothingResolved = Text(
        "Nothing is resolved yet",
        "Ще нічого не вирішено",
        "Пока ничего не решено",
        "Rien n'est encore résolu"
    )
    package static let nothingResolvedHint = Text(
        "Exceptions that two persons resolved, or that ended by themselves, would be here.",
        "Тут були б розбіжності, які вирішили дві людини або які зникли самі.",
        "Здесь были бы расхождения, которые решили два человека или которые исчезли сами.",
        "Ici paraissent les écarts que deux personnes ont résolus, ou qui ont cessé d'eux-mêmes."
    )
    package static let settlementFiles = Text(
        "Settlement files",
        "Файли розрахунків",
        "Файлы расчётов",
        "Fichiers de règlement"
    )
    package static let noFiles = Text("No files yet", "Файлів ще немає", "Файлов ещё нет", "Pas encore de fichiers")
    package static let noFilesHint = Text(
        "Import one here, by the command line or over HTTP.",
        "Завантажте файл тут, командою або через HTTP.",
        "Загрузите файл здесь, командой или через HTTP.",
        "Importez-en un ici, par la commande ou par HTTP."
    )
    package static let bringFile = Text("Import a file", "Завантажити файл", "Загрузить файл", "Importer un fichier")
    package static let bringFileHint = Text(
        "As the provider gave it, packed or not, at most {most} MiB. The account's mapping tells how it is read; the days are those that the file is about, where it names no period.",
        "Такий, як його дав провайдер, стиснений чи ні, щонайбільше {most} МіБ. Як його читати, каже мапінг акаунта; дні – це період файлу, якщо сам він його не називає.",
        "Такой, каким его дал провайдер, сжатый или нет, не больше {most} МиБ. Как его читать, говорит маппинг аккаунта; дни – это период файла, если сам он его не называет.",
        "Tel que le prestataire l'a donné, compressé ou non, au plus {most} Mio. La table de correspondance du compte dit comment le lire ; les jours sont la période du fichier s'il n'en nomme pas."
    )
    package static let fileTooLarge = Text(
        "At most {most} MiB; the command line takes larger files.",
        "Щонайбільше {most} МіБ; більші файли приймає команда.",
        "Не больше {most} МиБ; большие файлы принимает команда.",
        "Au plus {most} Mio ; la commande prend les fichiers plus grands."
    )
    package static let takesPlaceOf = Text(
        "Takes the place of",
        "Замінює",
        "Заменяет",
        "Prend la place de"
    )
    package static let noOtherFile = Text(
        "No other file",
        "Жодного іншого файлу",
        "Никакого другого файла",
        "Aucun autre fichier"
    )
    package static let repeatedLines = Text("There before", "Були раніше", "Были раньше", "Déjà présentes")
    package static let file = Text("File", "Файл", "Файл", "Fichier")
    package static let fileImported = Text("Imported.", "Завантажено.", "Загружено.", "Importé.")
    package static let fileKnown = Text(
        "This file was here already; nothing changed.",
        "Цей файл уже був тут; нічого не змінилося.",
        "Этот файл уже был здесь; ничего не изменилось.",
        "Ce fichier était déjà là ; rien n'a changé."
    )
    package static let fileSuperseded = Text(
        "Another file took its place since: bring it once more as a correction of that one to go back to it.",
        "Відтоді його місце посів інший файл: щоб повернутися до нього, додайте його ще раз як виправлення того файлу.",
        "С тех пор его место занял другой файл: чтобы вернуться к нему, добавьте его ещё раз как исправление того файла.",
        "Un autre fichier a pris sa place depuis : déposez-le encore une fois comme correction de celui-ci pour y revenir."
    )
    package static let closedMonths = Text("Closed months", "Закриті місяці", "Закрытые месяцы", "Mois clôturés")
    package static let monthsHint = Text(
        "What is known later is booked in the first month that is open",
        "Пізніше відоме проводиться в першому відкритому місяці",
        "Узнанное позже проводится в первом открытом месяце",
        "Ce qu'on apprend plus tard est passé au premier mois ouvert"
    )
    package static let month = Text("Month", "Місяць", "Месяц", "Mois")
    package static let closeMonth = Text("Close the month", "Закрити місяць", "Закрыть месяц", "Clôturer le mois")
    package static let closeMonthHint = Text(
        "As in 2026-10. A closed month stays closed.",
        "Як-от 2026-10. Закритий місяць лишається закритим.",
        "Например, 2026-10. Закрытый месяц остаётся закрытым.",
        "Par exemple 2026-10. Un mois clôturé le reste."
    )
    package static let monthClosed = Text(
        "The month is closed.",
        "Місяць закрито.",
        "Месяц закрыт.",
        "Le mois est clôturé."
    )
    package static let closedAt = Text("Closed", "Закрито", "Закрыт", "Clôturé")
    package static let noMonths = Text(
        "No month is closed",
        "Жоден місяць не закрито",
        "Ни один месяц не закрыт",
        "Aucun mois n'est clôturé"
    )
    package static let noMonthsHint = Text(
        "A month can be closed once no day of it can grow any more.",
        "Місяць можна закрити, коли жоден його день уже не зросте.",
        "Месяц можно закрыть, когда ни один его день уже не вырастет.",
        "Un mois se clôture dès qu'aucun de ses jours ne peut plus croître."
    )
    package static let note = Text("Note", "Примітка", "Примечание", "Note")
    package static let lines = Text("Lines", "Рядки", "Строки", "Lignes")
    package static let matched = Text("Matched", "Зіставлено", "Сопоставлено", "Rapprochées")
    package static let assign = Text("Assign", "Призначити", "Назначить", "Attribuer")
    package static let assigned = Text(
        "It has an owner.",
        "Відповідального призначено.",
        "Ответственный назначен.",
        "Il a un responsable."
    )
    package static let proposed = Text(
        "Proposed; another person approves.",
        "Запропоновано; схвалює інша людина.",
        "Предложено; одобряет другой человек.",
        "Proposé ; une autre personne approuve."
    )
    package static let approved = Text("Approved.", "Схвалено.", "Одобрено.", "Approuvé.")
    package static let person = Text("Who", "Хто", "Кто", "Qui")
    package static let linkWith = Text("Link with", "Пов'язати з", "Связать с", "Lier à")
    package static let followFile = Text(
        "Adjust: the books follow the file",
        "Скоригувати: книги йдуть за файлом",
        "Скорректировать: книги следуют за файлом",
        "Ajuster : les livres suivent le fichier"
    )
    package static let disregardLine = Text(
        "Disregard the line",
        "Не зважати на рядок",
        "Не учитывать строку",
        "Ignorer la ligne"
    )
}

/// Words of reconciliation.
extension Words {
    package static let exceptionOrder: [String?] = [
        "missingHere", "missingThere", "amount", "fee", "currency", "duplicate", "unknownKind", "timing",
    ]
    package static let exception: [String: Text] = [
        "missingHere": Text("Missing here", "Немає в нас", "Нет у нас", "Absent chez nous"),
        "missingThere": Text("Missing there", "Немає в них", "Нет у них", "Absent chez eux"),
        "amount": Text("Amount differs", "Інша сума", "Другая сумма", "Autre montant"),
        "fee": Text("Fee differs", "Інша комісія", "Другая комиссия", "Autres frais"),
        "currency": Text("Currency differs", "Інша валюта", "Другая валюта", "Autre devise"),
        "duplicate": Text("Twice", "Двічі", "Дважды", "En double"),
        "timing": Text("On its way", "У дорозі", "В пути", "En route"),
        "unknownKind": Text("Unknown word", "Невідоме слово", "Неизвестное слово", "Mot inconnu"),
    ]
    package static let exceptionOutcome: [String: Text] = [
        "matched": Text("Matched", "Зіставлено", "Сопоставлено", "Rapproché"),
        "overdue": Text("Overdue", "Прострочено", "Просрочено", "En retard"),
        "superseded": Text("Superseded", "Замінено", "Заменено", "Remplacé"),
        "agreed": Text("Agreed", "Узгоджено", "Согласовано", "Convenu"),
        "linked": Text("Linked", "Пов'язано", "Связано", "Lié"),
        "adjusted": Text("Adjusted", "Скориговано", "Скорректировано", "Ajusté"),
        "disregarded": Text("Disregarded", "Не враховано", "Не учтено", "Ignoré"),
    ]
    package static let exceptionStep: [String: Text] = [
        "opened": Text("Opened", "Відкрито", "Открыто", "Ouvert"),
        "assigned": Text("Assigned", "Призначено", "Назначено", "Attribué"),
        "proposed": Text("Proposed", "Запропоновано", "Предложено", "Proposé"),
        "approved": Text("Approved", "Схвалено", "Одобрено", "Approuvé"),
    ]
}
