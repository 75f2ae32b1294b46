import Payments

/// A way to pay that the form can be told to begin with, by the provider's own code.
struct PayerMethod: Hashable, Sendable {
    /// How the payer takes part.
    enum Scheme: String, Hashable, Sendable {
        /// The form asks for everything.
        case form
        /// The device's wallet confirms.
        case walletConfirmation
        /// The payer goes to the method's own page and comes back.
        case redirect
    }

    let code: String
    let scheme: Scheme
    /// `nil` leaves the question to the account.
    let currencies: Set<String>?
    /// Of the payer, by ISO 3166-1; `nil` is everywhere.
    let countries: Set<String>?
    let modes: Set<PaymentMode>
    /// Whether a series of debits can be registered with it.
    let recurs: Bool
}

/// The methods of the form, as versioned data; a code that is not here passes where the account lists it.
enum PayerMethods {
    static let version = 1

    static let applePay = "apple_pay_core"

    static func known(_ code: String) -> PayerMethod? { byCode[code] }

    static let all: [PayerMethod] = [
        PayerMethod(
            code: "card",
            scheme: .form,
            currencies: nil,
            countries: nil,
            modes: [.sale, .authorize, .verify, .tokenize],
            recurs: true
        ),
        PayerMethod(
            code: applePay,
            scheme: .walletConfirmation,
            currencies: ["EUR", "GBP", "USD"],
            countries: nil,
            modes: [.sale, .authorize, .verify],
            recurs: true
        ),
        PayerMethod(
            code: "google_pay_host",
            scheme: .walletConfirmation,
            currencies: nil,
            countries: nil,
            modes: [.sale, .authorize, .verify],
            recurs: true
        ), redirect("skrill-wallet"), redirect("neteller-wallet"), redirect("paypal-wallet"), redirect("klarna"),
        redirect("alipay", ["AUD", "CAD", "CNY", "EUR", "GBP", "HKD", "JPY", "SGD", "USD"]),
        redirect("doku", ["IDR"], ["ID"]), redirect("online-malaysian-banks", ["MYR"], ["MY"]),
        redirect("online-thailand-banks", ["THB"], ["TH"]), redirect("ideal", ["EUR"], ["NL"]),
        redirect("bancontact", ["EUR"], ["BE"]), redirect("sofort", ["EUR"]), redirect("blik", ["PLN"], ["PL"]),
    ]

    /// Groups by their codes: online banking in Europe.
    static let groups: [PayerMethod] = [redirect("openbanking", ["EUR", "GBP"])]

    private static let byCode = Dictionary((all + groups).map { ($0.code, $0) }) { first, _ in first }

    private static func redirect(
        _ code: String,
        _ currencies: Set<String>? = nil,
        _ countries: Set<String>? = nil
    ) -> PayerMethod {
        PayerMethod(
            code: code,
            scheme: .redirect,
            currencies: currencies,
            countries: countries,
            modes: [.sale],
            recurs: false
        )
    }
}
