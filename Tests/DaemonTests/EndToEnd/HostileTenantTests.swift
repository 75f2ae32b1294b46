import Api
import EventSourcing
import Http
import Kernel
import Postgres
import TestKit
import Testing

/// A tenant who tries every door with every id that he has.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct HostileTenantTests {
    /// One address of the API with an id in it.
    private struct Door {
        let method: HttpMethod
        let pattern: String
        let kind: StreamKind
        let hasBody: Bool

        init?(_ method: HttpMethod, _ pattern: String, _ body: Body.Rule) {
            self.method = method
            self.pattern = pattern
            hasBody = body == .json
            if pattern.contains("{payment}") {
                kind = .payment
            } else if pattern.contains("{transfer}") {
                kind = .transfer
            } else if pattern.contains("{schedule}") {
                kind = .schedule
            } else if pattern.contains("{instrument}") {
                kind = .instrument
            } else if pattern.contains("{batch}") {
                kind = .billBatch
            } else if pattern.contains("{link}") {
                kind = .paymentLink
            } else {
                return nil
            }
        }

        static let all = Endpoints.all.filter { !$0.isStreamed }.compactMap {
            Door($0.method, $0.pattern, $0.body.rule)
        }

        /// The path with an id of this door's form, whatever it belongs to.
        func path(_ id: Uuid) -> String {
            let names = [
                ("{payment}", "pay_"), ("{transfer}", "trf_"), ("{schedule}", "sch_"), ("{instrument}", "ins_"),
                ("{batch}", "bat_"), ("{link}", "plink_"),
            ]
            var path = pattern
            for (name, prefix) in names { path = path.replacing(name, with: prefix + id.compact) }
            return path.replacing("{dispute}", with: "dsp_" + id.compact).replacing(
                "{resolution}",
                with: id.description
            )
            .replacing("{bill}", with: "1")
        }
    }

    @Test func `an id under another kind is unknown at every door, and nobody's lists stop`() async throws {
        try await Stage.run("e2ehostile") { stage, daemon in
            let victim = try await stage.paid(daemon, "victim", 7700)
            let planted = try await stage.plantStreams()
            #expect(Door.all.count >= 49)
            var failures: [String] = []
            for door in Door.all {
                for (kind, id) in planted where kind != door.kind {
                    let response = try await stage.exchange(
                        daemon,
                        door.method,
                        door.path(id),
                        door.hasBody ? Self.body(door.pattern) : nil,
                        key: "\(door.pattern)-\(kind)"
                    )
                    if response.status != 404 {
                        let text = String(decoding: response.body, as: UTF8.self)
                        failures.append(
                            "\(door.method.rawValue) \(door.pattern) of a \(kind): \(response.status) \(text)"
                        )
                    }
                }
            }
            // Bodies hold ids, too.
            for (kind, id) in planted where kind != .payment {
                let body: Json = ["payment": .string("pay_" + id.compact)]
                let response = try await stage.exchange(daemon, .post, "/v1/routes/explain", body)
                if response.status != 404 { failures.append("explain of a \(kind): \(response.status)") }
            }
            #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
            #expect(try await stage.count("paystream.input_quarantine") == 0)
            // What was planted is nothing that a view could show; what was done with it touched nothing else.
            let ids = planted.map { "'\($0.1)'" }.joined(separator: ", ")
            #expect(try await stage.count("paystream.view_quarantine WHERE stream NOT IN (\(ids))") == 0)
            #expect(try await stage.count("paystream.stream WHERE id IN (\(ids)) AND ver > 1") == 0)
            // Another merchant's payment that comes after all this is listed.
            let later = try await stage.paid(daemon, "later", 7700)
            try await stage.until("the list goes on") {
                let list = try await stage.call(daemon, .get, "/v1/payments")
                let ids = list["items"]?.items?.compactMap { $0["id"]?.text } ?? []
                return ids.contains(victim) && ids.contains(later) ? .done(()) : .notYet(list.canonicalText)
            }
            // The books are checked without what no daemon wrote.
            try await stage.uproot()
        }
    }

    @Test func `a transfer is unknown at the doors of payments, and a payment at those of transfers`() async throws {
        try await Stage.run("e2eotherkind") { stage, daemon in
            let payment = try await stage.paid(daemon, "own-payment", 7700)
            var failures: [String] = []
            for (kind, id) in try await stage.ownStreams(daemon, payment: payment) {
                for door in Door.all where door.kind != kind && [.payment, .transfer].contains(door.kind) {
                    let body = door.hasBody ? Self.body(door.pattern) : nil
                    let key = "\(door.pattern)-\(kind)"
                    let answer = try await stage.exchange(daemon, door.method, door.path(id), body, key: key)
                    if answer.status != 404 { failures.append("\(door.pattern) of a \(kind): \(answer.status)") }
                }
            }
            #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
        }
    }

    /// A body that the door would take from its own kind.
    private static func body(_ pattern: String) -> Json {
        if pattern.hasSuffix("/resolutions") {
            return ["verdict": ["is": "acknowledged"], "evidence": "seen", "seenVersion": 1]
        }
        if pattern.hasSuffix("/approve") { return ["seenVersion": 1] }
        if pattern.hasSuffix("/evidence") { return ["evidence": "seen"] }
        if pattern.hasSuffix("/disputes") { return ["amount": ["value": 5, "currency": "EUR"]] }
        if pattern.hasSuffix("/signature") { return ["paramsForSignature": "x"] }
        if pattern.hasSuffix("/change") { return ["amount": ["value": 2499, "currency": "EUR"]] }
        return [:]
    }
}

