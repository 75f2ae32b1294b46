package import Crypto
import Engine
package import EventSourcing
package import Kernel
package import Store
import SystemKit

/// Notes the e-mail addresses of payments that are in the log already, so that they are found by them.
///
/// It writes what their creation would have written, and may run beside a daemon and again: what is noted stays as it is. An address whose
/// payer was erased can't be opened any more.
package struct PayerBackfill: Sendable {
    package struct Progress: Hashable, Sendable {
        /// Payments and transfers that were looked at.
        package fileprivate(set) var payments = 0
        package fileprivate(set) var noted = 0
        /// Addresses that no key opens: of payers who were erased.
        package fileprivate(set) var closed = 0
    }

    /// Payments that are read at once.
    private static let page: Int32 = 500

    private let rows: PayerRows
    private let keys: SubjectRows
    private let vault: KeyVault
    private let ring: KeyRing

    package init(
        _ store: PostgresStore,
        _ registers: Registers,
        _ ring: KeyRing,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.ring = ring
        rows = PayerRows(store)
        keys = SubjectRows(registers: registers, ring: ring)
        vault = KeyVault(ring: ring, rows: keys, random: SystemRandom(), clock: clock)
    }

    /// Goes through a merchant's payments in the order of their ids.
    package func run(_ merchant: MerchantNumber, _ tell: (Progress) -> Void) async throws(StoreFailure) -> Progress {
        var progress = Progress()
        var last: Uuid?
        // One payer gives many payments.
        let subjects = Locked(GenerationCache<Uuid, Uuid>(capacity: 10_000))
        while true {
            let page = try await rows.given(merchant, behind: last, limit: Self.page)
            guard let end = page.last else { return progress }
            var payers: [NotedPayer] = []
            for given in page {
                progress.payments += given.isPayment ? 1 : 0
                guard let email = given.email else { continue }
                if let payer = try await payer(email, given, merchant, subjects) {
                    payers.append(payer)
                } else {
                    progress.closed += 1
                }
            }
            progress.noted += try await note(payers)
            last = end.stream
            tell(progress)
        }
    }

    /// Who gave an address; `nil` where nobody can read it.
    private func payer(
        _ email: Json,
        _ given: PayerRows.Given,
        _ merchant: MerchantNumber,
        _ subjects: Locked<GenerationCache<Uuid, Uuid>>
    ) async throws(StoreFailure) -> NotedPayer? {
        let text: String?
        let subject: Uuid
        if let sealed = Sealed(email) {
            if let known = subjects.withLock({ $0.find(sealed.keyId) }) {
                subject = known
            } else {
                guard let key = try await keys.key(id: sealed.keyId, merchant: merchant) else { return nil }
                subject = key.subject
                subjects.withLock { $0.keep(subject, of: sealed.keyId) }
            }
            do throws(VaultFailure) { text = try await vault.open(email, merchant: merchant)[email]?.text } catch {
                guard error.code == .unavailable else { return nil }
                throw StoreFailure(.retry, detail: error.detail)
            }
        } else {
            subject = PayerSubject.of(customer: given.customer, payment: given.stream, merchant: merchant)
            text = email.text
        }
        guard let text else { return nil }
        return NotedPayer(
            merchant: merchant,
            code: PayerCode.codes(ofEmail: text, merchant, ring)[0],
            subject: subject,
            customer: given.customer,
            payment: given.stream
        )
    }

    private func note(_ payers: [NotedPayer]) async throws(StoreFailure) -> Int {
        guard !payers.isEmpty else { return 0 }
        return try await rows.note(
            payers.map(\.merchant),
            codes: payers.map(\.code),
            subjects: payers.map(\.subject),
            customers: payers.map(\.customer),
            payments: payers.map(\.payment)
        )
    }
}
