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
        let pay: String
        let verify: String
        let save: String
        let card: String
        let leave: String
        let paid: String
        let reserved: String
        let declined: String
        let working: String
        let tryAgain: String
        let back: String
    }

    var words: Words {
        switch self {
        case .english:
            Words(
                pay: "Pay",
                verify: "Check the card",
                save: "Save the card",
                card: "Card",
                leave: "Leave without paying",
                paid: "Paid",
                reserved: "Amount reserved",
                declined: "Not paid",
                working: "One moment, please",
                tryAgain: "You can try again",
                back: "Back to the shop"
            )
        case .russian:
            Words(
                pay: "Оплатить",
                verify: "Проверить карту",
                save: "Сохранить карту",
                card: "Карта",
                leave: "Уйти без оплаты",
                paid: "Оплачено",
                reserved: "Сумма заблокирована",
                declined: "Не оплачено",
                working: "Подождите, пожалуйста",
                tryAgain: "Можно попробовать ещё раз",
                back: "Вернуться в магазин"
            )
        case .spanish:
            Words(
                pay: "Pagar",
                verify: "Comprobar la tarjeta",
                save: "Guardar la tarjeta",
                card: "Tarjeta",
                leave: "Salir sin pagar",
                paid: "Pagado",
                reserved: "Importe reservado",
                declined: "No pagado",
                working: "Un momento, por favor",
                tryAgain: "Puede intentarlo de nuevo",
                back: "Volver a la tienda"
            )
        case .italian:
            Words(
                pay: "Paga",
                verify: "Verifica la carta",
                save: "Salva la carta",
                card: "Carta",
                leave: "Esci senza pagare",
                paid: "Pagato",
                reserved: "Importo bloccato",
                declined: "Non pagato",
                working: "Un momento, per favore",
                tryAgain: "Puoi riprovare",
                back: "Torna al negozio"
            )
        case .german:
            Words(
                pay: "Bezahlen",
                verify: "Karte prüfen",
                save: "Karte speichern",
                card: "Karte",
                leave: "Ohne Zahlung verlassen",
                paid: "Bezahlt",
                reserved: "Betrag reserviert",
                declined: "Nicht bezahlt",
                working: "Einen Moment, bitte",
                tryAgain: "Sie können es noch einmal versuchen",
                back: "Zurück zum Geschäft"
            )
        case .french:
            Words(
                pay: "Payer",
                verify: "Vérifier la carte",
                save: "Enregistrer la carte",
                card: "Carte",
                leave: "Quitter sans payer",
                paid: "Payé",
                reserved: "Montant bloqué",
                declined: "Non payé",
                working: "Un instant, s'il vous plaît",
                tryAgain: "Vous pouvez réessayer",
                back: "Retour à la boutique"
            )
        }
    }
}
