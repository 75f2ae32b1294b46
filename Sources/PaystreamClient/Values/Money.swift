/// Whole minor units of a currency: 19.99 EUR is 1999, 100 JPY is 100, 1.500 KWD is 1500.
public struct Money: Codable, Hashable, Sendable {
    public var value: Int64
    /// A code of ISO 4217, in capitals.
    public var currency: String

    public init(_ value: Int64, _ currency: String) {
        self.value = value
        self.currency = currency
    }
}
