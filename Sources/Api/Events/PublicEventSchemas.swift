import Kernel
import Projections

/// Schemas of public events: what the feed tells and webhooks deliver.
enum PublicEventSchemas {
    static let all: [(String, Json)] =
        [("PublicEvent", whole), ("PublicEventPage", page)]
        + PublicEventType.all.map { (schemaName(of: $0), schema(of: $0)) }

    static var id: Json { Schema.pattern(PublicEventId.pattern) }

    /// The type's words with capitals, and Event behind them.
    static func schemaName(of type: PublicEventType) -> String {
        type.name.split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Event"
    }

    private static var page: Json {
        Schema.object(
            [
                ("items", Schema.list(Schema.ref("PublicEvent"))),
                (
                    "next",
                    Schema.text("Where the next page begins: it is always there, also where nothing is behind it yet.")
                ),
                ("hasMore", Schema.flag),
            ],
            required: ["items", "next", "hasMore"]
        )
    }

    private static func members(_ type: Json, _ objects: [String], _ data: Json) -> Json {
        let resource = Schema.object(
            [("object", ["type": "string", "enum": .array(objects.map(Json.string))]), ("id", Schema.text())],
            required: ["object", "id"]
        )
        return Schema.object(
            [
                ("id", id), ("object", ["type": "string", "const": "event"]), ("type", type),
                ("createdAt", Schema.time),
                ("sequence", Schema.integer(from: 1)), ("resource", resource), ("part", part), ("data", data),
            ],
            required: ["id", "object", "type", "createdAt", "sequence", "resource", "data"]
        )
    }

    /// Which part of a resource an event is about.
    private static var part: Json {
        [
            "type": "object", "additionalProperties": true, "required": ["object"],
            "properties": ["object": ["type": "string"], "id": ["type": "string"]],
            "description":
                "The part of the resource that it is about: an operation, a dispute, an occurrence, an item.",
        ]
    }

    /// Any event.
    private static var whole: Json {
        members(
            ["type": "string", "enum": .array(PublicEventType.all.map { .string($0.name) })],
            PublicEventType.Resource.allCases.map(\.rawValue),
            Schema.free
        )
    }

    private static func schema(of type: PublicEventType) -> Json {
        let names = type.resources.map { Schema.ref($0.schema) }
        let data = names.count == 1 ? names[0] : ["anyOf": .array(names)]
        var schema =
            members(
                ["type": "string", "const": .string(type.name)],
                type.resources.map(\.rawValue),
                data
            ).members ?? JsonObject([])
        schema["description"] = .string(type.summary)
        return .object(schema)
    }

    /// The document's `webhooks`: each type is one message to a receiver.
    static var webhooks: Json {
        .object(
            JsonObject(
                PublicEventType.all.map { type in
                    let body: Json = [
                        "required": true,
                        "content": ["application/json": ["schema": Schema.ref(schemaName(of: type))]],
                    ]
                    let operation: Json = [
                        "operationId": .string("on" + schemaName(of: type)), "tags": ["Events"],
                        "summary": .string(type.summary), "requestBody": body,
                        "responses": ["2XX": ["description": "Received."]],
                    ]
                    return (type.name, ["post": operation])
                }
            )
        )
    }
}
