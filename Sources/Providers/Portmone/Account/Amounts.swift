import Kernel
import Payments

/// Decimal amounts in major units, as the gateway writes them: `50`, `1.01`, `-9`, numbers and texts alike.
enum Amounts {
    /// The currency of bulk bills and of everything that comes back without one; its code is in the table.
    static let hryvnia = Currency("UAH")

    /// Reads exact decimal text; `nil` where it is none, or finer than the currency.
    static func read(_ text: String?, _ currency: Currency?) -> Money? {
        guard let text, let currency else { return nil }
        return try? Money(decimal: text, currency)
    }

    /// The amount without its sign: refunds come as negative rows.
    static func magnitude(_ money: Money) -> Money? {
        guard money.minor < 0 else { return money }
        return money.minor == .min ? nil : Money(-money.minor, money.currency)
    }
}
