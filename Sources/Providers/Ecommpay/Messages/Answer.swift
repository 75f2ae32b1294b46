import Kernel
import Payments

/// An answer of Gate, and its word about the request that it answers.
package enum Answer: Hashable {
    /// Taken for execution; nothing is executed yet as far as we know.
    case accepted
    /// A status request was answered with a payment.
    case answered
    /// Refused for good, nothing was executed.
    case rejected(code: String?)
    /// Our id is known already; the earlier request decides.
    case duplicate(code: String)
    /// Credentials or settings; nothing was executed.
    case configuration(code: String?)
    /// The platform does not know the payment (yet).
    case notFound
    /// It may or may not have been executed.
    case unknown(reason: String)

    /// Reads an answer; `body` is `nil` where it is no JSON object.
    ///
    /// 1. 408, 429, 5xx and what can't be read say nothing,
    /// 2. then codes that have a meaning of their own, then any refusal,
    /// 3. then what a status request asks for, then an acceptance.
    init(status: Int, body: Json?, isQuery: Bool) {
        guard let body, body.members != nil else {
            self = .unknown(reason: "unreadable answer, HTTP \(status)")
            return
        }
        guard status != 408, status != 429, !(500...599).contains(status) else {
            self = .unknown(reason: "HTTP \(status)")
            return
        }
        let codes = Self.codes(body)
        let number = codes.lazy.compactMap(CodeTable.number)
        let word = body["status"]?.text.map(Words.normalized)
        if let duplicate = codes.first(where: { Self.duplicates.contains($0) }) {
            self = .duplicate(code: duplicate)
        } else if codes.contains(where: { Self.configurations.contains($0) }) || status == 401 || status == 403 {
            self = .configuration(code: codes.first)
        } else if isQuery, number.contains(Self.notFoundCode) {
            self = .notFound
        } else if word == "error" || (400...499).contains(status) {
            self = .rejected(code: codes.first)
        } else if isQuery, body["payment"]?.members != nil {
            self = .answered
        } else if status == 200, word == "success" {
            self = .accepted
        } else {
            self = .unknown(reason: "HTTP \(status) without a verdict")
        }
    }

    /// The codes of the answer: its own, then those of `errors`, which beside a payment speak of its operations.
    private static func codes(_ body: Json) -> [String] {
        guard body["payment"]?.members == nil else { return [body["code"]?.scalarText].compactMap(\.self) }
        let listed = (body["errors"]?.items ?? []).prefix(16).compactMap { $0["code"]?.scalarText }
        return [body["code"]?.scalarText].compactMap(\.self) + listed
    }

    private static let duplicates: Set<String> = ["1434", "3041", "3182", "3230", "3613"]
    private static let configurations: Set<String> = ["3261", "3262", "303", "310", "318", "2442"]
    private static let notFoundCode: Int32 = 3061
}
