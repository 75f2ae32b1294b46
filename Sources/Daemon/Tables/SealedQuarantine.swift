package import Crypto
import Engine
import EventSourcing
package import Kernel
package import Store
import SystemKit

/// Opens what was refused, sealed under the master key: nobody knows whose it is.
package struct SealedQuarantine: Sendable {
    package let registers: Registers
    package let ring: KeyRing

    package init(registers: Registers, ring: KeyRing) {
        self.registers = registers
        self.ring = ring
    }

    static let context = SealContext(merchant: 0, subject: InputNames.namespace, purpose: "quarantine")

    package static func seal(_ body: Secret, _ ring: KeyRing) -> [UInt8] {
        ring.seal(body, .wrap, context, nonce: Nonce(from: SystemRandom())).bytes
    }

    /// Opens one message for a person; that they looked is on record before they see it.
    package func open(_ id: Int64, by actor: String) async throws -> (row: QuarantinedNotification, body: Secret) {
        guard let row = try await registers.notifications(id: id) else {
            throw CommandFailure("nothing stands in quarantine under \(id); it may have expired")
        }
        guard let sealed = Sealed(row.sealed) else { throw CommandFailure("\(id) is damaged") }
        let detail: Json = ["quarantine": .integer(id), "source": .string(row.source)]
        try await registers.recordAccess("quarantine.show", stream: Self.stream(of: row), actor: actor, detail: detail)
        do throws(CryptoFailure) { return (row, try ring.open(sealed, .wrap, Self.context)) } catch {
            throw CommandFailure("\(id) was sealed under a master key that is not in the file")
        }
    }

    /// The account that the message was sent to, whether there is one or not.
    private static func stream(of row: QuarantinedNotification) -> StreamName {
        let parts = row.source.split(separator: "/", omittingEmptySubsequences: false)
        let merchant = parts.dropFirst().first.flatMap { Int32($0) } ?? 0
        let account = parts.last.flatMap { Uuid(String($0)) } ?? Uuid(high: 0, low: 0)
        return StreamName(MerchantNumber(merchant), .account, account)
    }
}
