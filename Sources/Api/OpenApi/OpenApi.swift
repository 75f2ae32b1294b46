import Http
package import Kernel
import Payments

/// The OpenAPI 3.1 document of these routes.
package enum OpenApi {
    package static let document: Json = [
        "openapi": "3.1.0",
        "info": [
            "title": "Paystream", "version": "1",
            "description": .string(about),
        ],
        "servers": [["url": "/"]],
        "tags": .array(OperationText.Tag.allCases.map { ["name": .string($0.rawValue)] }),
        "paths": .object(paths),
        "components": [
            "securitySchemes": ["key": ["type": "http", "scheme": "bearer", "description": "An API key, psk_…"]],
            "schemas": .object(JsonObject(schemas.sorted { $0.0 < $1.0 })),
            "responses": .object(JsonObject(problems)),
        ],
    ]

    private static let about = """
        Payments as one ordered log: commands come with an Idempotency-Key and can be repeated; the same key with \
        another command is refused. Amounts are whole minor units. Test and live accounts never mix, and Paystream-Mode \
        tells on every answer about an account which it is.
        """

    private static var schemas: [(String, Json)] {
        AnswerSchemas.all + InquirySchemas.answers + RequestSchemas.all + BillSchemas.all + ScheduleSchemas.all
            + [("Document", Schema.free)]
    }

    private static var paths: JsonObject {
        var paths = JsonObject([])
        for route in Route.allCases {
            var item = paths[route.pattern]?.members ?? JsonObject([])
            item[route.method.rawValue.lowercased()] = operation(route)
            paths[route.pattern] = .object(item)
        }
        for route in BillRoute.allCases {
            var item = paths[route.pattern]?.members ?? JsonObject([])
            item[route.method.rawValue.lowercased()] = BillOperations.operation(route)
            paths[route.pattern] = .object(item)
        }
        return paths
    }

    private static func operation(_ route: Route) -> Json {
        let text = route.text
        return .compact([
            ("operationId", .string(route.rawValue)), ("tags", [.string(text.tag.rawValue)]),
            ("summary", .string(text.summary)),
            ("security", route.scope == nil ? .array([]) : [["key": []]]),
            ("x-scope", (route.scope?.rawValue).map(Json.string)),
            ("parameters", .array(Parameters.of(route))), ("requestBody", body(route, text)),
            (
                "responses",
                .object(JsonObject(route.statuses.map { (String($0), answer($0, route, text)) }))
            ),
        ])
    }

    private static func body(_ route: Route, _ text: OperationText) -> Json? {
        if route.body == .raw {
            let type = route == .bankReturn ? "application/x-www-form-urlencoded" : "application/json"
            // A payer's browser may come back with nothing: it is brought on its way all the same.
            let isNeeded = route != .bankReturn
            return ["required": .bool(isNeeded), "content": .object(JsonObject([(type, ["schema": Schema.free])]))]
        }
        guard let body = text.body else { return nil }
        return [
            "required": .bool(route.body == .json),
            "content": [
                "application/json": [
                    "schema": Schema.ref(body.schema), "examples": ["works": ["value": body.example]],
                ]
            ],
        ]
    }

    // MARK: Answers

    private static func answer(_ status: Int, _ route: Route, _ text: OperationText) -> Json {
        guard text.successes.contains(status) else {
            if route == .notification, status == 400 || status == 503 { return plain(status) }
            return ["$ref": .string("#/components/responses/Problem\(status)")]
        }
        var schema = text.answer.map { Schema.ref($0) }
        if route == .createPayment || route == .createTransfer, status == 202 {
            schema = ["anyOf": [schema ?? Schema.free, Schema.ref("Accepted")]]
        }
        return .compact([
            ("description", .string(about(status))), ("headers", headers(status, route)),
            ("content", status == 304 ? nil : content(schema, route)),
            ("links", status < 300 ? Links.of(route) : nil),
        ])
    }

    private static func about(_ status: Int) -> String {
        switch status {
        case 201: "The outcome is known."
        case 202: "Taken in; the resource will show the outcome."
        case 304: "The version is the one that you have."
        default: "Done."
        }
    }

    private static func content(_ schema: Json?, _ route: Route) -> Json {
        if let schema { return ["application/json": ["schema": schema]] }
        return route == .browserReturn || route == .bankReturn
            ? ["text/html": ["schema": ["type": "string"]]] : ["text/plain": ["schema": ["type": "string"]]]
    }

    private static func plain(_ status: Int) -> Json {
        ["description": .string(HttpStatus.phrase(status)), "content": ["text/plain": ["schema": ["type": "string"]]]]
    }

    private static func headers(_ status: Int, _ route: Route) -> Json? {
        var headers: [(String, Json)] = []
        func add(_ name: String, _ about: String) {
            headers.append((name, ["description": .string(about), "schema": ["type": "string"]]))
        }
        if route.text.showsPayment { add("ETag", "The version, in quotes.") }
        if route.isCommand {
            add("Idempotent-Replayed", "true where this key was answered before.")
            if route.text.showsPayment {
                add("Location", "Where the payment is.")
                add("Preference-Applied", "The wait that was applied.")
            }
        }
        return headers.isEmpty ? nil : .object(JsonObject(headers))
    }

    private static var problems: [(String, Json)] {
        Set(Route.allCases.flatMap(\.statuses) + BillRoute.allCases.flatMap(\.statuses)).filter { $0 >= 400 }.sorted()
            .map { status in
                let answer: Json = [
                    "description": .string(HttpStatus.phrase(status)),
                    "content": ["application/problem+json": ["schema": Schema.ref("Problem")]],
                ]
                return ("Problem\(status)", answer)
            }
    }
}