extension Stage {
    /// A payment and a transfer that the tenant has, once their rows can be read.
    fileprivate func ownStreams(_ daemon: DaemonProcess, payment: String) async throws -> [(StreamKind, Uuid)] {
        try await addPortmone(daemon)
        let transfer = try await transfer(daemon, "own", 15000)
        var own: [(StreamKind, Uuid)] = []
        for (kind, resource, id) in [(StreamKind.payment, "payments", payment), (.transfer, "transfers", transfer)] {
            try await until("\(id) has a row") {
                let listed = try await call(daemon, .get, "/v1/\(resource)").canonicalText
                return listed.contains(id) ? .done(()) : .notYet(listed)
            }
            guard let uuid = Uuid(String(id.dropFirst(4))) else { throw Failure(description: id) }
            own.append((kind, uuid))
        }
        return own
    }

    /// One stream of each kind in the first merchant's log; his account and his routing are real ones.
    fileprivate func plantStreams() async throws -> [(StreamKind, Uuid)] {
        let connection = try await PostgresConnection.connect(database.options)
        var planted: [(StreamKind, Uuid)] = []
        for kind in StreamKind.allCases where kind != .account && kind != .routing {
            let id = Uuid(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_F000 + UInt64(kind.rawValue))
            let place = try await connection.query(
                """
                INSERT INTO paystream.stream (merchant, id, kind, ver, floor_pos)
                SELECT m.id, $1, $2, 1, 0 FROM paystream.merchant m WHERE m.name = 'demo' RETURNING merchant
                """,
                [.uuid(id), .int32(Int32(kind.rawValue))]
            ) { row throws(PostgresFailure) in try row.int32(0) }
            try await connection.execute(
                """
                INSERT INTO paystream.event (pos, merchant, ver, stream_kind, stream, cause, type, data)
                VALUES (nextval('paystream.pos_seq'), $1, 1, $3, $2, $2, 'planted.v1', '{}')
                """,
                [.int32(place.first ?? 0), .uuid(id), .int32(Int32(kind.rawValue))]
            )
            planted.append((kind, id))
        }
        planted += try await connection.query("SELECT kind, id FROM paystream.stream WHERE kind IN (8, 9)") {
            row throws(PostgresFailure) in
            (StreamKind(rawValue: try row.int16(0)) ?? .account, try row.uuid(1))
        }
        await connection.close()
        return planted
    }

    /// Takes the planted events away again, past what keeps a log from being rewritten.
    fileprivate func uproot() async throws {
        let connection = try await PostgresConnection.connect(database.options)
        try await connection.execute("SET session_replication_role = replica", [])
        try await connection.execute("DELETE FROM paystream.event WHERE type = 'planted.v1'", [])
        await connection.close()
    }
}
