import Crypto
package import EventSourcing
import Http
package import Kernel
import Payments
package import ProviderKit

/// Makes bytes from outside fit to be stored: card data cut out, personal values sealed in place.
package struct InputCleaner: Sendable {
    private let streamCache: StreamCache
    private let vault: any Vault

    package init(streamCache: StreamCache, vault: any Vault) {
        self.streamCache = streamCache
        self.vault = vault
    }

    /// The bytes that are stored instead of the original ones, and the findings in them.
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
    package func clean(
        _ body: [UInt8],
        _ declaration: Declaration?,
        stream: StreamName,
        isLive: Bool
    ) async throws(StoreFailure) -> Clean {
        let strict = try? Json(body)
        let json: Json
        do throws(JsonFailure) { json = if let strict { strict } else { try Json(body, limits: .repeating) } } catch {
            let findings = CardGuard.scan(bytes: body)
            guard findings.isEmpty else {
                return Clean(body: [], findings: findings.map(Self.note), hadCardData: true)
            }
            // What can be read in two ways is read in none, and nothing personal of it is kept open.
            guard error.code == .duplicateName else { return Clean(body: body, findings: []) }
            let reason = "a member repeated with another value"
            return try await whole(body, stream, try await payer(of: stream), findings: [], hadCardData: false, reason)
        }
        let exempt = declaration?.identifierPaths ?? []
        let (uncarded, findings) = CardGuard.redact(json, exempt: exempt)
        let payer = try await payer(of: stream)
        let (redacted, refused) = uncarded.withoutWrongAddresses(declaration?.payerAddressPaths ?? []) { text in
            WebAddress.takesPayer(text, isLive: isLive, isApp: payer.opensApp)
        }
        let (notes, hadCardData) = (findings.map(Self.note) + refused, !findings.isEmpty)
        guard !json.holdsNul else {
            let bytes = redacted.compactBytes
            return try await whole(bytes, stream, payer, findings: notes, hadCardData: hadCardData, "U+0000")
        }
        let paths = declaration?.personalPaths ?? []
        do throws(VaultFailure) {
            let sealed = try await vault.seal(
                redacted,
                paths: paths,
                subject: payer.subject,
                merchant: stream.merchant
            )
            return Clean(
                body: strict != nil && sealed == json ? body : sealed.compactBytes,
                findings: notes,
                hadCardData: hadCardData
            )
        } catch {
            switch error.code {
            case .unavailable: throw StoreFailure(.unavailable, detail: error.detail)
            case .erased:
                return Clean(
                    body: Self.withoutPersonal(redacted, paths).compactBytes,
                    findings: notes + ["personal values not kept: \(error.code.rawValue)"],
                    hadCardData: hadCardData
                )
            case .reservedName, .notAuthentic:
                let (bytes, reason) = (redacted.compactBytes, error.code.rawValue)
                return try await whole(bytes, stream, payer, findings: notes, hadCardData: hadCardData, reason)
            }
        }
    }

    /// Keeps a document under one envelope: it says nothing to an adapter and can be opened by a person.
    ///
    /// Which values of it are personal nobody can say: of an erased payer nothing of it is kept.
    private func whole(
        _ document: [UInt8],
        _ stream: StreamName,
        _ payer: Payer,
        findings: [String],
        hadCardData: Bool,
        _ reason: String
    ) async throws(StoreFailure) -> Clean {
        let isErased = try await isErased(payer, stream.merchant)
        let kept = vault.seal(whole: isErased ? [] : document, of: stream.id, merchant: stream.merchant)
        let note = isErased ? "not kept, as its payer was erased" : "kept whole under one envelope"
        return Clean(
            body: KeptWhole.body(kept),
            findings: findings + ["\(note): \(reason)"],
            hadCardData: hadCardData
        )
    }

    private func isErased(_ payer: Payer, _ merchant: MerchantNumber) async throws(StoreFailure) -> Bool {
        do throws(VaultFailure) {
            let place: JsonPath = "value"
            _ = try await vault.seal(["value": "any"], paths: [place], subject: payer.subject, merchant: merchant)
            return false
        } catch {
            switch error.code {
            case .unavailable: throw StoreFailure(.unavailable, detail: error.detail)
            case .erased: return true
            case .reservedName, .notAuthentic: return false
            }
        }
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

    /// Takes personal data out of a message: its words about money outlive the erasure of its payer.
    private static func withoutPersonal(_ document: Json, _ paths: [JsonPath]) -> Json {
        var rest = document
        for path in paths { rest = rest.replacing(path) { (_, _) throws(Never) in .null } }
        return rest
    }

    private static func note(_ finding: CardFinding) -> String { "\(finding.kind.rawValue) at \(finding.path)" }

    /// Who a stream is about, as far as cleaning asks.
    private struct Payer {
        /// The customer where the payment names one, else the payment's own payer.
        let subject: Uuid
        /// Whether an app's own scheme may lead the payer on.
        var opensApp = true
    }

    /// A stream that can't be read just now has no subject: sealing for another one would outlive the erasure.
    private func payer(of stream: StreamName) async throws(StoreFailure) -> Payer {
        // No other kind is asked for one: what strangers lengthen is not read for it.
        guard stream.kind.isPayment || stream.kind == .chunk || stream.kind == .instrument else {
            return Payer(subject: PayerSubject.of(customer: nil, payment: stream.id, merchant: stream.merchant))
        }
        let history: History
        do throws(StoreFailure) { history = try await streamCache.known([stream])[0] } catch {
            throw StoreFailure(.unavailable, detail: "the stream's payer can't be read")
        }
        func of(_ customer: String?, _ payment: Uuid) -> Payer {
            Payer(subject: PayerSubject.of(customer: customer, payment: payment, merchant: stream.merchant))
        }
        if stream.kind == .chunk, let first = history.first,
            case .begun(let head)? = try? ChunkEvent(first)
        {
            return of(head.customer, stream.id)
        }
        if stream.kind == .instrument, let first = history.first,
            case .saved(let saved, _)? = try? InstrumentEvent(first)
        {
            return of(saved.customer, saved.payment?.uuid ?? stream.id)
        }
        guard stream.kind.isPayment, let first = history.first,
            let event = try? PaymentEvent(first),
            case .created(let terms, _) = event
        else { return of(nil, stream.id) }
        var payer = of(terms.customer, stream.id)
        payer.opensApp = terms.method == .wallet || terms.method == .sdk
        return payer
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
    fileprivate func withoutWrongAddresses(_ paths: [JsonPath], takesPayer: (String) -> Bool) -> (Json, notes: [String])
    {
        var rest = self
        var notes: [String] = []
        for path in paths {
            rest = rest.replacing(path) { (value, place) throws(Never) in
                guard let text = value.text, !text.isEmpty, !takesPayer(text) else { return value }
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
