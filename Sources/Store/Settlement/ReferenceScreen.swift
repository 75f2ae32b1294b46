import EventSourcing
import Kernel
import Payments
import Postgres
import Projections
import Settlement

/// Keeps card numbers out of what is stored of a settlement file.
///
/// Providers name operations by long numbers, of which one in ten has a card's check digit. A name that is known here is none; any
/// other that could be a card's number is kept without its middle.
struct ReferenceScreen {
    let request: SettlementImport

    /// The shortest card number.
    private static let digits = 12

    /// How the names of lines are kept.
    func shown(_ lines: [SettlementLine], on connection: isolated PostgresConnection) async throws(PostgresFailure)
        -> (String) -> String
    {
        let names = Set(
            lines.flatMap { [$0.providerReference, $0.reference].compactMap(\.self) }.filter(Self.isSuspect)
        )
        guard !names.isEmpty else { return { $0 } }
        let known = try await connection.query(
            """
            SELECT n FROM unnest($3::text[]) AS n
             WHERE EXISTS (SELECT FROM paystream.movement m
                            WHERE m.merchant = $1 AND m.account = $2 AND m.provider_reference = n)
                OR EXISTS (SELECT FROM paystream.reference r WHERE r.merchant = $1 AND r.account = $2
                              AND r.kind IN ('payment', 'operation', 'order') AND r.value = n)
            """,
            [.int32(request.merchant.value), .uuid(request.account.id), .texts(names.sorted())]
        ) { row throws(PostgresFailure) in try row.text(0) }
        let hidden = names.subtracting(known)
        return { hidden.contains($0) ? Self.masked($0) : $0 }
    }

    private static func isSuspect(_ name: String) -> Bool {
        guard name.utf8.count >= digits else { return false }
        return CardGuard.containsCardNumber(name)
    }

    /// The first six and the last four digits of a number; of anything else nothing.
    private static func masked(_ name: String) -> String {
        guard name.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return CardGuard.removed
        }
        return "\(name.prefix(6))…\(name.suffix(4))"
    }
}
