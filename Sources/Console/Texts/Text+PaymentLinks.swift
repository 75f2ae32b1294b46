/// What payers read on the page of a payment link.
extension Text {
    package static let linkPay = Text("Payment", "Оплата", "Оплата", "Paiement")
    package static let linkPayee = Text("You pay", "Ви платите", "Вы платите", "Vous payez")
    package static let linkHow = Text(
        "How do you want to pay?",
        "Як ви хочете заплатити?",
        "Как вы хотите заплатить?",
        "Comment voulez-vous payer ?"
    )
    package static let linkEmail = Text(
        "Your e-mail",
        "Ваша електронна пошта",
        "Ваша электронная почта",
        "Votre adresse e-mail"
    )
    package static let linkEmailHint = Text(
        "For the receipt, and for your bank's check.",
        "Для квитанції та перевірки вашим банком.",
        "Для квитанции и проверки вашим банком.",
        "Pour le reçu et le contrôle de votre banque."
    )
    package static let linkNoCard = Text(
        "You enter card data on the provider's page, never here.",
        "Дані картки ви вводите на сторінці провайдера, а не тут.",
        "Данные карты вы вводите на странице провайдера, а не здесь.",
        "Les données de carte se saisissent chez le prestataire, jamais ici."
    )
    package static let linkUntil = Text(
        "Payable until",
        "Можна сплатити до",
        "Можно оплатить до",
        "À payer avant le"
    )
    package static let linkFailed = Text(
        "The last attempt did not go through and took no money. You can try again.",
        "Остання спроба не вдалася, гроші не списано. Ви можете спробувати ще раз.",
        "Последняя попытка не удалась, деньги не списаны. Вы можете попробовать ещё раз.",
        "La dernière tentative a échoué et rien n'a été débité. Vous pouvez réessayer."
    )
    package static let linkLanguage = Text("Language", "Мова", "Язык", "Langue")

    // MARK: What became of it

    package static let linkPaid = Text("Paid", "Сплачено", "Оплачено", "Payé")
    package static let linkPaidHint = Text(
        "Thank you. Nothing is left to do.",
        "Дякуємо. Більше нічого робити не треба.",
        "Спасибо. Больше ничего делать не нужно.",
        "Merci. Il n'y a plus rien à faire."
    )
    package static let linkGoing = Text(
        "We take you to the payment page",
        "Переходимо на сторінку оплати",
        "Переходим на страницу оплаты",
        "Vous allez vers la page de paiement"
    )
    package static let linkPending = Text(
        "Your payment is under way",
        "Ваш платіж обробляється",
        "Ваш платёж обрабатывается",
        "Votre paiement est en cours"
    )
    package static let linkPendingHint = Text(
        "This page shows the result by itself.",
        "Ця сторінка сама покаже результат.",
        "Эта страница сама покажет результат.",
        "Cette page affiche le résultat d'elle-même."
    )
    package static let linkContinue = Text(
        "Continue to the payment page",
        "Перейти на сторінку оплати",
        "Перейти на страницу оплаты",
        "Continuer vers la page de paiement"
    )
    package static let linkUnknown = Text(
        "We are asking the provider",
        "Ми запитуємо провайдера",
        "Мы спрашиваем провайдера",
        "Nous interrogeons le prestataire"
    )
    package static let linkUnknownHint = Text(
        "It is not known yet whether money was taken. Please don't pay another way; the result will be shown here.",
        "Ще невідомо, чи списано гроші. Будь ласка, не платіть іншим способом: результат з'явиться тут.",
        "Ещё неизвестно, списаны ли деньги. Пожалуйста, не платите другим способом: результат появится здесь.",
        "On ne sait pas encore si l'argent a été débité. Ne payez pas autrement : le résultat s'affichera ici."
    )

    // MARK: What can't be paid

    package static let linkDeactivated = Text(
        "This link is switched off",
        "Це посилання вимкнено",
        "Эта ссылка отключена",
        "Ce lien est désactivé"
    )
    package static let linkExpired = Text(
        "This link has expired",
        "Термін дії посилання минув",
        "Срок действия ссылки истёк",
        "Ce lien a expiré"
    )
    package static let linkExhausted = Text(
        "Too many attempts failed",
        "Забагато невдалих спроб",
        "Слишком много неудачных попыток",
        "Trop de tentatives ont échoué"
    )
    package static let linkUnserved = Text(
        "This can't be paid just now",
        "Зараз це не можна сплатити",
        "Сейчас это нельзя оплатить",
        "Le paiement n'est pas possible pour le moment"
    )
    package static let linkClosedHint = Text(
        "Nothing was taken. Ask for another link if you still want to pay.",
        "Нічого не списано. Якщо ви ще хочете заплатити, попросіть інше посилання.",
        "Ничего не списано. Если вы ещё хотите заплатить, попросите другую ссылку.",
        "Rien n'a été débité. Demandez un autre lien si vous voulez toujours payer."
    )
    package static let linkNowhere = Text(
        "There is no such payment link",
        "Такого посилання на оплату немає",
        "Такой ссылки на оплату нет",
        "Ce lien de paiement n'existe pas"
    )
    package static let linkNowhereHint = Text(
        "Check the address, or ask whoever sent it to you.",
        "Перевірте адресу або запитайте того, хто її надіслав.",
        "Проверьте адрес или спросите того, кто её прислал.",
        "Vérifiez l'adresse, ou demandez à la personne qui vous l'a envoyée."
    )
    package static let linkTooMany = Text(
        "Too many requests at once",
        "Забагато запитів одночасно",
        "Слишком много запросов сразу",
        "Trop de demandes à la fois"
    )
    package static let linkTooManyHint = Text(
        "Wait a moment and open the page again.",
        "Зачекайте трохи й відкрийте сторінку ще раз.",
        "Подождите немного и откройте страницу ещё раз.",
        "Patientez un instant et rouvrez la page."
    )
    package static let linkForeign = Text(
        "This form was not sent from this page",
        "Форму надіслано не з цієї сторінки",
        "Форма отправлена не с этой страницы",
        "Ce formulaire ne vient pas de cette page"
    )
    package static let linkForeignHint = Text(
        "Nothing was done. Open the link again.",
        "Нічого не зроблено. Відкрийте посилання ще раз.",
        "Ничего не сделано. Откройте ссылку ещё раз.",
        "Rien n'a été fait. Rouvrez le lien."
    )
    package static let linkEmailWrong = Text(
        "Please check your e-mail address.",
        "Будь ласка, перевірте адресу електронної пошти.",
        "Пожалуйста, проверьте адрес электронной почты.",
        "Vérifiez votre adresse e-mail."
    )
    package static let linkRefused = Text(
        "It can't be paid this way just now. Choose another way, or try again later.",
        "Зараз так заплатити не можна. Виберіть інший спосіб або спробуйте пізніше.",
        "Сейчас так заплатить нельзя. Выберите другой способ или попробуйте позже.",
        "Ce moyen n'est pas possible pour le moment. Choisissez-en un autre ou réessayez plus tard."
    )
    package static let linkBack = Text("Back", "Повернутися", "Вернуться", "Retour")
}
