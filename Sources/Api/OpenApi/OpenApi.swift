import Http
package import Kernel
import Payments
import Projections
import Schedules

/// The OpenAPI 3.1 document of the endpoints.
package enum OpenApi {
    package static let document: Json = [
        "openapi": "3.1.0",
        "info": [
            "title": "Paystream", "version": "1",
            "description": .string(about),
        ],
        "servers": [["url": "/"]],
        "tags": .array(Endpoint.Tag.allCases.map { ["name": .string($0.rawValue)] }),
        "paths": .object(paths), "webhooks": PublicEventSchemas.webhooks,
        "components": [
            "securitySchemes": ["key": ["type": "http", "scheme": "bearer", "description": "An API key, psk_…"]],
            "schemas": .object(JsonObject(schemas.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })),
            "responses": .object(JsonObject(problems)),
        ],
    ]

    private static let about = """
        Payments as one ordered log: commands come with an Idempotency-Key and can be repeated; the same key with \
        another command is refused. Amounts are whole minor units. Test and live accounts never mix, and Paystream-Mode \
        tells on every answer about an account which it is.
        """

    /// Forms are told by the endpoints that take them.
    private static var schemas: [String: Json] {
        let forms = Endpoints.all.compactMap(\.body.form).map { ($0.name, $0.schema) }
        return Dictionary(Endpoints.schemas + forms) { first, _ in first }
    }

    private static var paths: JsonObject {
        var paths = JsonObject([])
        for endpoint in Endpoints.all {
            var item = paths[endpoint.pattern]?.members ?? JsonObject([])
            item[endpoint.method.rawValue.lowercased()] = endpoint.operation
            paths[endpoint.pattern] = .object(item)
        }
        return paths
    }

    private static var problems: [(String, Json)] {
        Set(Endpoints.all.flatMap(\.statuses)).filter { $0 >= 400 }.sorted().map { status in
            let answer: Json = [
                "description": .string(HttpStatus.phrase(status)),
                "content": ["application/problem+json": ["schema": Schema.ref("Problem")]],
            ]
            return ("Problem\(status)", answer)
        }
    }
}

extension Endpoint {
    fileprivate var operation: Json {
        .compact([
            ("operationId", .string(id)), ("tags", [.string(tag.rawValue)]), ("summary", .string(summary)),
            ("security", scope == nil ? .array([]) : [["key": []]]), ("x-scope", (scope?.rawValue).map(Json.string)),
            ("parameters", .array(parameters)), ("requestBody", body.request),
            ("responses", .object(JsonObject(statuses.map { (String($0), response($0)) }))),
        ])
    }

    /// Whether an answer is a payment or a transfer.
    private var showsPayment: Bool { answer.schema == "Payment" || answer.schema == "Transfer" }

    // MARK: Parameters

    private var parameters: [Json] {
        let path = Router<Endpoint>.captureNames(of: pattern).map { name -> Json in
            ["name": .string(name), "in": "path", "required": true, "schema": Self.schema(ofPath: name) ?? [:]]
        }
        let query = query.map { parameter -> Json in
            .compact([
                ("name", .string(parameter.name)), ("in", "query"), ("required", .bool(parameter.isNeeded)),
                ("style", parameter.isDeep ? "deepObject" : nil), ("explode", parameter.isDeep ? true : nil),
                ("schema", parameter.schema),
            ])
        }
        return path + query + headers
    }

    /// The schema of what a path names; `nil` for a name that no path has.
    package static func schema(ofPath name: String) -> Json? {
        switch name {
        case "transfer": Schema.id("trf")
        case "payment": Schema.id("pay")
        case "schedule": Schema.id("sch")
        case "link": Schema.id(PaymentLinkKind.prefix)
        case "dispute": Schema.id("dsp")
        case "instrument": Schema.id("ins")
        case "batch": Schema.id("bat")
        case "request": Schema.id("req")
        case "event": PublicEventSchemas.id
        case "input": Schema.id(InputKindTag.prefix)
        case "endpoint": Schema.id(WebhookEndpointKind.prefix)
        case "file": Schema.id(SettlementFileKind.prefix)
        case "exception": Schema.id(SettlementExceptionKind.prefix)
        case "evidence": Schema.pattern("^[0-9a-f]{32}$")
        case "proposal": Schema.integer(from: 1)
        case "report": ["type": "string", "enum": .array(Report.all.map { .string($0.name) })]
        case "provider": Schema.pattern("^[a-z0-9-]{1,64}$")
        case "code": Schema.pattern("^[a-z0-9_]{1,64}$")
        case "bill": Schema.text(atMost: BillPage.idBytes)
        case "product": Schema.integer(from: 1, to: 99_999)
        case "merchant": Schema.text("The merchant's name or number.", atMost: Limits.identifierBytes)
        case "account": Schema.text("The account's name or id.", atMost: AccountConfiguration.nameCharacters)
        case "inbox", "resolution", "key", "change": Schema.uuid
        case "month": PeriodEndpoints.month
        case "reference": Schema.pattern("^[A-Za-z0-9-]{1,30}$")
        case "policy": Schema.pattern("^[a-z][a-z0-9._-]{0,\(DunningPolicy.nameBytes - 1)}$")
        default: nil
        }
    }

