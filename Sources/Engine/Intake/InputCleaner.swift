import Crypto
package import EventSourcing
package import Kernel
import Payments
package import ProviderKit

/// Makes bytes from outside fit to be stored: card data cut out, personal values sealed in place.
package struct InputCleaner: Sendable {
    private let histories: Histories
    private let vault: any Vault

    package init(histories: Histories, vault: any Vault) {
        self.histories = histories
        self.vault = vault
    }

    /// What is stored instead of the original bytes, and what was found in them.
    package struct Clean: Sendable {
        package let body: [UInt8]
        package let findings: [String]
        /// Whether card data were cut out: the original bytes must not be kept either.
        package var hadCardData = false
        /// The personal values could not be sealed just now and were left out; the sender may be asked to repeat.
        package var lacksPersonal = false
    }

    /// Bodies that are JSON keep their shape; other bodies are kept as they are unless they hold card data.
    package func clean(_ body: [UInt8], _ declaration: Declaration?, stream: StreamName) async -> Clean {
        let strict = try? Json(body)
        // What a provider may repeat must not slip past the sealing.
        guard let json = strict ?? (try? Json(body, limits: .repeating)) else {
            let findings = CardGuard.scan(bytes: body)
            return findings.isEmpty
                ? Clean(body: Array(body.prefix(Self.textBytes)), findings: [])
                : Clean(body: [], findings: findings.map(Self.note), hadCardData: true)
        }
        let exempt = declaration?.identifierPaths ?? []
        let (redacted, findings) = CardGuard.redact(json, exempt: exempt)
        let notes = findings.map(Self.note)
        let paths = declaration?.personalPaths ?? []
        do throws(VaultFailure) {
            let subject = try await payer(of: stream)
            let sealed = try await vault.seal(redacted, paths: paths, subject: subject, merchant: stream.merchant)
            return Clean(
                body: strict != nil && sealed == json ? body : sealed.compactBytes,
                findings: notes,
                hadCardData: !findings.isEmpty
            )
        } catch {
            let note = "personal values not kept: \(error.code.rawValue)"
            return Clean(
                body: Self.withoutPersonal(redacted, paths)?.compactBytes ?? [],
                findings: notes + [note],
                hadCardData: !findings.isEmpty,
                lacksPersonal: error.code == .unavailable
            )
        }
    }

    /// What a message says of money outlives personal values that can't be sealed; `nil` where nothing tells them apart.
    private static func withoutPersonal(_ document: Json, _ paths: [JsonPath]) -> Json? {
        guard !document.hasSealedMark else { return nil }
        var rest = document
        for path in paths { rest = rest.replacing(path) { (_, _) throws(Never) in .null } }
        return rest
    }

    private static func note(_ finding: CardFinding) -> String { "\(finding.kind.rawValue) at \(finding.path)" }

    /// Bytes of a body that is not JSON, enough to see what it was.
    private static let textBytes = 4096

    /// The data subject of a stream: the customer where the payment names one, else the payment's own payer.
    ///
    /// A stream that can't be read just now has no subject: sealing for another one would outlive the erasure.
    private func payer(of stream: StreamName) async throws(VaultFailure) -> Uuid {
        let history: [RecordedEvent]
        do throws(StoreFailure) { history = try await histories.known([stream])[0] } catch {
            throw VaultFailure(.unavailable, detail: "the stream's payer can't be read")
        }
        if stream.kind == .chunk, let first = history.first,
            case .begun(let head)? = try? ChunkEvent(type: first.type, data: first.data)
        {
            return PayerSubject.of(customer: head.customer, payment: stream.id, merchant: stream.merchant)
        }
        if stream.kind == .instrument, let first = history.first,
            case .saved(let saved, _)? = try? InstrumentEvent(type: first.type, data: first.data)
        {
            let payment = saved.payment?.uuid ?? stream.id
            return PayerSubject.of(customer: saved.customer, payment: payment, merchant: stream.merchant)
        }
        guard stream.kind.isPayment, let first = history.first,
            let event = try? PaymentEvent(type: first.type, data: first.data),
            case .created(let terms, _) = event
        else { return PayerSubject.of(customer: nil, payment: stream.id, merchant: stream.merchant) }
        return PayerSubject.of(customer: terms.customer, payment: stream.id, merchant: stream.merchant)
    }
}

/// Names the data subject whose key seals a payer's data.
package enum PayerSubject {
    package static func of(customer: String?, payment: Uuid, merchant: MerchantNumber) -> Uuid {
        guard let customer else { return .version5(namespace: payment, name: "payer") }
        return .version5(namespace: InputNames.namespace, name: "customer:\(merchant):\(customer)")
    }
}
