import Api
import Http
import Kernel
import Payments
import Projections
import TestKit
import Testing

/// Files about disputes: kept once, sealed, read by auditors, each reading recorded.
struct DisputeEvidenceTests {
    /// A paid payment with an open dispute, and where its files are.
    private static func disputed(_ api: ApiHarness) async throws -> (payment: PaymentId, files: String) {
        let id = try await api.paid()
        let body: Json = ["amount": ["value": 500, "currency": "EUR"], "answerBy": "2030-01-01T00:00:00Z"]
        let opened = try await api.post("/v1/payments/\(id)/disputes", body, key: "dispute").expect(200)
        let dispute = try #require(opened.json["disputes"]?.items?.first?["id"]?.text)
        let owed = opened.json["obligations"]?.items?.first { $0["kind"] == "dispute" }
        #expect(owed?["deadline"]?.text?.hasPrefix("2030-01-01T00:00:00") == true)
        return (id, "/v1/payments/\(id)/disputes/\(dispute)/evidence")
    }

    private static func add(
        _ api: ApiHarness,
        _ files: String,
        _ text: String,
        name: String = "receipt.txt",
        type: String = "text/plain"
    ) async throws -> Answer { try await add(api, files, Array(text.utf8), name: name, type: type) }

    private static func add(
        _ api: ApiHarness,
        _ files: String,
        _ content: [UInt8],
        name: String = "receipt.txt",
        type: String
    ) async throws -> Answer {
        let headers = HttpHeaders([("Authorization", "Bearer \(ApiHarness.allKey)"), ("Content-Type", type)])
        let target = "\(files)?name=\(name)"
        return try await api.send(
            HttpRequest(method: .post, target: target, headers: headers, body: content)
        )
    }

    @Test func `a file is kept once, listed by its name, and read by whoever may audit`() async throws {
        try await ApiHarness.run { api throws in
            let (payment, files) = try await Self.disputed(api)
            let made = try await Self.add(api, files, "Ann signed for the parcel.").expect(201).json
            #expect(made["name"] == "receipt.txt" && made["bytes"] == 26 && made["content"] == nil)
            let again = try await Self.add(api, files, "Ann signed for the parcel.", name: "other.txt").expect(200)
            #expect(again.json == made)
            let listed = try await api.get(files).expect(200)
            #expect(listed.json["items"] == [made])
            // What is kept can be read by nobody who has the tables alone.
            let kept = api.tables.files.withLock {
                $0.map { $0.content.canonicalText + $0.evidence.name.canonicalText }
            }
            #expect(kept.count == 1 && kept[0].contains("$sealed") && !kept[0].contains("receipt"))
            #expect(!kept[0].contains(Base64.encode(Array("Ann signed".utf8)).prefix(8)))
            let one = "\(files)/\(made["id"]?.text ?? "")"
            let read = try await api.get(one).expect(200).json
            #expect(read["content"]?.text.flatMap { Base64.decode($0) } == Array("Ann signed for the parcel.".utf8))
            #expect(api.tables.accesses.withLock { $0 } == ["dispute_evidence \(payment)"])
            try await api.send(.get, one, token: "psk_read").expect(403)
        }
    }

    /// A client that was generated from the document sends bytes and says no more of them.
    @Test func `a file is what its content is, and what it is not is refused`() async throws {
        try await ApiHarness.run { api throws in
            let (_, files) = try await Self.disputed(api)
            let untold = "application/octet-stream"
            let png = "\u{89}PNG\r\n\u{1A}\n".unicodeScalars.map { UInt8($0.value) } + [0, 0, 0, 13]
            let kinds: [(content: [UInt8], type: String)] = [
                (Array("%PDF-1.7\n\u{0}\u{1}".utf8), "application/pdf"), (png, "image/png"),
                ([0xFF, 0xD8, 0xFF, 0xE0, 0, 16], "image/jpeg"), (Array("Ann signed\r\n".utf8), "text/plain"),
                ([0xFF, 0xFE, 0x41, 0x00], "text/plain"),
            ]
            for (content, type) in kinds {
                let kept = try await Self.add(api, files, content, type: untold).expect(201)
                #expect(kept.json["type"]?.text == type)
                #expect(try await Self.add(api, files, content, type: type).expect(200).json == kept.json)
                for other in ["application/pdf", "image/png", "image/jpeg"] where other != type {
                    let refused = try await Self.add(api, files, content, type: other).expect(415)
                    #expect(refused.code == "media_type_unsupported" && refused.path == "body", "\(type) as \(other)")
                }
            }
            let program: [UInt8] = [0x7F, 0x45, 0x4C, 0x46, 2, 1, 1, 0]
            for type in [untold, "text/plain"] {
                #expect(try await Self.add(api, files, program, type: type).expect(415).path == "body")
            }
            #expect(try await api.get(files).expect(200).json["items"]?.items?.count == kinds.count)
        }
    }

