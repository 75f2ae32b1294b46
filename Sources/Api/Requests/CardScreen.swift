import EventSourcing
package import Http
import Kernel
import Projections
import ProviderKit
import Telemetry

/// Refuses card data in any part of a merchant's request before anything is stored, naming where it stood.
package enum CardScreen {
    /// Headers that hold a secret of ours or a number with a meaning of its own.
    private static let exemptHeaders = ["Authorization", "Content-Length", "Date", "If-None-Match"]

    /// Looks through a path; ids of ours, and the names that providers know our payments by, are no card numbers.
    static func check(_ path: PathParameters) throws(Problem) {
        for pair in path.pairs where !isIdentifier(pair.value) && !isProviderReference(pair.value) {
            try refuse(CardGuard.scan(pairs: [pair]), in: "path")
        }
    }

    /// A UUID in Base32, as `PaymentDraft.reference` writes it.
    private static func isProviderReference(_ text: String) -> Bool {
        text.utf8.count == 26
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                    || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(byte)
            }
    }

    /// Looks through path, query and headers.
    package static func check(_ request: HttpRequest, _ path: PathParameters) throws(Problem) {
        try check(path)
        // A provider's number for a payment may look like a card's; what it is looked for by is kept nowhere.
        let query = (request.query ?? []).filter { !isIdentifier($0.value) && $0.name != providerReference }
        try refuse(CardGuard.scan(pairs: query, references: references), in: "query")
        let headers = request.headers.fields.filter { field in
            if exemptHeaders.contains(where: { HttpHeaders.isSame($0, field.name) }) { return false }
            if HttpHeaders.isSame(field.name, "traceparent") { return TraceContext(traceparent: field.value) == nil }
            return !isIdentifier(field.value)
        }
        let pairs = headers.map { field in
            (name: named.first { HttpHeaders.isSame($0, field.name) } ?? field.name, value: field.value)
        }
        try refuse(CardGuard.scan(pairs: pairs, references: references), in: "headers")
    }

    /// Where a merchant writes its own names for things.
    private static let references = Set<JsonPath>(["reference", "customer", "recurring.reference"])
        .union(named.map { JsonPath($0) })
    private static let providerReference = "providerReference"
    private static let named = ["Idempotency-Key", "Correlation-Id"]

    /// Secrets of an account are sealed before anything else sees them, and are no card numbers.
    private static let secrets: Set<JsonPath> = ["secrets.*"]

    /// Looks through a body; ids of ours are passed over where they have the form of one.
    ///
    /// Identifiers that any provider has made are passed over where adapters declare that clients give them.
    static func check(_ body: Json, of endpoint: Endpoint, passing adapters: AdapterRegistry) throws(Problem) {
        var seen = body
        for path in endpoint.identifiers {
            seen = seen.replacing(path) { value, _ in value.text.map(isIdentifier) == true ? .null : value }
        }
        let exempt: Set<JsonPath>
        switch endpoint.exempt {
        case .commands: exempt = adapters.commandIdentifiers
        case .claims: exempt = adapters.identifierPaths.union(adapters.claimIdentifiers)
        case .settings: exempt = secrets.union(adapters.given.settings.map { $0.below("settings") })
        case .members(let members): exempt = members
        case .fields:
            // A bank account's number can look like a card's; its own check digits tell it apart.
            seen = seen.replacing("values.*") { value, _ in
                value.text.map(isAccountNumber) == true ? .null : value
            }
            exempt = adapters.commandIdentifiers
        }
        try refuse(CardGuard.scan(seen, exempt: exempt, references: references), in: nil)
    }

    /// Looks through a key that came without headers.
    static func check(key: String) throws(Problem) {
        let name = "Idempotency-Key"
        guard !isIdentifier(key) else { return }
        try refuse(CardGuard.scan(pairs: [(name: name, value: key)], references: references), in: "headers")
    }

    /// Looks through a command's details by what the adapters declare that may read them.
    static func check(details: Json, for declarations: [Declaration]) throws(Problem) {
        let exempt = declarations.reduce(into: Set<JsonPath>()) { $0.formUnion($1.given.details) }
        try refuse(CardGuard.scan(details, exempt: exempt), in: "details")
    }

    /// Tells whether a page of bills holds none; `bills` are the paths of a bill's identifiers.
    static func isClean(page: [UInt8], bills: Set<JsonPath>) -> Bool {
        page.split(separator: 0x0A).allSatisfy { line in
            guard let bill = try? Json(Array(line)) else { return CardGuard.scan(bytes: Array(line)).isEmpty }
            return CardGuard.scan(bill, exempt: bills).isEmpty
        }
    }

    /// Looks through a body whose exempt members are read by nobody but the provider.
    static func check(_ body: Json, exempt: Set<JsonPath>) throws(Problem) {
        var seen = body
        for path: JsonPath in ["instrument", "credentials"] {
            seen = seen.replacing(path) { value, _ in value.text.map(isIdentifier) == true ? .null : value }
        }
        try refuse(CardGuard.scan(seen, exempt: exempt, references: references), in: nil)
    }

    /// Looks through the fields of a form that a page of ours was sent.
    package static func check(form: [(name: String, value: String)]) throws(Problem) {
        try refuse(CardGuard.scan(pairs: form.filter { !isIdentifier($0.value) }, references: references), in: nil)
    }

    private static func refuse(_ findings: [CardFinding], in part: String?) throws(Problem) {
        guard let finding = findings.first else { return }
        let path = (part.map { [$0] } ?? []) + finding.path.steps
        throw Problem(
            .cardDataRefused,
            "Card data does not enter here: card numbers stay in the provider's form or SDK.",
            path: path.joined(separator: "."),
            members: [("finding", .string(finding.kind.rawValue))]
        )
    }

    /// Two capital letters, then digits and capital letters in groups, and the right check digits.
    private static func isAccountNumber(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: " ") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        }
        return isPlain && Iban.isSound(text)
    }

    /// A UUID, alone or behind a prefix of ours, or the id of an event: its digits are no card number.
    static func isIdentifier(_ text: String) -> Bool {
        if Uuid(text) != nil || PublicEventId(text) != nil { return true }
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "_")) else { return false }
        return text.utf8[..<mark].allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            && Uuid(text[text.utf8.index(after: mark)...]) != nil
    }
}
