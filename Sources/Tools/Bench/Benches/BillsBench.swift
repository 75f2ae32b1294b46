import Api
import Benchmarks
import EventSourcing
import Glibc
import Http
import HttpClient
import Kernel
import Payments
import Store
import SystemKit

/// Bills taken in over HTTP, from the first byte to the answer of the submission, beside a bare insert of the same pages.
struct BillsBench {
    private let plan: BenchPlan
    private static let sizes = [10_000, 100_000]

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        try await BenchDatabase.with(plan) { database in
            try await BenchNode.with(database, clients: 1, gate: "http://127.0.0.1:9") { node in
                let source = try await prepare(node)
                // The first upload pays for everything that is made once.
                _ = try await accept(node, source, 1_000, "warm")
                for size in Self.sizes {
                    var times: [Double] = []
                    var bare: [Double] = []
                    for round in 1...plan.rounds {
                        bare.append(try await node.insertPages(Self.pages(size, "\(round)")))
                        times.append(try await accept(node, source, size, "\(size)-\(round)"))
                    }
                    try report(size, Self.median(times), Self.median(bare), node)
                }
            }
        }
    }

    private struct Source {
        let card: InstrumentId
        let credentials: InstrumentId
    }

    private static let account = "bench-bills"

    /// An account that pays bills, with a card and credentials that are never sent anywhere.
    private func prepare(_ node: BenchNode) async throws -> Source {
        let body: Json = [
            "mode": "test", "name": .string(Self.account), "provider": "portmone",
            "secrets": ["password": "p", "signingKey": "s", "notificationKey": "n"],
            "settings": [
                "payeeId": "1", "login": "bench", "bulkMode": "serverToken",
                "merchantBillsUrl": "http://127.0.0.1:9/bills", "bills": ["callsInFlight": 1],
            ],
        ]
        let made = try await node.expect(200, .post, "/v1/accounts", body, client: 0, key: "bills-account")
        guard let account = made.json["id"]?.text.flatMap({ Uuid($0) }) else { throw CommandFailure("no account") }
        let source = Source(
            card: InstrumentId(Uuid(high: 0xB111, low: 1)),
            credentials: InstrumentId(Uuid(high: 0xB111, low: 2))
        )
        try await node.save(source.card, scheme: "visa", account: account)
        try await node.save(source.credentials, scheme: InstrumentFact.credentialsScheme, account: account)
        return source
    }

    private static func upload(_ count: Int, _ name: String) -> [UInt8] {
        var text: [UInt8] = []
        for number in 1...count {
            text += Array("{\"id\":\"\(name)-\(number)\",\"amount\":{\"value\":12345,\"currency\":\"UAH\"}}\n".utf8)
        }
        return text
    }

    private static func pages(_ count: Int, _ name: String) -> [[UInt8]] {
        var pager = BillPager()
        let pages = pager.take(upload(count, name))
        return pages + [pager.end()].compactMap { $0 }
    }

    /// Seconds from the creation to the answer of the submission.
    private func accept(_ node: BenchNode, _ source: Source, _ count: Int, _ name: String) async throws -> Double {
        let bytes = Self.upload(count, name)
        let begun = ContinuousClock.now
        let head: Json = [
            "account": .string(Self.account), "instrument": source.card.json, "credentials": source.credentials.json,
        ]
        let made = try await node.expect(201, .post, "/v1/bill-batches", head, client: 0, key: "c-\(name)")
        guard let batch = made.json["id"]?.text else { throw CommandFailure("no batch") }
        try await node.upload(bytes, to: "/v1/bill-batches/\(batch)/bills")
        let body: Json = ["count": .integer(Int64(count))]
        _ = try await node.expect(200, .post, "/v1/bill-batches/\(batch)/submit", body, client: 0, key: "s-\(name)")
        let spent = begun.duration(to: .now)
        return Double(spent.components.seconds) + Double(spent.components.attoseconds) / 1e18
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func report(_ size: Int, _ seconds: Double, _ bare: Double, _ node: BenchNode) throws {
        let memory = ProcessMemory.of(node.process.id)
        plan.report(
            Figure("bills", "\(size) bills created, uploaded and submitted").with("bills", size)
                .with("seconds", seconds).with("perSecond", Double(size) / seconds).with("bareInsertSeconds", bare)
                .with("daemonPeakMegabytes", memory.peak).with("daemonMegabytes", memory.now)
                .target("10000 bills in under a second", isMet: seconds * 10_000 / Double(size) < 1)
        )
    }
}

extension BenchNode {
    /// Puts a credential into its stream, as a card that was saved before.
    fileprivate func save(_ id: InstrumentId, scheme: String, account: Uuid) async throws {
        let saved = SavedInstrument(
            fact: InstrumentFact(
                token: ["$sealed": "bench"],
                fingerprint: scheme,
                masked: nil,
                scheme: scheme,
                expiryYear: nil,
                expiryMonth: nil
            ),
            account: account,
            customer: nil,
            payment: nil
        )
        let command = InstrumentCommand.save(saved)
        let meta: Json = ["actor": ["id": "bench", "operator": false]]
        _ = try await store.admit([
            InputRecord(
                id: id.uuid,
                stream: StreamName(merchant, .instrument, id.uuid),
                kind: .command,
                name: command.name.rawValue,
                meta: meta.canonical,
                body: command.canonical,
                receivedAt: try await store.now()
            )
        ])
        for _ in 0..<200 {
            if try await !store.load([(StreamName(merchant, .instrument, id.uuid), 0)])[0].isEmpty { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CommandFailure("the credential was not saved")
    }

    /// Streams an upload and demands that it is taken.
    fileprivate func upload(_ bytes: [UInt8], to path: String) async throws {
        var headers = HttpHeaders([("Content-Type", "application/x-ndjson")])
        keys[0].withBytes { headers.set("Authorization", "Bearer " + String(decoding: $0, as: UTF8.self)) }
        let request = OutgoingRequest(
            method: .put,
            url: address + path,
            headers: headers,
            body: bytes,
            deadline: .seconds(120)
        )
        let response = try await Self.answer(client.send(request), to: path)
        guard response.status == 200 else {
            throw CommandFailure("\(path): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
        }
    }
}
