import Kernel

/// Shorthand for the JSON Schemas (draft 2020-12) of the document.
enum Schema {
    static func ref(_ name: String) -> Json { ["$ref": .string("#/components/schemas/\(name)")] }

    static func text(_ about: String? = nil, atMost bytes: Int? = nil) -> Json {
        .compact([
            ("type", "string"), ("minLength", bytes == nil ? nil : 1), ("maxLength", bytes.map { .integer(Int64($0)) }),
            ("description", about.map(Json.string)),
        ])
    }

    static func pattern(_ pattern: String, _ about: String? = nil) -> Json {
        .compact([
            ("type", "string"), ("pattern", .string(pattern)), ("description", about.map(Json.string)),
        ])
    }

    static func id(_ prefix: String, _ about: String? = nil) -> Json { pattern("^\(prefix)_[0-9a-f]{32}$", about) }

    /// The id that a client may make for what it creates.
    static func madeId(_ prefix: String) -> Json {
        pattern(
            "^\(prefix)_[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}$",
            "An id of your own, a UUID of version 7; without it the daemon makes one."
        )
    }

    static var uuid: Json { ["type": "string", "format": "uuid"] }
    static var time: Json { ["type": "string", "format": "date-time"] }
    static var date: Json { ["type": "string", "format": "date"] }
    static var timeOfDay: Json { pattern("^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$", "On the zone's clocks.") }
    static var flag: Json { ["type": "boolean"] }
    static var free: Json { ["type": "object", "additionalProperties": true] }

    static var details: Json {
        [
            "type": "object", "additionalProperties": true,
            "description": "By the schema of the provider: payer, items, addresses, presentation.",
        ]
    }

    /// Labels, text to text.
    static func labels(atMost entries: Int, _ about: String) -> Json {
        [
            "type": "object", "maxProperties": .integer(Int64(entries)),
            "additionalProperties": [
                "type": "string", "maxLength": .integer(Int64(Limits.metadataValueBytes)),
            ],
            "propertyNames": ["minLength": 1, "maxLength": .integer(Int64(Limits.metadataNameBytes))],
            "description": .string(about),
        ]
    }

    static func integer(from least: Int64 = 0, to most: Int64? = nil) -> Json {
        .compact([("type", "integer"), ("minimum", .integer(least)), ("maximum", most.map(Json.integer))])
    }

    static func words<Word: RawRepresentable & CaseIterable>(_: Word.Type) -> Json where Word.RawValue == String {
        ["type": "string", "enum": .array(Word.allCases.map { .string($0.rawValue) })]
    }

    static func list(_ items: Json) -> Json { ["type": "array", "items": items] }

    /// An answer's object: the names in `required` are always there.
    static func object(_ properties: [(String, Json)], required: [String], _ about: String? = nil) -> Json {
        .compact([
            ("type", "object"), ("description", about.map(Json.string)),
            ("properties", .object(JsonObject(properties))),
            ("required", required.isEmpty ? nil : .array(required.map(Json.string))),
        ])
    }

    /// A request's object: nothing else is taken.
    static func closed(_ properties: [(String, Json)], required: [String] = [], _ about: String? = nil) -> Json {
        guard case .object(var schema) = object(properties, required: required, about) else { return [:] }
        schema["additionalProperties"] = false
        return .object(schema)
    }

    /// A page of a list.
    static func page(_ item: Json, and others: [(String, Json)] = []) -> Json {
        object(
            [("items", list(item)), ("next", text("Where the next page begins; absent on the last."))] + others,
            required: ["items"]
        )
    }
}
