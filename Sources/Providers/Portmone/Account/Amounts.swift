package import Kernel
import Payments

/// Decimal amounts in major units, as the gateway writes them: `50`, `1.01`, `-9`, numbers and texts alike.
package enum Amounts {
    /// The currency of bulk bills and of everything that comes back without one; its code is in the table.
    package static let hryvnia = Currency("UAH")

    /// The amount that a text states; `nil` where it states none.
    package static func read(_ text: String?, _ currency: Currency?) -> Money? {
        EvidenceAmount(decimal: text.map(Json.string), currency, isSigned: true).money
    }
}