    private var headers: [Json] {
        guard isCommand else { return [] }
        var headers: [Json] = [
            ["name": "Idempotency-Key", "in": "header", "required": true, "schema": keySchema]
        ]
        if hasVersion, wording.tellsHeaders {
            headers.append([
                "name": "If-Match", "in": "header", "required": false,
                "description": "The ETag that the command is meant for; at another version it is refused with 412.",
                "schema": ["type": "string", "examples": ["\"7\""]],
            ])
        }
        if showsPayment, !isImmediate {
            headers.append([
                "name": "Prefer", "in": "header", "required": false,
                "description": .string("wait=N waits for the outcome, at most \(Limits.waitSeconds) seconds."),
                "schema": ["type": "string", "examples": ["wait=10"]],
            ])
        }
        return headers
    }

    private var keySchema: Json {
        .compact([
            ("type", "string"), ("minLength", 1), ("maxLength", .integer(Int64(Limits.idempotencyKeyBytes))),
            ("pattern", wording.keyPattern.map(Json.string)),
        ])
    }

    // MARK: Answers

    private func response(_ status: Int) -> Json {
        guard successes.contains(status) else {
            if plainProblems.contains(status) { return Self.plain(status) }
            return ["$ref": .string("#/components/responses/Problem\(status)")]
        }
        return .compact([
            ("description", .string(about(status))), ("headers", answerHeaders),
            ("content", status == 304 ? nil : content(status)), ("links", status < 300 ? linked : nil),
        ])
    }

    private func about(_ status: Int) -> String {
        switch status {
        case 201: wording.made
        case 202: wording.takenIn
        case 304: "The version is the one that you have."
        default: "Done."
        }
    }

    private func content(_ status: Int) -> Json {
        switch answer {
        case .json(let name):
            let schema = Schema.ref(name)
            let waits = showsPayment && status == 202 && successes.contains(201)
            // Where two persons are needed, what was asked for is a proposal.
            if status == 202, ["Account", "Routing", "Routes"].contains(name), isCommand {
                return ["application/json": ["schema": ["anyOf": [schema, Schema.ref("Change")]]]]
            }
            return ["application/json": ["schema": waits ? ["anyOf": [schema, Schema.ref("Accepted")]] : schema]]
        case .lines(let page, let row):
            return [
                "application/json": ["schema": Schema.ref(page)],
                "application/x-ndjson": ["schema": Schema.ref(row)],
            ]
        case .feed(let page):
            return [
                "application/json": ["schema": Schema.ref(page)],
                "text/event-stream": ["schema": ["type": "string"]],
            ]
        case .table(let whole, let row):
            return [
                "application/json": ["schema": Schema.ref(whole)],
                "application/x-ndjson": ["schema": Schema.ref(row)],
                "text/csv": ["schema": ["type": "string"]],
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": [
                    "schema": ["type": "string", "contentMediaType": "application/octet-stream"]
                ],
            ]
        case .text(let type): return .object(JsonObject([(type, ["schema": ["type": "string"]])]))
        }
    }

    private static func plain(_ status: Int) -> Json {
        ["description": .string(HttpStatus.phrase(status)), "content": ["text/plain": ["schema": ["type": "string"]]]]
    }

    private var answerHeaders: Json? {
        guard wording.tellsHeaders else { return nil }
        var headers: [(String, Json)] = []
        func add(_ name: String, _ about: String) {
            headers.append((name, ["description": .string(about), "schema": ["type": "string"]]))
        }
        if showsPayment { add("ETag", "The version, in quotes.") }
        if isCommand {
            add("Idempotent-Replayed", "true where this key was answered before.")
            if showsPayment {
                add("Location", "Where the payment is.")
                add("Preference-Applied", "The wait that was applied.")
            }
        }
        return headers.isEmpty ? nil : .object(JsonObject(headers))
    }

    private var linked: Json? {
        let operations: [String]
        let parameters: Json
        switch links {
        case .none: return nil
        case .to(let ids, let given): (operations, parameters) = (ids, given)
        case .below(let prefix, let given):
            let below = Endpoints.all.filter { endpoint in
                endpoint.pattern.hasPrefix(prefix)
                    && Router<Endpoint>.captureNames(of: endpoint.pattern).count == 1
            }
            (operations, parameters) = (below.map(\.id), given)
        }
        return .object(
            JsonObject(operations.map { ($0, ["operationId": .string($0), "parameters": parameters]) })
        )
    }
}

extension Body {
    fileprivate var request: Json? {
        guard rule != .none else { return nil }
        let content = Json.compact([
            ("schema", schema), ("examples", form.map { ["works": ["value": $0.example]] }),
        ])
        return .compact([
            ("required", .bool(isNeeded)), ("content", .object(JsonObject([(type, content)]))),
            ("description", about.map(Json.string)),
        ])
    }
}