    @Test func `a merchant has a few files in hand at once, and the next one waits`() async throws {
        try await ApiHarness.run { api throws in
            let (_, files) = try await Self.disputed(api)
            let made = try await Self.add(api, files, "page 1").expect(201).json
            let one = "\(files)/\(made["id"]?.text ?? "")"
            var taken = 0
            while api.api.uploads.take(api.merchant) { taken += 1 }
            #expect(taken == 4, "half of them are left for others")
            #expect(try await Self.add(api, files, "page 2").expect(429).code == "rate_limited")
            #expect(try await api.get(one).expect(429).header("Retry-After") == "1")
            #expect(api.tables.accesses.withLock { $0 }.isEmpty, "nothing was read")
            for _ in 0..<taken { api.api.uploads.release(api.merchant) }
            try await Self.add(api, files, "page 2").expect(201)
            try await api.get(one).expect(200)
            #expect(api.api.uploads.take(api.merchant), "places come back")
        }
    }

    @Test func `what is no file of an open dispute is refused, and nothing of it is kept`() async throws {
        try await ApiHarness.run { api throws in
            let (_, files) = try await Self.disputed(api)
            #expect(try await Self.add(api, files, "x", type: "text/html").expect(415).code == "media_type_unsupported")
            #expect(try await Self.add(api, files, "4242 4242 4242 4242").expect(422).code == "card_data_refused")
            #expect(try await Self.add(api, files, "").expect(400).code == "body_missing")
            let nameless = HttpHeaders([
                ("Authorization", "Bearer \(ApiHarness.allKey)"), ("Content-Type", "text/plain"),
            ])
            let request = HttpRequest(method: .post, target: files, headers: nameless, body: [0x41])
            #expect(try await api.send(request).expect(400).path == "name")
            let long = String(repeating: "x", count: Limits.evidenceFileBytes + 1)
            #expect(try await Self.add(api, files, long).expect(413).code == "body_too_large")
            #expect(try await api.get(files).expect(200).json["items"] == [])
            #expect(try await api.get("\(files)/x").expect(404).code == "evidence_unknown")
            for number in 0..<DisputeEvidence.perDispute {
                try await Self.add(api, files, "page \(number)").expect(201)
            }
            #expect(try await Self.add(api, files, "one more").expect(422).code == "too_many")
            try await Self.add(api, files, "page 0").expect(200)
            let end = files.replacing("/evidence", with: "/won")
            try await api.post(end, [:], key: "won").expect(200)
            #expect(try await Self.add(api, files, "too late").expect(422).code == "dispute_closed")
            #expect(try await api.get(files).expect(200).json["items"]?.items?.count == DisputeEvidence.perDispute)
        }
    }

    @Test(
        arguments: [
            ("%PDF-1.7", "application/pdf"), ("Delivered on Monday", "text/plain"), ("", nil), ("a\u{0}b", nil),
        ] as [(String, String?)]
    )
    func `a file's own bytes tell what it is`(_ text: String, _ type: String?) {
        #expect(EvidenceFile.mediaType(of: Array(text.utf8)) == type)
        #expect(EvidenceFile.mediaType(of: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]) == "image/png")
        #expect(EvidenceFile.mediaType(of: [0xFF, 0xD8, 0xFF, 0xE0]) == "image/jpeg")
        #expect(EvidenceFile.mediaType(of: [0xFF, 0xD8, 0x00]) == nil)
    }
}
