import Api
import Crypto
import Daemon
import Http
import Kernel
import Payments
import SystemKit

/// Files that a merchant lays before the bank about a dispute: listed, brought and saved through the daemon.
extension DisputesCommand {
    /// The payment and the dispute that a command names.
    private struct Place {
        let payment: String
        let dispute: String

        var path: String { "/v1/payments/\(payment)" }
        var files: String { "\(path)/disputes/\(dispute)/evidence" }

        init(_ words: [String]) throws(UsageError) {
            guard words.count > 2 else { throw UsageError("name the payment and its dispute") }
            guard PaymentId(words[1]) != nil else { throw UsageError("'\(words[1])' is no payment's id") }
            guard DisputeId(words[2]) != nil else { throw UsageError("'\(words[2])' is no dispute's id") }
            payment = words[1]
            dispute = words[2]
        }
    }

    func files(_ given: ScatteredArguments) async throws -> Int32 {
        try given.demand(words: 3)
        let place = try Place(given.words)
        let (dispute, items) = try await DaemonCall.withClient { client in
            (try await Self.dispute(at: place, client), try await client.call(.get, place.files)["items"]?.items ?? [])
        }
        if given.has("json") {
            for item in items { StandardStream.output.write(item.canonicalText + "\n") }
        } else {
            StandardStream.output.write(Self.fileTable(items))
            StandardStream.output.write(Self.deadline(of: dispute, at: WallClock.now()) + "\n")
        }
        return 0
    }

    static func fileTable(_ items: [Json]) -> String {
        var table = ColumnTable(["FILE", "NAME", "TYPE", "BYTES", "ADDED", "BY"], rightAligned: [3])
        for item in items {
            table.add([
                Cell.text(item["id"]), Cell.text(item["name"]), Cell.text(item["type"]), Cell.text(item["bytes"]),
                Cell.time(item["addedAt"]), Cell.text(item["addedBy"]),
            ])
        }
        return table.text(orSay: "no files about this dispute")
    }

    /// Until when files count.
    static func deadline(of dispute: Json, at now: Timestamp) -> String {
        let stage = dispute["stage"]?.text ?? "?"
        guard stage == "opened" else { return "the dispute has ended: \(stage)" }
        guard let text = dispute["answerBy"]?.text, let end = Timestamp(text) else {
            return "nobody said until when to answer"
        }
        return now < end ? "answer by \(text)" : "the deadline passed on \(text)"
    }

    func attach(_ given: ScatteredArguments) async throws -> Int32 {
        guard given.words.count == 4 else { throw UsageError("name the payment, its dispute and the file") }
        let (place, file) = (try Place(given.words), given.words[3])
        guard let bytes = SmallFile.read(file) else { throw UsageError("'\(file)' can't be read") }
        guard !bytes.isEmpty else { throw UsageError("'\(file)' is empty") }
        guard bytes.count <= Limits.evidenceFileBytes else {
            throw UsageError("'\(file)' has \(bytes.count) bytes; at most \(Limits.evidenceFileBytes) are kept")
        }
        guard let type = EvidenceFile.mediaType(of: bytes) else {
            throw UsageError("'\(file)' is none of \(EvidenceFile.types.joined(separator: ", "))")
        }
        let name = given["name"] ?? file.split(separator: "/").last.map(String.init) ?? file
        let target = place.files + "?" + FormEncoding.encode([(name: "name", value: name)])
        let (dispute, kept) = try await DaemonCall.withClient { client in
            (try await Self.dispute(at: place, client), try await client.bring(bytes, type, to: target))
        }
        DaemonCall.show(kept, given)
        StandardStream.error.write(Self.deadline(of: dispute, at: WallClock.now()) + "\n")
        return 0
    }

    func save(_ given: ScatteredArguments) async throws -> Int32 {
        guard given.words.count == 5 else {
            throw UsageError("name the payment, its dispute, the file's id and where to write it")
        }
        let place = try Place(given.words)
        guard let id = Uuid(given.words[3]) else { throw UsageError("'\(given.words[3])' is no file's id") }
        let kept = try await DaemonCall.withClient { try await $0.call(.get, "\(place.files)/\(id.compact)") }
        guard let bytes = kept["content"]?.text.flatMap({ Base64.decode($0) }) else {
            throw CommandFailure("nothing is left of this file: its payer's data were erased")
        }
        guard Hex.encode(Digest.sha256(bytes)) == kept["digest"]?.text else {
            throw CommandFailure("what the daemon gave is not what was kept")
        }
        try PrivateFile.make(bytes, at: given.words[4])
        given.tell(
            "\(given.words[4]): \(bytes.count) bytes, \(kept["name"]?.text ?? "without its name")",
            ["bytes": .integer(Int64(bytes.count)), "file": .string(id.compact), "path": .string(given.words[4])]
        )
        return 0
    }

    private static func dispute(at place: Place, _ client: ApiClient) async throws -> Json {
        let known = try await client.call(.get, place.path)["disputes"]?.items ?? []
        guard let dispute = known.first(where: { $0["id"]?.text == place.dispute }) else {
            throw CommandFailure("the payment has no such dispute")
        }
        return dispute
    }
}
