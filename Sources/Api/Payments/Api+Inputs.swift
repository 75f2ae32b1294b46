import EventSourcing
import Http
import Kernel
import Payments

/// The raw exchange behind an event.
extension Api {
    /// Shows what came in and caused events of a payment, as it is kept; each reading is recorded.
    func paymentInput(_ call: Call) async throws(Problem) -> HttpResponse {
        let id = try call.paymentId()
        let found = try await snapshot(id, call)
        let unknown = Problem(.inboxUnknown, "Nothing of this id caused an event of the payment.")
        guard let input = call.path["input"].flatMap({ InputId($0) })?.uuid,
            found.events.contains(where: { $0.cause == input })
        else { throw unknown }
        let record = try await asked { () async throws(StoreFailure) in
            try await reader.tables.input(input, merchant: call.merchant)
        }
        guard let record else { throw unknown }
        try await recordAccess("raw_input", call.stream(of: id), call)
        return HttpResponse.json(200, InputResource.json(record)).with(found.payment.account?.mode)
    }
}

/// An input as the API shows it: the bytes as they are kept, sealed values named and not shown.
package enum InputResource {
    static func json(_ record: InputRecord) -> Json {
        let json = try? Json(record.body)
        let open = json?.withoutSealed
        let isSealed = json != open
        let text = String(validating: record.body, as: UTF8.self)
        let body: Json = isSealed ? .string(open?.canonicalText ?? "") : .string(text ?? Base64.encode(record.body))
        return .compact([
            ("id", InputId(record.id).json), ("object", "input"), ("kind", .string("\(record.kind)")),
            ("name", .string(record.name)), ("receivedAt", record.receivedAt.json),
            ("meta", (try? Json(record.meta))?.withoutSealed ?? .null), ("body", body),
            ("encoding", text == nil ? "base64" : "text"), ("isSealed", .bool(isSealed)),
        ])
    }

    static let schema = Schema.object(
        [
            ("id", Schema.id("in")), ("object", ["type": "string", "const": "input"]),
            ("kind", Schema.words(InputWord.self)), ("name", Schema.text()), ("receivedAt", Schema.time),
            ("meta", Schema.free), ("body", Schema.text()),
            ("encoding", ["type": "string", "enum": ["text", "base64"]]), ("isSealed", Schema.flag),
        ],
        required: ["id", "object", "kind", "name", "receivedAt", "meta", "body", "encoding", "isSealed"],
        "What came in, as it is kept. With isSealed, personal values of it are named and not shown."
    )

    /// The words of `kind`.
    package enum InputWord: String, CaseIterable {
        case command, answer, notification, browserReturn, claim, timer, imported
    }
}
