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
    package static let settlementFiles = Text(
        "Settlement files",
        "Файли розрахунків",
        "Файлы расчётов",
        "Fichiers de règlement"
    )
    package static let noFiles = Text("No files yet", "Файлів ще немає", "Файлов ещё нет", "Pas encore de fichiers")
    package static let noFilesHint = Text(
        "Files come by the command line or over HTTP.",
        "Файли надходять командою або через HTTP.",
        "Файлы поступают командой или через HTTP.",
        "Les fichiers arrivent par la commande ou par HTTP."
    )
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
