import EventSourcing
import Http
import Kernel
import Telemetry

/// Refuses card data in any part of a merchant's request before anything is stored, naming where it stood.
enum CardScreen {
    /// Headers that hold a secret of ours or a number with a meaning of its own.
    private static let exemptHeaders = ["Authorization", "Content-Length", "Date", "If-None-Match"]

    /// Looks through path, query and headers.
    static func check(_ request: HttpRequest, _ path: PathParameters) throws(Problem) {
        for pair in path.pairs where !isIdentifier(pair.value) {
            try refuse(CardGuard.scan(pairs: [pair]), in: "path")
        }
        let query = (request.query ?? []).filter { !isIdentifier($0.value) }
        try refuse(CardGuard.scan(pairs: query), in: "query")
        let headers = request.headers.fields.filter { field in
            if exemptHeaders.contains(where: { HttpHeaders.isSame($0, field.name) }) { return false }
            if HttpHeaders.isSame(field.name, "traceparent") { return TraceContext(traceparent: field.value) == nil }
            return !isIdentifier(field.value)
        }
        try refuse(CardGuard.scan(pairs: headers.map { (name: $0.name, value: $0.value) }), in: "headers")
    }

    /// Secrets of an account are sealed before anything else sees them, and are no card numbers.
    private static let secrets: Set<JsonPath> = ["secrets.*"]

    /// Looks through a body; ids of ours are passed over where they have the form of one.
    ///
    /// What an app brings from its provider's SDK may hold that provider's identifiers and tokens, which are passed over, too.
    static func check(_ body: Json, of route: Route, passing identifiers: Set<JsonPath>) throws(Problem) {
        var seen = body
        for path in route.identifiers {
            seen = seen.replacing(path) { value, _ in value.text.map(isIdentifier) == true ? .null : value }
        }
        // A bank account's number can look like a card's; its own check digits tell it apart.
        if route == .checkFields {
            seen = seen.replacing("values.*") { value, _ in value.text.map(isAccountNumber) == true ? .null : value }
        }
        let exempt: Set<JsonPath> =
            switch route {
            case .configureAccount: secrets
            case .confirmPayment, .confirmTransfer: identifiers
            default: []
            }
        try refuse(CardGuard.scan(seen, exempt: exempt), in: nil)
    }

    /// Looks through a body whose exempt members are read by nobody but the provider.
    static func check(_ body: Json, exempt: Set<JsonPath>) throws(Problem) {
        var seen = body
        for path: JsonPath in ["instrument", "credentials"] {
            seen = seen.replacing(path) { value, _ in value.text.map(isIdentifier) == true ? .null : value }
        }
        try refuse(CardGuard.scan(seen, exempt: exempt), in: nil)
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

    /// A UUID, alone or behind a prefix of ours: its digits are no card number.
    static func isIdentifier(_ text: String) -> Bool {
        if Uuid(text) != nil { return true }
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "_")) else { return false }
        return text.utf8[..<mark].allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            && Uuid(text[text.utf8.index(after: mark)...]) != nil
    }
}
