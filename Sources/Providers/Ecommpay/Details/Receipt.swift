import Kernel
import ProviderKit

/// The receipt that the provider passes to the payer: Base64 of a JSON text with one position per item.
struct Receipt: Hashable {
    let encoded: String
    /// The sum of the positions, in minor units: by their amounts, and by their amounts times the quantities.
    ///
    /// The provider does not say whether an amount is that of one or of the line.
    let sums: Set<Int64>

    private enum Limits {
        static let nameCharacters = 255
        static let quantityDigits = 18
    }

    /// Reads items of the form `{name, amount, quantity?, taxRate?, taxAmount?}`, amounts in minor units.
    init?(_ items: [Json], path: String) throws(SchemaFailure) {
        guard !items.isEmpty else { return nil }
        var positions: [Json] = []
        var sum: Int64 = 0
        var product: Int64? = 0
        var taxes: Int64?
        for (index, item) in items.enumerated() {
            var object = try ClosedObject(item, path: "\(path).\(index)")
            guard let amount = try object.integer("amount", in: 0...Int64.max) else {
                throw object.failure("amount", "missing")
            }
            let (more, isTooMuch) = sum.addingReportingOverflow(amount)
            guard !isTooMuch else { throw object.failure("amount", "out_of_range") }
            sum = more
            let line = Self.product(amount, object.value("quantity"))
            product = line.flatMap { line in product.map { $0.addingReportingOverflow(line) } }
                .flatMap { $0.overflow ? nil : $0.partialValue }
            guard let name = try object.text("name", atMost: Details.Limits.textBytes), !name.isEmpty else {
                throw object.failure("name", "missing")
            }
            guard name.count <= Limits.nameCharacters else { throw object.failure("name", "too_long") }
            let quantity = try Self.decimal("quantity", &object)
            let taxRate = try Self.decimal("taxRate", &object)
            let taxAmount = try object.integer("taxAmount", in: 0...Int64.max)
            try object.end()
            if let taxAmount {
                let (sum, overflow) = (taxes ?? 0).addingReportingOverflow(taxAmount)
                guard !overflow else { throw object.failure("taxAmount", "out_of_range") }
                taxes = sum
            }
            positions.append(
                .compact([
                    ("amount", .integer(amount)), ("quantity", quantity), ("description", .string(name)),
                    ("tax", taxRate), ("tax_amount", taxAmount.map(Json.integer)),
                ])
            )
        }
        let receipt = Json.compact([
            ("positions", .array(positions)), ("total_tax_amount", taxes.map(Json.integer)),
        ])
        encoded = Base64.encode(receipt.compactBytes)
        sums = Set([sum, product].compactMap(\.self))
    }

    /// An amount times a quantity, where that is a whole number of minor units.
    private static func product(_ amount: Int64, _ quantity: Json?) -> Int64? {
        guard case .number(let number)? = quantity else { return amount }
        let parts = number.text.split(separator: ".", omittingEmptySubsequences: false)
        let fraction = parts.count > 1 ? parts[1] : ""
        guard parts.count <= 2, fraction.utf8.count <= Limits.quantityDigits, let digits = Int64(parts[0] + fraction)
        else { return nil }
        let (scaled, isTooMuch) = amount.multipliedReportingOverflow(by: digits)
        let unit = fraction.reduce(Int64(1)) { unit, _ in unit * 10 }
        return isTooMuch || scaled % unit != 0 ? nil : scaled / unit
    }

    /// A plain decimal number without sign and exponent, kept digit by digit.
    private static func decimal(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> Json? {
        guard let value = object.value(name) else { return nil }
        guard case .number(let number) = value else { throw object.failure(name, "not_a_number") }
        let isPlain = number.text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: ".") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isPlain, number.text.utf8.count <= Limits.quantityDigits else {
            throw object.failure(name, "out_of_range")
        }
        return value
    }
}
