import Api
package import Http
package import Kernel

/// Holds every answer that a test sees against the OpenAPI document: status, content type and every member.
package enum SchemaCheck {
    package struct Breach: Error, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    /// Checks the answer to a request for a path, which may have a query; what is at no path of the API is let pass.
    package static func check(_ method: HttpMethod, _ target: String, _ response: HttpResponse) throws {
        guard let (pattern, documentedMethod, path) = operation(method, target.split(separator: "?")[0]) else { return }
        let name = "\(documentedMethod.rawValue) \(pattern) \(response.status)"
        let operation = OpenApi.document["paths"]?[pattern]?[documentedMethod.rawValue.lowercased()]
        if response.status < 400, let operation {
            let query = HttpRequest.Head(method: method, target: target).query ?? []
            let breaches = try requestViolations(operation, path, query)
            guard breaches.isEmpty else { throw Breach(description: "\(name): \(breaches.joined(separator: "; "))") }
        }
        guard let listed = operation?["responses"]?[String(response.status)] else {
            throw Breach(description: "\(name) is not documented: \(String(decoding: response.body, as: UTF8.self))")
        }
        let documented = try resolve(listed)
        guard let content = documented["content"]?.members else {
            guard response.body.isEmpty else { throw Breach(description: "\(name) has a body") }
            return
        }
        let type = response.headers["Content-Type"].map { String($0.split(separator: ";")[0]) } ?? "none"
        guard let schema = content[type]?["schema"] else { throw Breach(description: "\(name) is \(type)") }
        guard type.hasSuffix("json") else { return }
        let isLines = type.hasSuffix("ndjson")
        let values = isLines ? response.body.split(separator: UInt8(ascii: "\n")).map { Array($0) } : [response.body]
        let limits = JsonLimits(bytes: 1 << 24, depth: JsonLimits.standard.depth)
        let breaches = try values.flatMap { violations(of: try Json($0, limits: limits), schema, at: .root) }
        guard breaches.isEmpty else { throw Breach(description: "\(name): \(breaches.joined(separator: "; "))") }
    }

    private static func operation(_ method: HttpMethod, _ path: Substring)
        -> (pattern: String, HttpMethod, PathParameters)?
    {
        guard case .found(let found, let captured) = Endpoints.router.match(method, path) else { return nil }
        return (found.pattern, found.method, captured)
    }

    /// Says where the path or the query of a request that was answered as asked breaks what the document says of it.
    private static func requestViolations(
        _ operation: Json,
        _ path: PathParameters,
        _ query: [(name: String, value: String)]
    ) throws -> [String] {
        try (operation["parameters"]?.items ?? []).flatMap { parameter -> [String] in
            guard let name = parameter["name"]?.text, let schema = parameter["schema"] else { return [] }
            let given: [String] =
                switch parameter["in"]?.text {
                case "path": [path[name] ?? ""]
                case "query": query.filter { $0.name == name }.map(\.value)
                default: []
                }
            let resolved = try resolve(schema)
            return given.flatMap { violations(of: value($0, resolved), resolved, at: JsonPath(name)) }
        }
    }

    /// A parameter's text as a value of its schema's type.
    private static func value(_ text: String, _ schema: Json) -> Json {
        switch schema["type"]?.text {
        case "integer": Int64(text).map(Json.integer) ?? .string(text)
        case "boolean": text == "true" ? true : text == "false" ? false : .string(text)
        default: .string(text)
        }
    }

    /// Follows a reference inside the document.
    private static func resolve(_ json: Json) throws -> Json {
        guard let reference = json["$ref"]?.text else { return json }
        var here: Json? = OpenApi.document
        for step in reference.dropFirst(2).split(separator: "/") { here = here?[String(step)] }
        guard let here else { throw Breach(description: "\(reference) leads nowhere") }
        return here
    }

    /// Says where a value breaks a schema; members that the schema does not name are a breach, too.
    package static func violations(of json: Json, _ given: Json, at path: JsonPath) -> [String] {
        guard let schema = try? resolve(given) else { return ["\(path): reference"] }
        if let choices = schema["anyOf"]?.items {
            let all = choices.map { violations(of: json, $0, at: path) }
            return all.contains(where: \.isEmpty) ? [] : all.flatMap(\.self)
        }
        if let constant = schema["const"], constant != json { return ["\(path): not \(constant.canonicalText)"] }
        if let words = schema["enum"]?.items, !words.contains(json) { return ["\(path): \(json.canonicalText)"] }
        switch schema["type"]?.text {
        case "string": return string(json, schema, path)
        case "integer": return integer(json, schema, path)
        case "boolean": return json.flag == nil ? ["\(path): not a boolean"] : []
        case "array": return array(json, schema, path)
        case "object": return object(json, schema, path)
        case nil: return []
        case let type?: return ["\(path): type \(type)"]
        }
    }

    private static func string(_ json: Json, _ schema: Json, _ path: JsonPath) -> [String] {
        guard let text = json.text else { return ["\(path): not a string"] }
        if let most = schema["maxLength"]?.integer, text.unicodeScalars.count > most { return ["\(path): too long"] }
        if let least = schema["minLength"]?.integer, text.unicodeScalars.count < least { return ["\(path): too short"] }
        if let pattern = schema["pattern"]?.text, let regex = try? Regex(pattern), text.wholeMatch(of: regex) == nil {
            return ["\(path): \(text) is not \(pattern)"]
        }
        switch schema["format"]?.text {
        case "date-time"? where Timestamp(text) == nil: return ["\(path): no time"]
        case "uuid"? where Uuid(text)?.description != text: return ["\(path): no uuid"]
        default: return []
        }
    }

    private static func integer(_ json: Json, _ schema: Json, _ path: JsonPath) -> [String] {
        guard let number = json.integer else { return ["\(path): not an integer"] }
        if let least = schema["minimum"]?.integer, number < least { return ["\(path): too small"] }
        if let most = schema["maximum"]?.integer, number > most { return ["\(path): too large"] }
        return []
    }

    private static func array(_ json: Json, _ schema: Json, _ path: JsonPath) -> [String] {
        guard let items = json.items else { return ["\(path): not a list"] }
        guard let inner = schema["items"] else { return [] }
        return items.enumerated().flatMap { violations(of: $1, inner, at: path.appending(String($0))) }
    }

    private static func object(_ json: Json, _ schema: Json, _ path: JsonPath) -> [String] {
        guard let object = json.members else { return ["\(path): not an object"] }
        let needed = (schema["required"]?.items ?? []).compactMap(\.text)
        var found = needed.filter { object[$0] == nil }.map { "\(path.appending($0)): missing" }
        let open = schema["additionalProperties"]
        for member in object.members {
            let here = path.appending(member.name)
            if let inner = schema["properties"]?[member.name] {
                found += violations(of: member.value, inner, at: here)
            } else if let inner = open, inner.members != nil {
                found += violations(of: member.value, inner, at: here)
            } else if open != true {
                found.append("\(here): not documented")
            }
        }
        return found
    }
}
