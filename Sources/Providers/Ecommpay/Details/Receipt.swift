import Kernel
import ProviderKit

/// The receipt that the provider passes to the payer: Base64 of a JSON text with one position per item.
enum Receipt {
    private enum Limits {
        static let nameCharacters = 255
        static let quantityDigits = 18
    }

    /// Reads items of the form `{name, amount, quantity?, taxRate?, taxAmount?}`, amounts in minor units.
    static func encode(_ items: [Json], path: String) throws(SchemaFailure) -> String? {
        guard !items.isEmpty else { return nil }
        var positions: [Json] = []
        var taxes: Int64?
        for (index, item) in items.enumerated() {
            var object = try ClosedObject(item, path: "\(path).\(index)")
            guard let amount = try object.integer("amount", in: 0...Int64.max) else {
                throw object.failure("amount", "missing")
            }
            guard let name = try object.text("name", atMost: Details.Limits.textBytes), !name.isEmpty else {
                throw object.failure("name", "missing")
            }
            guard name.count <= Limits.nameCharacters else { throw object.failure("name", "too_long") }
            let quantity = try decimal("quantity", &object)
            let taxRate = try decimal("taxRate", &object)
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
        return Base64.encode(receipt.compactBytes)
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
