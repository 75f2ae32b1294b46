package import Crypto
import Engine
import EventSourcing
package import Kernel
package import Store
import SystemKit

/// Seals again under the newest master key what stands outside the log, beside running daemons.
package struct KeyRotation: Sendable {
    /// What a master key of the file is needed for.
    package struct Standing: Sendable {
        package let key: Uuid
        package let isNewest: Bool
        package let uses: [(what: String, count: Int64)]
    }

    private let ring: KeyRing
    private let rows: MasterKeyRows
    /// Envelopes that are read, and written, at once.
    private static let page: Int32 = 500

    package init(ring: KeyRing, rows: MasterKeyRows) {
        self.ring = ring
        self.rows = rows
    }

    /// Seals a column's envelopes again in pages, so that one that was cut short is gone on with; answers how many.
    package func run(_ column: MasterKeyRows.Column, _ progress: (_ read: Int, _ sealed: Int) -> Void) async throws
        -> Int
    {
        var (read, sealed) = (0, 0)
        var last: MasterKeyRows.Row?
        while true {
            let page = try await rows.page(of: column, after: last, limit: Self.page)
            guard let end = page.last else { return sealed }
            last = end
            let fresh = try page.compactMap { row in try resealed(row, column).map { (row, $0) } }
            if !fresh.isEmpty { sealed += try await rows.replace(fresh, in: column) }
            read += page.count
            progress(read, sealed)
        }
    }

    private func resealed(_ row: MasterKeyRows.Row, _ column: MasterKeyRows.Column) throws -> [UInt8]? {
        let failure = CommandFailure("an envelope of the \(column.rawValue) does not open: \(row.merchant) \(row.id)")
        guard let sealed = Sealed(row.envelope), let (key, context) = Self.binding(of: row, column) else {
            throw failure
        }
        do throws(CryptoFailure) {
            return try ring.resealed(sealed, key, context, nonce: Nonce(from: SystemRandom()))?.bytes
        } catch {
            throw failure
        }
    }

    private static func binding(of row: MasterKeyRows.Row, _ column: MasterKeyRows.Column) -> (KeyPurpose, SealContext)?
    {
        let binding: MasterBinding?
        switch column {
        case .subjectKeys: binding = Uuid(row.id).map(MasterBinding.subjectKey)
        case .originals: binding = Uuid(row.id).map(MasterBinding.original)
        case .templates: binding = Uuid(row.id).map(MasterBinding.template)
        case .quarantine: return (.wrap, SealedQuarantine.context)
        }
        return binding.map { ($0.key, $0.context(row.merchant)) }
    }

    /// Tells of each key of the file, the oldest first, what still stands under it.
    package func standings() async throws -> [Standing] {
        let uses = try await rows.uses(codesLedBy: ring.ids.map { Array($0.bytes.prefix(KeyRing.tagBytes)) })
        return ring.ids.map { id in
            let name = Hex.encode(id.bytes)
            let own = uses.filter { name.hasPrefix($0.key) }.map { ($0.what, $0.count) }
            return Standing(key: id, isNewest: id == ring.newestId, uses: own)
        }
    }
}
