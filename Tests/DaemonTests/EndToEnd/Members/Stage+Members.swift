import Http
import Kernel
import Testing

extension Stage {
    /// Fails where the document gives a member to a request, at any depth, that none of these bodies has, or they have one that it
    /// does not name.
    func holdEvery(_ daemon: DaemonProcess, _ schema: String, _ bodies: [Json]) async throws {
        let document = try await call(daemon, .get, "/openapi.json")
        let form = DocumentedForm(document, schema)
        let posted = bodies.reduce(into: Set<String>()) { $0.formUnion(form.members(in: $1)) }
        #expect(!form.members.isEmpty, "\(schema) is no request of the document")
        #expect(form.members == posted, "\(schema): \(form.members.symmetricDifference(posted).sorted())")
    }

    /// Fails unless a body is refused; by the name of a member where one is given.
    func refuses(_ daemon: DaemonProcess, _ path: String, _ body: Json, _ member: String? = nil) async throws {
        let answer = try await exchange(daemon, .post, path, body, key: "refused-\(next())")
        let told = (try? Json(answer.body)) ?? .null
        #expect(answer.status / 100 == 4, "\(path) takes \(body.canonicalText)")
        if let member { #expect(told["path"]?.text?.hasPrefix(member) == true, "\(told.canonicalText)") }
    }
}

/// What the document says that a request's body may have.
struct DocumentedForm {
    private let schemas: Json
    private let top: Json

    init(_ document: Json, _ name: String) {
        schemas = document.at("components", "schemas") ?? .null
        top = schemas[name] ?? .null
    }

    /// Paths of its members, an item of a list without its number; what may hold anything is one member.
    var members: Set<String> { members(of: top) }

    func members(in body: Json) -> Set<String> { members(in: body, by: top) }

    private func resolved(_ schema: Json) -> Json {
        guard let name = schema["$ref"]?.text?.split(separator: "/").last else {
            return schema["items"].map(resolved) ?? schema
        }
        return resolved(schemas[String(name)] ?? .null)
    }

    private func properties(_ schema: Json) -> [(name: String, value: Json)] {
        resolved(schema)["properties"]?.members?.members.map { ($0.name, $0.value) } ?? []
    }

    private func members(of schema: Json) -> Set<String> {
        properties(schema).reduce(into: []) { found, property in
            let deeper = members(of: property.value)
            found.formUnion(deeper.isEmpty ? [property.name] : deeper.map { "\(property.name).\($0)" })
        }
    }

    private func members(in body: Json, by schema: Json) -> Set<String> {
        if let items = body.items { return items.reduce(into: []) { $0.formUnion(members(in: $1, by: schema)) } }
        let known = properties(schema)
        guard !known.isEmpty else { return [] }
        return (body.members?.members ?? []).reduce(into: []) { found, member in
            let property = known.first { $0.name == member.name }?.value
            let deeper = property.map { members(in: member.value, by: $0) } ?? []
            let isLeaf = property.map { properties($0).isEmpty } ?? true
            found.formUnion(isLeaf ? [member.name] : deeper.map { "\(member.name).\($0)" })
        }
    }
}
