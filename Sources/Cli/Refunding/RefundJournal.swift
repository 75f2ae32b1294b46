import Crypto
import EventSourcing
import Glibc
import Kernel
import SystemKit

/// What became of a line.
struct RefundResult: Hashable, Sendable {
    enum Outcome: String, Hashable, Sendable, CaseIterable {
        /// The provider gave it back.
        case refunded
        /// It was sent, and the provider has not said yet.
        case underWay
        /// The provider refused it.
        case failed
        /// The daemon refused it.
        case refused
        /// Nobody said what became of it; the next run asks again, under the same key.
        case unknown
        /// An earlier refund of its payment is under way, or unknown; the next run sends it.
        case waiting

        /// Whether another run would hear nothing else.
        var isFinal: Bool {
            switch self {
            case .refunded, .failed, .refused: true
            case .underWay, .unknown, .waiting: false
            }
        }

        /// Whether the money is on its way.
        var isGood: Bool {
            switch self {
            case .refunded, .underWay: true
            case .failed, .refused, .unknown, .waiting: false
            }
        }
    }

    let order: RefundOrder
    let outcome: Outcome
    let amount: Json?
    let code: String?
    let detail: String?

    init(_ order: RefundOrder, _ outcome: Outcome, amount: Json? = nil, code: String? = nil, _ detail: String? = nil) {
        self.order = order
        self.outcome = outcome
        self.amount = amount
        self.code = code
        self.detail = detail
    }

    /// Reads what a journal says of an order.
    init?(_ order: RefundOrder, json: Json) {
        guard let outcome = json["outcome"]?.text.flatMap({ Outcome(rawValue: $0) }) else { return nil }
        self.init(order, outcome, amount: json["amount"], code: json["code"]?.text, json["detail"]?.text)
    }

    var json: Json {
        .compact([
            ("line", .integer(Int64(order.line.number))), ("payment", order.payment.json),
            ("amount", amount ?? order.line.amount?.json), ("outcome", .string(outcome.rawValue)),
            ("code", code.map(Json.string)), ("detail", detail.map(Json.string)), ("key", .string(order.entry.key)),
        ])
    }
}

/// A file beside the refunds that keeps what became of each, a line of JSON for each answer: the last one of a key counts.
///
/// A line is of one command at one merchant: the same file sent elsewhere, or with another amount under the key, is not known here.
final class RefundJournal {
    private let path: String
    /// The daemon and the merchant that the refunds are sent to.
    private let house: String
    private var known: [String: Json] = [:]

    init(_ path: String, of house: String) {
        self.path = path
        self.house = house
        for line in (SmallFile.read(path) ?? []).split(separator: 0x0A) {
            // The last line of a run that was killed may be half a line.
            guard let json = try? Json(Array(line)), let key = json["key"]?.text else { continue }
            known[key] = json
        }
    }

    /// What is final of an earlier run.
    func result(of order: RefundOrder) -> RefundResult? {
        guard let json = known[order.entry.key], json["command"]?.text == command(of: order),
            let result = RefundResult(order, json: json), result.outcome.isFinal
        else { return nil }
        return result
    }

    /// What tells a command from another one under its key.
    private func command(of order: RefundOrder) -> String {
        let said: Json = [.string(house), order.payment.json, order.line.body]
        return String(Hex.encode(Digest.sha256(said.canonical)).prefix(32))
    }

    func keep(_ result: RefundResult) throws(CommandFailure) {
        guard var members = result.json.members else { return }
        members["command"] = .string(command(of: result.order))
        let json = Json.object(members)
        known[result.order.entry.key] = json
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure("the journal '\(path)' can't be written") }
        defer { close(descriptor) }
        // A half line of before ends here.
        let bytes = Array("\n\(json.canonicalText)\n".utf8)
        let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw CommandFailure("the journal '\(path)' can't be written") }
    }
}
