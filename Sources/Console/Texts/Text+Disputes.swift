/// Files about disputes.
extension Text {
    package static let answerBy = Text("Answer by", "Відповісти до", "Ответить до", "Répondre avant le")
    package static let deadlinePassed = Text(
        "The deadline has passed",
        "Строк минув",
        "Срок прошёл",
        "Le délai est passé"
    )
    package static let filesForBank = Text(
        "Files for the bank",
        "Файли для банку",
        "Файлы для банка",
        "Fichiers pour la banque"
    )
    package static let erasedFile = Text(
        "Erased with the payer's data",
        "Стерто з даними платника",
        "Стёрто с данными плательщика",
        "Effacé avec les données du payeur"
    )
    package static let bringDisputeFile = Text(
        "Add a file for the bank",
        "Додати файл для банку",
        "Добавить файл для банка",
        "Ajouter un fichier pour la banque"
    )
    package static let bringDisputeFileHint = Text(
        "PDF, PNG, JPEG or text, at most {most} KiB. It is kept sealed and sent to nobody.",
        "PDF, PNG, JPEG або текст, щонайбільше {most} КіБ. Зберігається запечатаним і нікому не надсилається.",
        "PDF, PNG, JPEG или текст, не больше {most} КиБ. Хранится запечатанным и никому не отправляется.",
        "PDF, PNG, JPEG ou texte, au plus {most} Kio. Il est gardé scellé et n'est envoyé à personne."
    )
    package static let disputeFileTooLarge = Text(
        "At most {most} KiB.",
        "Щонайбільше {most} КіБ.",
        "Не больше {most} КиБ.",
        "Au plus {most} Kio."
    )
    package static let nameOfFile = Text("Name", "Назва", "Название", "Nom")
    package static let nameOfFileHint = Text(
        "Left out, the file's own.",
        "Якщо порожньо, власна назва файлу.",
        "Если пусто, собственное имя файла.",
        "S'il est vide, celui du fichier."
    )
    package static let doneFile = Text(
        "The file is kept with the dispute.",
        "Файл збережено разом з оскарженням.",
        "Файл сохранён вместе со спором.",
        "Le fichier est gardé avec le litige."
    )
}
