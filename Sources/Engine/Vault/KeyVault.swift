package import Crypto
package import EventSourcing
package import Kernel
package import ProviderKit

/// Keeps the wrapped keys of data subjects: made on first use, gone when a subject is erased.
package protocol SubjectKeyStore: Sendable {
    /// The subject's key; `nil` where there is none or it was destroyed.
    func key(of subject: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey?
    /// The key that an envelope names; `nil` where it was destroyed.
    func key(id: Uuid, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey?
    /// Writes a new key unless the subject has one, and answers the one that stands; `nil` where it was destroyed.
    func insert(_ key: WrappedSubjectKey, merchant: MerchantNumber) async throws(StoreFailure) -> WrappedSubjectKey?
    /// How often keys were destroyed, by whoever did it.
    func erasures() async throws(StoreFailure) -> Int64
    /// Keeps sealed exact bytes of inputs until they expire.
    func keepOriginals(_ originals: [SealedOriginal]) async throws(StoreFailure)
}

/// Seals and opens with keys that the key ring wraps; the shell gives the random bytes.
package final class KeyVault: Vault {
    private let ring: KeyRing
    private let rows: any SubjectKeyStore
    private let random: any RandomSource
    private let clock: @Sendable () -> Timestamp
    /// Opened keys, so that a payment's second message needs no query; bounded.
    private let opened = Locked(OpenedKeys())
    /// Secrets of accounts that were opened, beside what they were sealed as.
    private let accounts = Locked(GenerationCache<StreamName, (sealed: Json, secrets: AccountSecrets)>(capacity: 1024))
    private let originals: Batcher<SealedOriginal, Void>
    /// Personal values are bound to merchant, subject and this word, wherever an envelope is copied to.
    private static let purpose = "payer"

    package init(
        ring: KeyRing,
        rows: any SubjectKeyStore,
        random: any RandomSource,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.ring = ring
        self.rows = rows
        // The original is a convenience for a short while; the log holds what counts.
        originals = Batcher(limit: 64, lanes: 1) { originals in
            try? await rows.keepOriginals(originals)
            return originals.map { _ in () }
        }
        self.random = random
        self.clock = clock
    }

    package func seal(_ document: Json, paths: [JsonPath], subject: Uuid, merchant: MerchantNumber)
        async throws(VaultFailure)
        -> Json
    {
        guard paths.contains(where: { document.holds($0) }) || document.hasSealedMark else { return document }
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

    package func open(_ document: Json, merchant: MerchantNumber) async throws(VaultFailure) -> [Json: Json] {
        var values: [Json: Json] = [:]
        for place in document.sealedValues {
            guard let sealed = Sealed(place), let (subject, key) = try await key(id: sealed.keyId, merchant) else {
                continue
            }
            let context = Self.context(merchant, subject, Self.purpose)
            do throws(CryptoFailure) {
                values[place] = try key.open(sealed, context)
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
        let stream = StreamName(merchant, .account, account)
        if let known = accounts.withLock({ $0.find(stream) }), known.sealed == sealed { return known.secrets }
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
        let opened = AccountSecrets(secrets)
        accounts.withLock { $0.keep((sealed, opened), of: stream) }
        return opened
    }

    // MARK: Templates and originals

    package func seal(template: [UInt8], effect: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8] {
        let binding = MasterBinding.template(effect: effect)
        return ring.seal(Secret(template), binding.key, binding.context(merchant), nonce: Nonce(from: random)).bytes
    }

    package func open(template: [UInt8], effect: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8] {
        guard let sealed = Sealed(template) else { throw VaultFailure(.notAuthentic, detail: "template") }
        do throws(CryptoFailure) {
            let binding = MasterBinding.template(effect: effect)
            let secret = try ring.open(sealed, binding.key, binding.context(merchant))
            return secret.withBytes { $0 }
        } catch {
            throw VaultFailure(.notAuthentic, detail: "the template does not open")
        }
    }

    package func seal(whole document: [UInt8], of stream: Uuid, merchant: MerchantNumber) -> [UInt8] {
        ring.seal(Secret(document), .wrap, Self.context(merchant, stream, "whole"), nonce: Nonce(from: random)).bytes
    }

    package func open(whole sealed: [UInt8], of stream: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8]
    {
        guard let envelope = Sealed(sealed) else { throw VaultFailure(.notAuthentic, detail: "document") }
        do throws(CryptoFailure) {
            let secret = try ring.open(envelope, .wrap, Self.context(merchant, stream, "whole"))
            return secret.withBytes { $0 }
        } catch {
            throw VaultFailure(.notAuthentic, detail: "the document does not open")
        }
    }

    package func forgetKeys() {
        opened.withLock { $0.forgetAll() }
        accounts.withLock { $0.forgetAll() }
    }

    package func keepOriginal(_ body: [UInt8], input: Uuid, merchant: MerchantNumber) async {
        let binding = MasterBinding.original(input: input)
        let sealed = ring.seal(Secret(body), binding.key, binding.context(merchant), nonce: Nonce(from: random))
        await originals.submit(SealedOriginal(input: input, merchant: merchant, sealed: sealed.bytes))
    }

    private static func context(_ merchant: MerchantNumber, _ subject: Uuid, _ purpose: String) -> SealContext {
        SealContext(merchant: merchant.value, subject: subject, purpose: purpose)
    }
}

/// Subject keys that were unwrapped, by their own ids and by subject; bounded, and gone once another one was destroyed.
private struct OpenedKeys: Sendable {
    private var byId: [Uuid: (subject: Uuid, key: SubjectKey)] = [:]
    private var bySubject: [Uuid: SubjectKey] = [:]
    private static let capacity = 10_000
    /// How often keys were destroyed, as was seen last, and when.
    private(set) var erasures: Int64?
    private var lookedAt = Timestamp.epoch
    private static let freshness = Duration.seconds(1)

    func isFresh(at now: Timestamp) -> Bool { erasures != nil && now.since(lookedAt) < Self.freshness }

    mutating func look(_ number: Int64, at now: Timestamp) {
        if number != erasures { forgetAll() }
        (erasures, lookedAt) = (number, now)
    }

    mutating func forgetAll() { self = OpenedKeys() }

    func key(of subject: Uuid) -> SubjectKey? { bySubject[subject] }
    func key(id: Uuid) -> (Uuid, SubjectKey)? { byId[id].map { ($0.subject, $0.key) } }

    /// Keeps a key that was read behind so many erasures; it may be destroyed where there were more since.
    mutating func keep(_ key: SubjectKey, of subject: Uuid, behind number: Int64?) {
        guard number == erasures else { return }
        if byId.count >= Self.capacity {
            byId.removeAll(keepingCapacity: true)
            bySubject.removeAll(keepingCapacity: true)
        }
        byId[key.id] = (subject, key)
        bySubject[subject] = key
    }
}

extension KeyVault {
    /// The key of a subject, made where there is none yet.
    private func key(of subject: Uuid, _ merchant: MerchantNumber) async throws(VaultFailure) -> SubjectKey {
        let erasures = try await erasures()
        if let known = opened.withLock({ $0.key(of: subject) }) { return known }
        let stored: WrappedSubjectKey?
        do throws(StoreFailure) {
            if let known = try await rows.key(of: subject, merchant: merchant) {
                stored = known
            } else {
                let context = MasterBinding.subjectKey(of: subject).context(merchant)
                let wrapped = ring.wrap(SymmetricKey(from: random), context, nonce: Nonce(from: random)).bytes
                let fresh = WrappedSubjectKey(subject: subject, id: random.uuid(at: clock()), wrapped: wrapped)
                stored = try await rows.insert(fresh, merchant: merchant)
            }
        } catch {
            throw VaultFailure(.unavailable, detail: "the subject's key can't be read")
        }
        guard let stored else { throw VaultFailure(.erased, detail: "the subject was erased") }
        return try unwrap(stored, merchant, behind: erasures)
    }

    /// How often keys were destroyed, as of a second ago at most; where that changed, none is held any more.
    private func erasures() async throws(VaultFailure) -> Int64? {
        let now = clock()
        let known = opened.withLock { $0.isFresh(at: now) ? $0.erasures : nil }
        if let known { return known }
        let number: Int64
        do throws(StoreFailure) { number = try await rows.erasures() } catch {
            throw VaultFailure(.unavailable, detail: "whether keys were destroyed can't be read")
        }
        opened.withLock { $0.look(number, at: now) }
        return number
    }

    /// The key that an envelope names, with its subject; `nil` where it was destroyed.
    private func key(id: Uuid, _ merchant: MerchantNumber) async throws(VaultFailure) -> (Uuid, SubjectKey)? {
        let erasures = try await erasures()
        if let known = opened.withLock({ $0.key(id: id) }) { return known }
        let stored: WrappedSubjectKey?
        do throws(StoreFailure) { stored = try await rows.key(id: id, merchant: merchant) } catch {
            throw VaultFailure(.unavailable, detail: "the subject's key can't be read")
        }
        guard let stored else { return nil }
        return (stored.subject, try unwrap(stored, merchant, behind: erasures))
    }

    private func unwrap(_ stored: WrappedSubjectKey, _ merchant: MerchantNumber, behind erasures: Int64?)
        throws(VaultFailure) -> SubjectKey
    {
        guard let sealed = Sealed(stored.wrapped) else { throw VaultFailure(.notAuthentic, detail: "subject key") }
        do throws(CryptoFailure) {
            let context = MasterBinding.subjectKey(of: stored.subject).context(merchant)
            let key = SubjectKey(id: stored.id, key: try ring.unwrap(sealed, context))
            opened.withLock { $0.keep(key, of: stored.subject, behind: erasures) }
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
}
