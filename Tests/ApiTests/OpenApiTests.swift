import Api
import Daemon
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit
import Schedules
import TestKit
import Testing

/// The document against the routes, in both directions.
@Suite struct OpenApiTests {
    private static var operations: [(path: String, method: String, operation: Json)] {
        (OpenApi.document["paths"]?.members?.members ?? []).flatMap { path in
            (path.value.members?.members ?? []).map { (path.name, $0.name, $0.value) }
        }
    }

    @Test func `every route is in the document and every operation is a route`() {
        let documented = Set(Self.operations.map { "\($0.method.uppercased()) \($0.path)" })
        // A callback with everything in its query is a second way into the one endpoint for callbacks.
        let queries = Endpoints.all.compactMap { endpoint in
            endpoint.otherMethod.map { "\($0.rawValue) \(endpoint.pattern)" }
        }
        let routed = Set(Endpoints.router.entries.map { "\($0.method.rawValue) \($0.pattern)" })
        #expect(documented == routed.subtracting(queries))
        #expect(queries.count == 1)
        #expect(Self.operations.count == Endpoints.all.count)
        #expect(Set(Endpoints.all.map(\.id)).count == Endpoints.all.count)
        for item in Self.operations {
            let name = item.operation["operationId"]?.text ?? ""
            guard let method = HttpMethod(rawValue: item.method.uppercased()),
                case .found(let endpoint, _) = Endpoints.router.match(method, item.path[...])
            else {
                Issue.record("\(item.method) \(item.path) leads nowhere")
                continue
            }
            #expect(endpoint.id == name)
            #expect((item.operation["security"] == []) == (endpoint.scope == nil))
        }
    }

    /// What a path may name, as the daemon itself writes it.
    private static let real: [String: [String]] = {
        let id = Uuid(high: 0x019A_BA7B_4E2F_7C7E, low: 0x8D1C_5B1A_2F3D_4E5F)
        return [
            "account": ["ecommpay-eur", id.description], "batch": [BillBatchId(id).text], "bill": ["A-1/2 №3"],
            "change": [id.description], "code": ProblemMeaning.all.map(\.code), "dispute": [DisputeId(id).text],
            "endpoint": [WebhookEndpointId(id).text], "event": [PublicEventId(stream: id, version: 7, number: 1).text],
            "evidence": [id.compact], "exception": [SettlementExceptionId(id).text],
            "file": [SettlementFileId(id).text], "inbox": [id.description], "input": [InputId(id).text],
            "instrument": [InstrumentId(id).text], "key": [id.description], "link": [PaymentLinkId(id).text],
            "merchant": ["demo", "1"], "month": ["2026-09"], "payment": [PaymentId(id).text],
            "policy": ["gentle-2.0_b"], "product": ["1185"], "proposal": ["1"], "provider": Node.adapters.ids,
            "reference": ["nnc4dqleynmmvfimpysjcdsdsa", "A-1"], "report": Report.all.map(\.name),
            "request": [RequestId(id).text], "resolution": [id.description], "schedule": [ScheduleId(id).text],
            "transfer": [TransferId(id).text],
        ]
    }()

