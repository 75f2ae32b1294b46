/// What a person may do, and what came of it.
extension Text {
    package static let actions = Text("Actions", "Дії", "Действия", "Actions")
    package static let capture = Text("Capture", "Списати", "Списать", "Encaisser")
    package static let captureHint = Text(
        "Takes what is held, whole or in part.",
        "Списує утримане, повністю або частково.",
        "Списывает удержанное, полностью или частично.",
        "Prend ce qui est réservé, en tout ou partie."
    )
    package static let void = Text("Void", "Скасувати", "Отменить", "Annuler")
    package static let voidHint = Text(
        "Gives the hold back, or cancels a payment that nobody has paid.",
        "Звільняє утримане або скасовує неоплачений платіж.",
        "Освобождает удержанное или отменяет неоплаченный платёж.",
        "Libère la réserve, ou annule un paiement que personne n'a payé."
    )
    package static let refund = Text("Refund", "Повернути", "Вернуть", "Rembourser")
    package static let refundHint = Text(
        "Gives captured money back to the payer.",
        "Повертає списані гроші платнику.",
        "Возвращает списанные деньги плательщику.",
        "Rend l'argent encaissé au payeur."
    )
    package static let sync = Text(
        "Ask the provider",
        "Запитати провайдера",
        "Спросить провайдера",
        "Interroger le prestataire"
    )
    package static let syncHint = Text(
        "Asks how the payment stands; moves no money.",
        "Запитує стан платежу; грошей не рухає.",
        "Спрашивает о состоянии платежа; денег не двигает.",
        "Demande où en est le paiement ; ne déplace pas d'argent."
    )
    package static let recordDispute = Text(
        "Record a dispute",
        "Записати оскарження",
        "Записать спор",
        "Noter un litige"
    )
    package static let recordDisputeHint = Text(
        "The payer's bank has taken money back while the case is open.",
        "Банк платника забрав гроші, доки справу відкрито.",
        "Банк плательщика забрал деньги, пока дело открыто.",
        "La banque du payeur a repris l'argent tant que le cas est ouvert."
    )
    package static let disputeWon = Text("Dispute won", "Оскарження виграно", "Спор выигран", "Litige gagné")
    package static let disputeLost = Text("Dispute lost", "Оскарження програно", "Спор проигран", "Litige perdu")
    package static let disputeEndHint = Text(
        "Records how the bank decided.",
        "Записує рішення банку.",
        "Записывает решение банка.",
        "Note la décision de la banque."
    )
    package static let addEvidence = Text(
        "Add evidence",
        "Додати доказ",
        "Добавить доказательство",
        "Ajouter une preuve"
    )
    package static let addEvidenceHint = Text(
        "What you found out beside the log. It decides nothing by itself.",
        "Що ви з'ясували поза журналом. Само по собі нічого не вирішує.",
        "Что вы выяснили вне журнала. Само по себе ничего не решает.",
        "Ce que vous avez appris hors du journal. Ne décide rien à lui seul."
    )
    package static let propose = Text(
        "Propose a resolution",
        "Запропонувати рішення",
        "Предложить решение",
        "Proposer une résolution"
    )
    package static let proposeHint = Text(
        "Settles what no provider can tell. Another person has to approve it.",
        "Вирішує те, чого не скаже жоден провайдер. Має схвалити інша людина.",
        "Решает то, чего не скажет ни один провайдер. Должен одобрить другой человек.",
        "Règle ce qu'aucun prestataire ne peut dire. Une autre personne doit l'approuver."
    )
    package static let approve = Text(
        "Approve the proposal",
        "Схвалити пропозицію",
        "Одобрить предложение",
        "Approuver la proposition"
    )
    package static let approveHint = Text(
        "You must be another person than who proposed it, with a key of your own.",
        "Ви маєте бути іншою людиною, ніж автор, з власним ключем.",
        "Вы должны быть другим человеком, чем автор, с собственным ключом.",
        "Vous devez être une autre personne que l'auteur, avec votre propre clé."
    )
    package static let verdict = Text("Verdict", "Рішення", "Решение", "Verdict")
    package static let verdictAmountHint = Text(
        "Only where the operation succeeded.",
        "Лише якщо операція вдалася.",
        "Только если операция удалась.",
        "Seulement si l'opération a réussi."
    )
    package static let proposedBy = Text("Proposed by", "Запропонував", "Предложил", "Proposé par")

    package static let doneCapture = Text(
        "The capture is on its way.",
        "Списання в дорозі.",
        "Списание в пути.",
        "Encaissement lancé."
    )
    package static let doneVoid = Text(
        "The void is on its way.",
        "Скасування в дорозі.",
        "Отмена в пути.",
        "Annulation lancée."
    )
    package static let doneRefund = Text(
        "The refund is on its way.",
        "Повернення в дорозі.",
        "Возврат в пути.",
        "Remboursement lancé."
    )
    package static let doneSync = Text(
        "The provider is asked.",
        "Провайдера запитано.",
        "Провайдер опрошен.",
        "Prestataire interrogé."
    )
    package static let doneEvidence = Text(
        "The evidence is kept.",
        "Доказ збережено.",
        "Доказательство сохранено.",
        "Preuve conservée."
    )
    package static let donePropose = Text(
        "Proposed. Another person approves it.",
        "Запропоновано. Схвалює інша людина.",
        "Предложено. Одобряет другой человек.",
        "Proposé. Une autre personne approuve."
    )
    package static let doneApprove = Text(
        "Approved and applied.",
        "Схвалено й застосовано.",
        "Одобрено и применено.",
        "Approuvé et appliqué."
    )
    package static let doneDispute = Text(
        "The dispute is recorded.",
        "Оскарження записано.",
        "Спор записан.",
        "Litige noté."
    )
}
