package import Kernel

/// A hole that the sender's memory fills: what stands in it is used once and written nowhere.
package enum OnceHole {
    package static let mark = "$once"
    private static let nameBytes = 128

    package static func hole(_ name: String) -> Json { .object(JsonObject([(mark, .string(name))])) }

    /// The name in a hole; `nil` where the value is none.
    package static func name(_ json: Json) -> String? {
        guard let members = json.members, members.count == 1, let name = members[mark]?.text, !name.isEmpty,
            name.utf8.count <= nameBytes
        else { return nil }
        return name
    }

    package static func isHole(_ json: Json) -> Bool { name(json) != nil }
}
