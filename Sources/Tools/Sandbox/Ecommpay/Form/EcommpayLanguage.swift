/// The languages of the form; anything else is shown in English.
package enum EcommpayLanguage: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case russian = "ru"
    case spanish = "es"
    case italian = "it"
    case german = "de"
    case french = "fr"

    init(code: String?) { self = code.flatMap(EcommpayLanguage.init) ?? .english }

    /// The texts a payer reads.
    struct Words: Hashable, Sendable {
        let pay, verify, save, card, leave, paid, reserved, declined, working, tryAgain, back: String

        /// Takes the texts in the order of their names.
        fileprivate init(_ texts: [String]) {
            precondition(texts.count == 11, "a language has every text")
            (pay, verify, save, card, leave) = (texts[0], texts[1], texts[2], texts[3], texts[4])
            (paid, reserved, declined, working) = (texts[5], texts[6], texts[7], texts[8])
            (tryAgain, back) = (texts[9], texts[10])
        }
    }

    var words: Words {
        switch self {
        case .english:
            Words([
                "Pay", "Check the card", "Save the card", "Card", "Leave without paying", "Paid", "Amount reserved",
                "Not paid", "One moment, please", "You can try again", "Back to the shop",
            ])
        case .russian:
            Words([
                "Оплатить", "Проверить карту", "Сохранить карту", "Карта", "Уйти без оплаты", "Оплачено",
                "Сумма заблокирована", "Не оплачено", "Подождите, пожалуйста", "Можно попробовать ещё раз",
                "Вернуться в магазин",
            ])
        case .spanish:
            Words([
                "Pagar", "Comprobar la tarjeta", "Guardar la tarjeta", "Tarjeta", "Salir sin pagar", "Pagado",
                "Importe reservado", "No pagado", "Un momento, por favor", "Puede intentarlo de nuevo",
                "Volver a la tienda",
            ])
        case .italian:
            Words([
                "Paga", "Verifica la carta", "Salva la carta", "Carta", "Esci senza pagare", "Pagato",
                "Importo bloccato", "Non pagato", "Un momento, per favore", "Puoi riprovare", "Torna al negozio",
            ])
        case .german:
            Words([
                "Bezahlen", "Karte prüfen", "Karte speichern", "Karte", "Ohne Zahlung verlassen", "Bezahlt",
                "Betrag reserviert", "Nicht bezahlt", "Einen Moment, bitte", "Sie können es noch einmal versuchen",
                "Zurück zum Geschäft",
            ])
        case .french:
            Words([
                "Payer", "Vérifier la carte", "Enregistrer la carte", "Carte", "Quitter sans payer", "Payé",
                "Montant bloqué", "Non payé", "Un instant, s'il vous plaît", "Vous pouvez réessayer",
                "Retour à la boutique",
            ])
        }
    }
}
