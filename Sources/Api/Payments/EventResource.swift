package import EventSourcing
package import Kernel

/// An event as the API shows it: sealed values are named, not shown.
package enum EventResource {
    package static func json(_ event: RecordedEvent) -> Json {
        [
            "version": .integer(Int64(event.version)), "position": .integer(event.position),
            "type": .string(event.type), "cause": InputId(event.cause).json, "recordedAt": event.recordedAt.json,
            "data": ((try? Json(event.data)) ?? .null).withoutSealed,
        ]
    }
}

extension Json {
    /// The same value with `{"sealed": true}` where something sealed stands.
    var withoutSealed: Json {
        switch self {
        case .null, .bool, .number, .string: self
        case .array(let items): .array(items.map(\.withoutSealed))
        case .object(let object):
            if object[Sealed.mark] != nil {
                ["sealed": true]
            } else {
                .object(JsonObject(object.members.map { ($0.name, $0.value.withoutSealed) }))
            }
        }
    }
}
