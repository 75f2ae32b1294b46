package import Api
package import EventSourcing
package import Kernel

/// Where sessions and saved filters are kept: the database, or a test's memory.
///
/// It keeps no token, only what can be held against one. A session is over half an hour after its last use by a person, twelve hours
/// after it began, and at once where its API key was revoked.
package protocol SessionRegister: Sendable {
    func begin(_ token: Secret, for caller: Caller, address: String) async throws(StoreFailure)
    /// The session of a token; `nil` where there is none or it is over. `isUsed` tells that a person is there.
    func session(_ token: Secret, isUsed: Bool) async throws(StoreFailure) -> ConsoleSession?
    func end(_ token: Secret) async throws(StoreFailure)
    /// Ends every session of a key.
    func endAll(of key: Uuid) async throws(StoreFailure)
    func count(of key: Uuid) async throws(StoreFailure) -> Int64

    func filters(of key: Uuid) async throws(StoreFailure) -> [SavedFilter]
    /// Keeps a filter under its name; false where there are as many as may be.
    func keep(_ filter: SavedFilter, of caller: Caller) async throws(StoreFailure) -> Bool
    func drop(filter name: String, of key: Uuid) async throws(StoreFailure)
}

/// A person's session: the caller it speaks for, and what its forms carry.
package struct ConsoleSession: Sendable {
    package let caller: Caller
    package let begunAt: Timestamp
    /// What a form of this session carries; the first is given out, each is taken.
    package let formTokens: [String]

    package init(caller: Caller, begunAt: Timestamp, formTokens: [String]) {
        self.caller = caller
        self.begunAt = begunAt
        self.formTokens = formTokens
    }
}

/// A search of payments that was given a name.
package struct SavedFilter: Hashable, Sendable {
    package let name: String
    /// The query of its address.
    package let query: String

    package init(name: String, query: String) {
        self.name = name
        self.query = query
    }

    /// The longest name, in characters.
    static let nameCharacters = 60
}
