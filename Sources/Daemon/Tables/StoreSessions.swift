import Api
import Console
import Crypto
import EventSourcing
import Kernel
import Store

/// The console's sessions in PostgreSQL, by keyed hashes of their tokens.
struct StoreSessions: SessionRegister {
    let rows: ConsoleRows
    let registers: Registers
    let ring: KeyRing

    func begin(_ token: Secret, for caller: Caller, address: String) async throws(StoreFailure) {
        let hash = token.withBytes { ring.code(.consoleSession, $0) }
        try await rows.begin(hash, key: caller.keyId, merchant: caller.merchant, address: address)
    }

    func session(_ token: Secret, isUsed: Bool) async throws(StoreFailure) -> ConsoleSession? {
        let hashes = hashes(token)
        guard let found = try await rows.session(hashes) else { return nil }
        if isUsed, found.isStale { try await rows.use(hashes) }
        if isUsed, found.key.isUseStale { try await registers.noteUse(of: found.key.id) }
        return ConsoleSession(
            caller: Caller(found.key),
            begunAt: found.begunAt,
            formTokens: token.withBytes { ring.codes(.consoleForm, $0) }.map { Base64.encode($0, .url) }
        )
    }

    func end(_ token: Secret) async throws(StoreFailure) { try await rows.end(hashes(token)) }

    func endAll(of key: Uuid) async throws(StoreFailure) { try await rows.endAll(of: key) }

    func count(of key: Uuid) async throws(StoreFailure) -> Int64 { try await rows.count(of: key) }

    func filters(of key: Uuid) async throws(StoreFailure) -> [SavedFilter] {
        try await rows.filters(of: key).map { SavedFilter(name: $0.name, query: $0.query) }
    }

    func keep(_ filter: SavedFilter, of caller: Caller) async throws(StoreFailure) -> Bool {
        try await rows.keep(filter: filter.name, filter.query, of: caller.keyId, caller.merchant)
    }

    func drop(filter name: String, of key: Uuid) async throws(StoreFailure) {
        try await rows.drop(filter: name, of: key)
    }

    private func hashes(_ token: Secret) -> [[UInt8]] { token.withBytes { ring.codes(.consoleSession, $0) } }
}
