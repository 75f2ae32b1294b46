import Api
import Foundation
import Kernel
import PaystreamClient
import Testing

/// The library's types against the schemas of the OpenAPI document: each member is modelled, or left out on purpose.
@Suite struct ModelTests {
    /// A schema, the type that models it, and the members that it leaves out, by their paths.
    struct Model: Sendable, CustomStringConvertible {
        let schema: String
        let left: Set<String>
        let again: @Sendable (Data) throws -> (Data, any Sendable)

        init<Value: Codable & Sendable>(_ schema: String, _ type: Value.Type, left: Set<String> = []) {
            self.schema = schema
            self.left = left
            again = { data in
                let value = try Wire.decode(type, from: data)
                return (try Wire.encode(value), value)
            }
        }

        var description: String { schema }
    }

    /// What operators and auditors look at, in the console or by the document.
    private static let ofOperators: Set<String> = [
        "adopted", "recurring", "routes", "errands", "evidence", "resolutions", "unrecognised", "operations.sightings",
        "attempt.ending", "earlierAttempts.ending",
    ]

    static let models = [
        Model("Payment", Payment.self, left: ofOperators), Model("Transfer", Transfer.self, left: ofOperators),
        Model("PaymentSummary", Payment.self), Model("TransferSummary", Transfer.self),
        Model("NextAction", NextAction.self), Model("AppParameters", AppParameters.self),
        Model("Instrument", Instrument.self, left: ["listing"]),
        Model(
            "Schedule",
            Schedule.self,
            left: ["request", "oddities", "occurrences.attempts", "occurrences.zoneDigest"]
        ),
        Model("Occurrence", Occurrence.self, left: ["gaveUp", "policy", "zoneDigest", "tries", "cardEnds"]),
        Model("BillBatch", BillBatch.self), Model("BillRow", Bill.self), Model("Event", LogEntry.self),
        Model("PublicEvent", Event.self), Model("PublicEventPage", Page<Event>.self),
        Model("Problem", Problem.self), Model("CapturePlan", CapturePlan.self),
        Model("WebhookEndpoint", WebhookEndpoint.self), Model("WebhookDelivery", WebhookDelivery.self),
        Model("WebhookPing", WebhookPing.self), Model("WebhookRedelivery", WebhookRedelivery.self),
        Model("ConfigureWebhookEndpoint", NewWebhookEndpoint.self), Model("Account", Account.self),
        Model("ConfigureAccount", NewAccount.self), Model("Report", Report.self),
        Model(
            "CreatePayment",
            NewPayment.self,
            left: ["recurring"]
        ), Model("CreateTransfer", NewTransfer.self, left: ["recurring", "expiresAt"]),
        Model("CreateSchedule", NewSchedule.self), Model("ChangeSchedule", ScheduleChange.self),
        Model("CreateBillBatch", NewBillBatch.self), Model("BillLine", NewBill.self),
    ]

    @Test(arguments: models)
    func `every documented member is modelled or left out on purpose`(model: Model) throws {
        var known: Set<String> = []
        // Each round takes the next word of every list of words.
        for round in 0..<30 {
            let sample = Self.sample(of: ["$ref": .string("#/components/schemas/\(model.schema)")], round)
            let (again, value) = try model.again(Data(sample.compactBytes))
            let lost = Self.paths(of: sample).subtracting(Self.paths(of: try Json(Array(again))))
            let outermost = lost.filter { path in !lost.contains { path.hasPrefix($0 + ".") } }
            #expect(outermost == model.left)
            #expect(Self.unknownWords(in: value) == [], "round \(round)")
            known.formUnion(outermost)
        }
        #expect(known == model.left)
    }

    // MARK: Samples

    /// A value with every member that a schema names.
    private static func sample(of schema: Json, _ round: Int) -> Json {
        if let reference = schema["$ref"]?.text {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            return sample(of: OpenApi.document["components"]?["schemas"]?[name] ?? .null, round)
        }
        if let constant = schema["const"] { return constant }
        if let words = schema["enum"]?.items { return words[round % words.count] }
        if let choices = schema["anyOf"]?.items { return sample(of: choices[0], round) }
        switch schema["type"]?.text {
        case "object":
            let members = schema["properties"]?.members?.members ?? []
            guard members.isEmpty else {
                return .object(JsonObject(members.map { ($0.name, sample(of: $0.value, round)) }))
            }
            let other = schema["additionalProperties"]
            return ["label": other?.members == nil ? "free" : sample(of: other ?? .null, round)]
        case "array": return .array([sample(of: schema["items"] ?? .null, round)])
        case "integer": return 7
        case "boolean": return true
        case "string" where schema["format"]?.text == "date-time": return "2026-01-31T12:00:00Z"
        case "string": return "text"
        case _: return .null
        }
    }

    /// The members of a value, as `attempt.account.id`; the labels of free objects are no members.
    private static func paths(of json: Json, _ before: String = "") -> Set<String> {
        if let items = json.items { return Set(items.flatMap { paths(of: $0, before) }) }
        let members = json.members?.members ?? []
        return members.reduce(into: []) { paths, member in
            let path = before.isEmpty ? member.name : "\(before).\(member.name)"
            paths.insert(path)
            paths.formUnion(self.paths(of: member.value, path))
        }
    }

    /// Words of the document that the library does not know.
    private static func unknownWords(in value: Any) -> [String] {
        if let word = value as? any OpenWord { return word.isKnown ? [] : ["\(word)"] }
        return Mirror(reflecting: value).children.flatMap { unknownWords(in: $0.value) }
    }
}
