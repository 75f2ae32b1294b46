package import EventSourcing
package import Http
package import Kernel
package import ProviderKit
package import Schedules

/// Sends one request over the wire; it never repeats one by itself.
package protocol Transport: Sendable {
    /// `aboutToSend` is asked right before the first byte may leave; `false` ends the exchange as not sent.
    func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome
}

/// Seals and opens what the log must not show.
package protocol Vault: Sendable {
    /// Seals the values at `paths` under the key of `subject`, which is made on first use.
    func seal(
        _ document: Json,
        paths: [JsonPath],
        subject: Uuid,
        merchant: MerchantNumber
    ) async throws(VaultFailure) -> Json

    /// Opens every sealed value in a document, by the value as it stands there; erased ones are missing.
    func open(_ document: Json, merchant: MerchantNumber) async throws(VaultFailure) -> [Json: Json]

    /// Opens the secrets of an account that its stream holds sealed.
    func secrets(_ sealed: Json, account: Uuid, merchant: MerchantNumber) async throws(VaultFailure) -> AccountSecrets

    /// Seals the bytes of a request template for its effect row.
    func seal(template: [UInt8], effect: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8]

    /// Opens what `seal(template:)` made.
    func open(template: [UInt8], effect: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8]

    /// Seals a document of a stream as a whole, where its personal values can't be sealed apart.
    func seal(whole document: [UInt8], of stream: Uuid, merchant: MerchantNumber) -> [UInt8]

    /// Opens what `seal(whole:)` made.
    func open(whole sealed: [UInt8], of stream: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8]

    /// Forgets opened keys of data subjects: the log was restored, and their rows may be lost.
    func forgetKeys()

    /// Keeps the exact bytes of an input for a short while under a key of their own.
    func keepOriginal(_ body: [UInt8], input: Uuid, merchant: MerchantNumber) async
}

/// Why something could not be sealed or opened; holds no value.
package struct VaultFailure: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable {
        /// The document carries a member name that only sealing may use.
        case reservedName
        case unavailable
        /// The subject's key was destroyed: its data are not kept any more.
        case erased
        /// A tampered or foreign envelope.
        case notAuthentic
    }

    package let code: Code
    package let detail: String

    package init(_ code: Code, detail: String) {
        self.code = code
        self.detail = detail
    }
}

/// Time zones by name and by the digest that an occurrence names.
package protocol ZoneSource: Sendable {
    /// The data that holds for a name; `nil` where there is no such zone.
    ///
    /// A source gives the same answer, on every node alike, until somebody adopts newer data.
    func zone(named name: String) async throws(StoreFailure) -> ZoneData?

    /// The data of a digest, however old.
    func zone(digest: String) async throws(StoreFailure) -> ZoneData?

    /// Days without business: the version that is named, else the newest one.
    func businessCalendar(named name: String, version: Int?) async throws(StoreFailure) -> BusinessCalendar?
}

extension ZoneSource {
    package func businessCalendar(named name: String, version: Int?) async throws(StoreFailure) -> BusinessCalendar? {
        nil
    }
}

/// A source without zones: every rule is refused.
package struct NoZones: ZoneSource {
    package init() {}

    package func zone(named name: String) async throws(StoreFailure) -> ZoneData? { nil }
    package func zone(digest: String) async throws(StoreFailure) -> ZoneData? { nil }
}

/// Keeps what failed authentication for a while, outside the log, bounded.
package protocol Quarantine: Sendable {
    func keep(_ request: HttpRequest, source: String, reason: String) async
}