    @Test func `what a path names is described so that real ones are taken`() throws {
        let names = Set(Endpoints.all.flatMap { Router<Endpoint>.captureNames(of: $0.pattern) })
        #expect(names == Set(Self.real.keys))
        for (name, values) in Self.real {
            let schema = try #require(Endpoint.schema(ofPath: name), "\(name)")
            for value in values {
                let json: Json = schema["type"] == "integer" ? .integer(try #require(Int64(value))) : .string(value)
                let breaches = SchemaCheck.violations(of: json, schema, at: JsonPath(name))
                #expect(breaches.isEmpty, "\(name): \(breaches)")
            }
            let isIdentifier = schema["pattern"]?.text?.hasSuffix("_[0-9a-f]{32}$") == true
            guard isIdentifier, let id = values.first else { continue }
            for wrong in ["x" + id, String(id.dropFirst()), id + "0"] {
                #expect(!SchemaCheck.violations(of: .string(wrong), schema, at: .root).isEmpty, "\(wrong)")
            }
        }
    }

    @Test func `the served document is this one and looks as its golden file says`() async throws {
        try await ApiHarness.run { api throws in
            let served = try await api.send(.get, "/openapi.json", token: nil).expect(200)
            #expect(served.json == OpenApi.document)
            #expect(GoldenFile("openapi.json").difference(from: Self.pretty(served.json)) == nil)
        }
    }

    /// A line per member, so that a change can be read.
    private static func pretty(_ json: Json, _ indent: String = "") -> String {
        let inner = indent + "  "
        switch json {
        case .null, .bool, .number, .string: return json.canonicalText
        case .array(let items) where items.contains { $0.members != nil || $0.items != nil }:
            return "[\n" + items.map { inner + pretty($0, inner) }.joined(separator: ",\n") + "\n\(indent)]"
        case .array: return json.canonicalText
        case .object(let object):
            guard !object.isEmpty else { return "{}" }
            let lines = object.members.map {
                "\(inner)\(Json.string($0.name).canonicalText): \(pretty($0.value, inner))"
            }
            return "{\n" + lines.joined(separator: ",\n") + "\n\(indent)}"
        }
    }

    @Test func `every reference leads somewhere and every schema is used`() {
        var used: Set<String> = []
        func walk(_ json: Json) {
            if let reference = json["$ref"]?.text { used.insert(reference) }
            for member in json.members?.members ?? [] { walk(member.value) }
            for item in json.items ?? [] { walk(item) }
        }
        walk(OpenApi.document)
        let components = OpenApi.document["components"]
        let known = ["schemas", "responses"].flatMap { part in
            (components?[part]?.members?.names ?? []).map { "#/components/\(part)/\($0)" }
        }
        #expect(used == Set(known))
    }

    @Test func `every example fits its own schema`() {
        for item in Self.operations {
            guard let content = item.operation["requestBody"]?["content"]?["application/json"],
                let schema = content["schema"], let example = content["examples"]?["works"]?["value"]
            else { continue }
            let breaches = SchemaCheck.violations(of: example, schema, at: .root)
            #expect(breaches.isEmpty, "\(item.path): \(breaches)")
        }
    }

    @Test(arguments: exemplary.filter { body(of: $0)?["examples"] != nil })
    func `every example is read by our own parser`(route: Endpoint) async throws {
        let forms = Set(ProblemCode.allCases.filter { $0.status == 400 || $0.status == 422 }.map(\.rawValue))
        let decisions = Set(Rejection.Code.allCases.map(\.rawValue)).union(["signature_refused"])
        let example = try #require(Self.body(of: route)?["examples"]?["works"]?["value"])
        try await ApiHarness.run { api throws in
            let target = try await StatusTour(api: api, route: route).target()
            let answer = try await api.send(route.method, target, example, key: "example")
            let code = answer.code ?? ""
            #expect(answer.status < 500, "\(answer)")
            #expect(!forms.contains(code) || decisions.contains(code), "\(answer)")
        }
    }

    /// Examples of bills name cards and credentials that a batch asks for.
    private static let exemplary = Endpoints.all.filter { !$0.pattern.hasPrefix("/v1/bill-") }

    private static func body(of route: Endpoint) -> Json? {
        OpenApi.document["paths"]?[route.pattern]?[route.method.rawValue.lowercased()]?["requestBody"]?["content"]?[
            "application/json"
        ]
    }

    @Test(arguments: Endpoints.all)
    func `every documented status is real`(route: Endpoint) async throws {
        let documented = Set(
            (OpenApi.document["paths"]?[route.pattern]?[route.method.rawValue.lowercased()]?["responses"]?.members?
                .names
                ?? []).compactMap { Int($0) }
        )
        #expect(documented == Set(route.statuses))
        var seen: Set<Int> = []
        try await ApiHarness.run { api throws in seen = try await StatusTour(api: api, route: route).seen() }
        if route.scope != nil {
            try await ApiHarness.run(rate: RateLimit(requestsPerSecond: 1, burst: 2)) { api throws in
                let flood = try await api.send(route.method, GuardTests.target(route), key: "flood").status
                seen.insert(flood)
            }
        }
        let unreachable = Set((StatusTour.unreachable[route.id] ?? [:]).keys)
        #expect(seen.isDisjoint(with: unreachable))
        #expect(seen.union(unreachable) == documented)
    }
}
