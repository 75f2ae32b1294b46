import Http
import Kernel
import Payments
import Projections
import ProviderKit

/// `POST /v1/webhook-endpoints` and `PUT /v1/webhook-endpoints/{endpoint}`.
struct WebhookForm {
    let configuration: WebhookConfiguration

    /// Seconds that an earlier secret signs beside the new one.
    static let usualOverlap: Int64 = 86_400
    static let mostOverlap: Int64 = 7 * 86_400

    init(_ body: Json, _ addresses: AddressPolicy) throws(Problem) {
        var form = try Form(body)
        let url = try form.needed("url", bytes: WebhookConfiguration.urlBytes)
        if let fault = ReceiverAddress.fault(url, addresses, isLocal: addresses.permitsLoopback) {
            throw Problem(.webhookAddressRefused, "The address \(fault).", path: "url")
        }
        let types = try Self.types(form.value("types"))
        let description = try form.text("description", characters: WebhookConfiguration.descriptionCharacters)
        let order: WebhookConfiguration.Order? = try form.word("order")
        let signatures = try Self.signatures(form.value("signatures"))
        try form.end()
        configuration = WebhookConfiguration(
            url: url,
            types: types,
            description: description,
            order: order ?? .none,
            signatures: signatures
        )
    }

    private static func signatures(_ json: Json?) throws(Problem) -> [WebhookConfiguration.Signature] {
        guard let json else { return [.v1] }
        guard let items = json.items else {
            throw Problem(.typeWrong, "A list is needed here.", path: "signatures")
        }
        guard !items.isEmpty else {
            throw Problem(.memberMissing, "What is sent is signed: name v1, v1a or both.", path: "signatures")
        }
        var named: Set<WebhookConfiguration.Signature> = []
        for (index, item) in items.enumerated() {
            let path = "signatures.\(index)"
            guard let text = item.text else { throw Problem(.typeWrong, "A text is needed here.", path: path) }
            guard let word = WebhookConfiguration.Signature(rawValue: text) else {
                throw Problem(.wordUnknown, "Known words are: v1, v1a.", path: path)
            }
            guard named.insert(word).inserted else {
                throw Problem(.tooMany, "A signature is named once.", path: path)
            }
        }
        return WebhookConfiguration.Signature.allCases.filter { named.contains($0) }
    }

    private static func types(_ json: Json?) throws(Problem) -> [String] {
        guard let json else { return [] }
        guard let items = json.items else { throw Problem(.typeWrong, "A list is needed here.", path: "types") }
        guard items.count <= WebhookConfiguration.typesNamed else {
            throw Problem(.tooMany, "At most \(WebhookConfiguration.typesNamed) types.", path: "types")
        }
        var types: [String] = []
        for (index, item) in items.enumerated() {
            let path = "types.\(index)"
            guard let text = item.text else { throw Problem(.typeWrong, "A text is needed here.", path: path) }
            try PlainText.check(text, bytes: WebhookConfiguration.typeBytes, path: path)
            guard !PublicEventType.names(meantBy: text).isEmpty else {
                throw Problem(
                    .wordUnknown,
                    "This names no type of events.",
                    path: path,
                    members: [("known", .array(PublicEventType.all.map { .string($0.name) }))]
                )
            }
            types.append(text)
        }
        return types
    }
}

/// `POST /v1/webhook-endpoints/{endpoint}/redeliver`.
struct RedeliveryForm {
    let range: WebhookRange

    init(_ body: Json, _ configuration: WebhookConfiguration) throws(Problem) {
        var form = try Form(body)
        let event = try Self.event("event", &form)
        let since = try Self.event("since", &form)
        let until = try Self.event("until", &form)
        try form.end()
        if let event {
            guard since == nil, until == nil else {
                throw Problem.notAllowed("event", "Either one event, or those since one.")
            }
            range = WebhookRange(first: event, last: event, types: [])
        } else {
            guard let since else { throw form.missing("since") }
            range = WebhookRange(first: since, last: until, types: configuration.typeNames)
        }
    }

    private static func event(_ name: String, _ form: inout Form) throws(Problem) -> PublicEventId? {
        guard let text = try form.text(name, bytes: Limits.identifierBytes) else { return nil }
        guard let id = PublicEventId(text) else {
            throw Problem(.identifierMalformed, "An event is named by its id, as in evt_….", path: name)
        }
        return id
    }
}

extension AddressPolicy {
    /// Whether receivers may stand on the daemon's own machine, as in development.
    fileprivate var permitsLoopback: Bool { SourceAddress("127.0.0.1").map(permits) ?? false }
}
