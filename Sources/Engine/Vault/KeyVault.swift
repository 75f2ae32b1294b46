package import Crypto
package import EventSourcing
package import Kernel
package import ProviderKit

/// Keeps the wrapped keys of data subjects: made on first use, gone when a subject is erased.
package protocol SubjectKeyStore: Sendable {
    /// The wrapped key; `nil` where there is none or it was destroyed.
    func key(of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> [UInt8]?
    /// Writes a new key unless the subject has one, and answers the one that stands.
    func insert(_ wrapped: [UInt8], of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> [UInt8]
    /// Keeps the sealed exact bytes of an input until they expire.
    func keepOriginal(_ sealed: [UInt8], input: Uuid, merchant: MerchantNumber) async throws(StoreFailure)
}

/// Seals and opens with keys that the key ring wraps; the shell gives the random bytes.
package final class KeyVault: Vault {
    private let ring: KeyRing
    private let rows: any SubjectKeyStore
    private let random: any RandomSource
    /// Opened keys, so that a payment's second message needs no query; bounded.
    private let opened = Locked<[Uuid: SubjectKey]>([:])
    private static let openedKeys = 10_000
    /// Personal values are bound to merchant, subject and this word, wherever an envelope is copied to.
    private static let purpose = "payer"

    package init(ring: KeyRing, rows: any SubjectKeyStore, random: any RandomSource) {
        self.ring = ring
        self.rows = rows
        self.random = random
    }

    package func seal(_ document: Json, paths: [JsonPath], subject: Uuid, merchant: MerchantNumber)
        async throws(VaultFailure)
        -> Json
    {
        guard paths.contains(where: { document.has($0) }) || document.hasSealedMark else { return document }
        let key = try await key(of: subject, merchant)
        let personal = paths.map { PersonalPath($0, purpose: Self.purpose, equality: .blindIndex) }
        do throws(SkeletonFailure) {
            return try SealedSkeleton(
                document,
                personal: personal,
                key: key,
                merchant: merchant.value,
                subject: subject,
                random: random
            ).json
        } catch {
            throw VaultFailure(.reservedName, detail: "a member name that only sealing may use")
        }
    }

    package func open(_ document: Json, merchant: MerchantNumber) async throws(VaultFailure) -> [Json: String] {
        var values: [Json: String] = [:]
        for place in document.sealedValues {
            guard let sealed = Sealed(place), let key = try await existingKey(of: sealed.keyId, merchant) else {
                continue
            }
            let context = Self.context(merchant, sealed.keyId, Self.purpose)
            do throws(CryptoFailure) {
                values[place] = try key.open(sealed, context).scalarText
            } catch {
                throw VaultFailure(.notAuthentic, detail: "an envelope does not open")
            }
        }
        return values
    }

    // MARK: Account secrets

    package func seal(secrets: [String: Secret], account: Uuid, merchant: MerchantNumber) -> Json {
        .object(
            JsonObject(
                secrets.sorted { $0.key < $1.key }.map { name, secret in
                    let context = Self.context(merchant, account, "secret \(name)")
                    return (name, ring.seal(secret, .accountSecret, context, nonce: Nonce(from: random)).json)
                }
            )
        )
    }

    package func secrets(_ sealed: Json, account: Uuid, merchant: MerchantNumber) async throws(VaultFailure)
        -> AccountSecrets
    {
        var secrets: [String: Secret] = [:]
        for member in sealed.members?.members ?? [] {
            guard let envelope = Sealed(member.value) else { continue }
            do throws(CryptoFailure) {
                let context = Self.context(merchant, account, "secret \(member.name)")
                secrets[member.name] = try ring.open(envelope, .accountSecret, context)
            } catch {
                throw VaultFailure(.notAuthentic, detail: "the account's secret does not open")
            }
        }
        return AccountSecrets(secrets)
    }

    // MARK: Templates and originals

    package func seal(template: [UInt8], effect: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8] {
        let context = Self.context(merchant, effect, "template")
        return ring.seal(Secret(template), .template, context, nonce: Nonce(from: random)).bytes
    }

    package func open(template: [UInt8], effect: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8] {
        guard let sealed = Sealed(template) else { throw VaultFailure(.notAuthentic, detail: "template") }
        do throws(CryptoFailure) {
            let secret = try ring.open(sealed, .template, Self.context(merchant, effect, "template"))
            return secret.withBytes { $0 }
        } catch {
            throw VaultFailure(.notAuthentic, detail: "the template does not open")
        }
    }

    package func keepOriginal(_ body: [UInt8], input: Uuid, merchant: MerchantNumber) async {
        let context = Self.context(merchant, input, "original")
        let sealed = ring.seal(Secret(body), .wrap, context, nonce: Nonce(from: random))
        // The original is a convenience for a short while; the log holds what counts.
        try? await rows.keepOriginal(sealed.bytes, input: input, merchant: merchant)
    }

    private static func context(_ merchant: MerchantNumber, _ subject: Uuid, _ purpose: String) -> SealContext {
        SealContext(merchant: merchant.value, subject: subject, purpose: purpose)
    }
}

extension KeyVault {
    /// The key of a subject, made where there is none yet; its id in envelopes is the subject's own.
    private func key(of subject: Uuid, _ merchant: MerchantNumber) async throws(VaultFailure) -> SubjectKey {
        if let known = opened.withLock({ $0[subject] }) { return known }
        let wrapped: [UInt8]
        do throws(StoreFailure) {
            if let known = try await rows.key(of: subject, merchant: merchant) {
                wrapped = known
            } else {
                let context = Self.context(merchant, subject, Self.keyPurpose)
                let fresh = ring.wrap(SymmetricKey(from: random), context, nonce: Nonce(from: random)).bytes
                wrapped = try await rows.insert(fresh, of: subject, merchant: merchant)
            }
        } catch {
            throw VaultFailure(.unavailable, detail: "the subject's key can't be read")
        }
        return try unwrap(wrapped, of: subject, merchant)
    }

    private func existingKey(of subject: Uuid, _ merchant: MerchantNumber) async throws(VaultFailure) -> SubjectKey? {
        if let known = opened.withLock({ $0[subject] }) { return known }
        let wrapped: [UInt8]?
        do throws(StoreFailure) { wrapped = try await rows.key(of: subject, merchant: merchant) } catch {
            throw VaultFailure(.unavailable, detail: "the subject's key can't be read")
        }
        guard let wrapped else { return nil }
        return try unwrap(wrapped, of: subject, merchant)
    }

    private static let keyPurpose = "subject key"

    private func unwrap(_ wrapped: [UInt8], of subject: Uuid, _ merchant: MerchantNumber) throws(VaultFailure)
        -> SubjectKey
    {
        guard let sealed = Sealed(wrapped) else { throw VaultFailure(.notAuthentic, detail: "subject key") }
        do throws(CryptoFailure) {
            let context = Self.context(merchant, subject, Self.keyPurpose)
            let key = SubjectKey(id: subject, key: try ring.unwrap(sealed, context))
            opened.withLock { opened in
                if opened.count >= Self.openedKeys { opened.removeAll(keepingCapacity: true) }
                opened[subject] = key
            }
            return key
        } catch {
            throw VaultFailure(.notAuthentic, detail: "the subject's key does not open")
        }
    }
}

extension Json {
    /// Every sealed value in the document, as it stands there.
    var sealedValues: [Json] {
        switch self {
        case .null, .bool, .number, .string: return []
        case .array(let items): return items.flatMap(\.sealedValues)
        case .object(let object):
            if Sealed(self) != nil { return [self] }
            return object.members.flatMap(\.value.sealedValues)
        }
    }

    /// Whether a member has a name that only sealing may use.
    fileprivate var hasSealedMark: Bool {
        switch self {
        case .null, .bool, .number, .string: return false
        case .array(let items): return items.contains(where: \.hasSealedMark)
        case .object(let object):
            return object.members.contains {
                $0.name == Sealed.mark || $0.name == Sealed.blindMark || $0.value.hasSealedMark
            }
        }
    }

    /// Whether there is something at a path.
    fileprivate func has(_ path: JsonPath) -> Bool {
        var found = false
        _ = replacing(path) { value, _ in
            found = true
            return value
        }
        return found
    }
}
