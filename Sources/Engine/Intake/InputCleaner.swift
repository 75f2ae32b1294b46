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
    }

    /// Bodies that are JSON keep their shape; other bodies are kept as they are unless they hold card data.
    ///
    /// JSON that nobody can read for sure (a member repeated with another value) or that the database can't keep as text (U+0000)
    /// is kept whole.
    ///
    /// Throws where the personal values can't be sealed just now: evidence is kept whole or not yet. What no trying again
    /// can seal is kept whole under one envelope, which says nothing to an adapter and can be opened by a person. Of a subject
    /// that was erased nothing personal is kept.
    package func clean(_ body: [UInt8], _ declaration: Declaration?, stream: StreamName) async throws(StoreFailure)
        -> Clean
    {
        let strict = try? Json(body)
        let json: Json
        do throws(JsonFailure) { json = if let strict { strict } else { try Json(body, limits: .repeating) } } catch {
            let findings = CardGuard.scan(bytes: body)
            guard findings.isEmpty else {
                return Clean(body: [], findings: findings.map(Self.note), hadCardData: true)
            }
            // What can be read in two ways is read in none, and nothing personal of it is kept open.
            guard error.code == .duplicateName else { return Clean(body: body, findings: []) }
            return whole(body, stream, findings: [], hadCardData: false, "a member repeated with another value")
        }
        let exempt = declaration?.identifierPaths ?? []
        let (uncarded, findings) = CardGuard.redact(json, exempt: exempt)
        let (redacted, refused) = uncarded.withoutWrongAddresses(declaration?.payerAddressPaths ?? [])
        let notes = findings.map(Self.note) + refused
        guard !json.holdsNul else {
            return whole(redacted.compactBytes, stream, findings: notes, hadCardData: !findings.isEmpty, "U+0000")
        }
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
            switch error.code {
            case .unavailable: throw StoreFailure(.unavailable, detail: error.detail)
            case .erased:
                return Clean(
                    body: Self.withoutPersonal(redacted, paths).compactBytes,
                    findings: notes + ["personal values not kept: \(error.code.rawValue)"],
                    hadCardData: !findings.isEmpty
                )
            case .reservedName, .notAuthentic:
                return whole(
                    redacted.compactBytes,
                    stream,
                    findings: notes,
                    hadCardData: !findings.isEmpty,
                    error.code.rawValue
                )
            }
        }
    }

    /// Keeps a document under one envelope: it says nothing to an adapter and can be opened by a person.
    private func whole(
        _ document: [UInt8],
        _ stream: StreamName,
        findings: [String],
        hadCardData: Bool,
        _ reason: String
    ) -> Clean {
        Clean(
            body: KeptWhole.body(vault.seal(whole: document, of: stream.id, merchant: stream.merchant)),
            findings: findings + ["kept whole under one envelope: \(reason)"],
            hadCardData: hadCardData
        )
    }

    /// The saved credential that a provider's token names, under the payer's key; `nil` where nobody can have saved it.
    func instrument(_ news: CredentialNews, account: AccountFacts, _ merchant: MerchantNumber)
        async throws(StoreFailure) -> InstrumentId?
    {
        guard let customer = news.customer else { return nil }
        let place = "token"
        let token = news.token.withBytes { String(decoding: $0, as: UTF8.self) }
        do throws(VaultFailure) {
            let sealed = try await vault.seal(
                .object(JsonObject([(place, .string(token))])),
                paths: [JsonPath(steps: [place])],
                subject: PayerSubject.of(customer: customer, payment: account.id, merchant: merchant),
                merchant: merchant
            )
            guard let index = sealed[place].flatMap({ Sealed($0) })?.blindIndex else { return nil }
            return SavedInstrument.id(Hex.encode(index), customer: customer, account: account.id)
        } catch {
            switch error.code {
            case .unavailable: throw StoreFailure(.unavailable, detail: error.detail)
            case .erased, .reservedName, .notAuthentic: return nil
            }
        }
    }

    /// What a message says of money outlives the erasure of its payer.
    private static func withoutPersonal(_ document: Json, _ paths: [JsonPath]) -> Json {
        var rest = document
        for path in paths { rest = rest.replacing(path) { (_, _) throws(Never) in .null } }
        return rest
    }

    private static func note(_ finding: CardFinding) -> String { "\(finding.kind.rawValue) at \(finding.path)" }

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

extension Json {
    /// Puts `null` for what should say where a payer is sent and is nowhere to send one; gives a note for each.
    ///
    /// Once an address is sealed no decision can read it: a payer who can't be sent there would be waited for.
    fileprivate func withoutWrongAddresses(_ paths: [JsonPath]) -> (Json, notes: [String]) {
        var rest = self
        var notes: [String] = []
        for path in paths {
            rest = rest.replacing(path) { (value, place) throws(Never) in
                guard let text = value.text, !text.isEmpty,
                    !WebAddress.takesPayer(text, isLive: false, isApp: true)
                else { return value }
                notes.append("no payer can be sent to \(place): \(text.prefix { $0 != "/" }.prefix(16))")
                return .null
            }
        }
        return (rest, notes)
    }

    /// Whether a text in it, or a member's name, holds U+0000.
    fileprivate var holdsNul: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .array(let items): items.contains(where: \.holdsNul)
        case .object(let object): object.members.contains { $0.name.utf8.contains(0) || $0.value.holdsNul }
        case .null, .bool, .number: false
        }
    }
}
