import Crypto
import EventSourcing
import Http
import Kernel
import Payments
import Telemetry

/// One request of a proven caller, read as far as every endpoint needs it; a command of the SQL entrance makes the same.
struct Call: Sendable {
    let endpoint: Endpoint
    let path: PathParameters
    let caller: Caller
    /// Who speaks.
    let actor: Actor
    /// The client's key for this command; empty where it is none.
    let key: String
    let body: Json
    let trace: TraceContext
    let now: Timestamp
    var headers = HttpHeaders()
    /// `nil` where it can't be read.
    var query: [(name: String, value: String)]? = []
    /// A body that is read while it comes in.
    var upload: any BodyReader = WholeBody([])
    /// The payment of a link that it begins.
    var linked: LinkedPayment?

    var merchant: MerchantNumber { caller.merchant }

    /// The kind of stream of the payment or transfer that it is about.
    var kind: StreamKind { endpoint.isTransfer ? .transfer : .payment }

    /// The payment or transfer in the path; what is no id names none.
    func paymentId() throws(Problem) -> PaymentId {
        let id =
            path["transfer"].map { TransferId($0).map { PaymentId($0.uuid) } }
            ?? path["payment"].flatMap { PaymentId($0) }
        guard let id else { throw .unknownPayment }
        return id
    }

    /// The stream of a payment that this call is about.
    func stream(of id: PaymentId) -> StreamName { StreamName(merchant, kind, id.uuid) }

    var correlation: String? { headers["Correlation-Id"] }

    /// Refuses a correlation id that could not be written into a log line.
    static func checkCorrelation(of headers: HttpHeaders) throws(Problem) {
        guard let correlation = headers["Correlation-Id"] else { return }
        guard !correlation.isEmpty, correlation.utf8.count <= Limits.identifierBytes,
            correlation.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else {
            throw Problem(.headerInvalid, "A correlation id is printable ASCII.", path: "Correlation-Id")
        }
    }

    // MARK: Idempotency

    /// The one key that a command's headers hold.
    static func key(of headers: HttpHeaders) throws(Problem) -> String {
        let keys = headers.all("Idempotency-Key")
        guard let key = keys.first else {
            throw Problem(
                .idempotencyKeyMissing,
                "A command carries an Idempotency-Key, so that it can be repeated.",
                path: "Idempotency-Key"
            )
        }
        guard keys.count == 1 else { throw invalidKey }
        try check(key: key)
        return key
    }

    static func check(key: String) throws(Problem) {
        guard !key.isEmpty, key.utf8.count <= Limits.idempotencyKeyBytes,
            key.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw invalidKey }
    }

    private static var invalidKey: Problem {
        Problem(
            .idempotencyKeyInvalid,
            "One key of 1 to \(Limits.idempotencyKeyBytes) printable ASCII characters without spaces.",
            path: "Idempotency-Key"
        )
    }

    /// The id of the input that the command becomes.
    var inputId: Uuid { DerivedNames.input(merchant, key: key) }

    /// A command for a stream, ready for submission.
    ///
    /// The fingerprint is what the client said, and of which thing.
    func submission(
        _ stream: StreamName,
        _ name: String,
        _ stored: [UInt8],
        account: Uuid? = nil,
        route: RouteReference? = nil
    ) -> Submission {
        let target = path.pairs.map { ($0.name, Json.string($0.value)) }
        return Submission(
            merchant: merchant,
            key: key,
            stream: stream,
            name: name,
            body: stored,
            fingerprint: ["body": body, "name": .string(name), "target": .object(JsonObject(target))],
            actor: actor,
            account: account,
            route: route,
            traceparent: trace.traceparent,
            correlation: correlation,
            versions: Preconditions.versions(meantBy: headers)
        )
    }

    // MARK: Waiting

    /// How long the client wants to wait for the outcome: `Prefer: wait=N`, at most `Limits.waitSeconds`.
    ///
    /// A preference that can't be read is ignored, as its standard has it.
    var wait: Duration? {
        for field in headers.all("Prefer") {
            for preference in field.split(separator: ",") {
                let halves = preference.split(separator: "=", maxSplits: 1).map { $0.trimmed }
                guard halves.count == 2, HttpHeaders.isSame(halves[0], "wait"), let seconds = Int(halves[1]),
                    seconds >= 0
                else { continue }
                return .seconds(min(seconds, Limits.waitSeconds))
            }
        }
        return nil
    }
}

extension HttpHeaders {
    /// The type of the body, without parameters; `nil` where nothing is said or its text is in another charset than UTF-8.
    var mediaType: String? {
        let parts = (self["Content-Type"] ?? "").split(separator: ";", omittingEmptySubsequences: false).map(\.trimmed)
        for parameter in parts.dropFirst() {
            let pair = parameter.split(separator: "=", maxSplits: 1).map(\.trimmed)
            guard pair.count == 2, HttpHeaders.isSame(pair[0], "charset") else { continue }
            guard HttpHeaders.isSame(pair[1].filter { $0 != "\"" }, "utf-8") else { return nil }
        }
        return parts.first
    }
}

extension Substring {
    /// Without spaces and tabs around it.
    var trimmed: String {
        let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
        var bytes = utf8[...]
        while let first = bytes.first, isSpace(first) { bytes.removeFirst() }
        while let last = bytes.last, isSpace(last) { bytes.removeLast() }
        return String(Substring(bytes))
    }
}

extension Problem {
    static var unknownPayment: Problem { Problem(.paymentUnknown, "There is no such payment.") }
}
