import Crypto
import Daemon
import EventSourcing
import Kernel
import Store
import SystemKit

/// `paystream keys rotate`: adds a master key, or seals again under the newest one, and tells what older ones are for.
struct MasterKeyRotation {
    let proof: MasterKeyProof
    let store: PostgresStore

    /// Envelopes between two lines of progress.
    private static let step = 50_000

    func run(_ parsed: ScatteredArguments) async throws -> Int32 {
        let rows = InstallationRows(store)
        try await proof.check(rows)
        let isUsed = try await proof.knowsNewest(rows)
        if parsed.has("append") { return try append(isUsed, parsed) }
        guard isUsed else {
            throw CommandFailure(
                "no daemon was started with the newest key of '\(proof.file)' yet, and one that does not know it could open "
                    + "nothing that is sealed under it: restart every daemon, then rotate"
            )
        }
        guard proof.ring.ids.count > 1 else {
            throw CommandFailure(
                "'\(proof.file)' holds one key, so there is nothing to rotate: 'paystream keys --append rotate' adds a newer one"
            )
        }
        let rotation = KeyRotation(ring: proof.ring, rows: MasterKeyRows(store))
        for column in MasterKeyRows.Column.allCases {
            var next = Self.step
            let count = try await rotation.run(column) { read, sealed in
                guard read >= next else { return }
                next = read + Self.step
                StandardStream.error.write("\(column.rawValue): \(read) read, \(sealed) sealed again\n")
            }
            parsed.tell(
                "\(column.rawValue): \(count) sealed again",
                ["object": "sealed_again", "what": .string(column.rawValue), "count": .integer(Int64(count))]
            )
        }
        for standing in try await rotation.standings() { tell(standing, parsed) }
        return 0
    }

    private func append(_ isUsed: Bool, _ parsed: ScatteredArguments) throws -> Int32 {
        guard isUsed else {
            throw CommandFailure(
                "the newest key of '\(proof.file)' was never used: restart every daemon before another one"
            )
        }
        try MasterKeyFile.append(to: proof.file)
        parsed.tell(
            "\(proof.file) holds a new master key: keep a copy where the database's backups are not, restart every daemon, "
                + "then run 'paystream keys rotate'",
            ["file": .string(proof.file), "object": "master_key_file"]
        )
        return 0
    }

    private func tell(_ standing: KeyRotation.Standing, _ parsed: ScatteredArguments) {
        let uses = standing.uses.map { "\($0.count) \($0.what)" }.joined(separator: ", ")
        let what = uses.isEmpty ? "nothing stands under it here, but older backups may need it" : "needed for " + uses
        parsed.tell(
            "key \(standing.key)\(standing.isNewest ? " (newest)" : ""): \(what)",
            [
                "id": standing.key.json, "isNewest": .bool(standing.isNewest), "object": "master_key",
                "uses": .array(standing.uses.map { ["count": .integer($0.count), "what": .string($0.what)] }),
            ]
        )
    }
}
