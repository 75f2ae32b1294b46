import Crypto
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit

/// A vault whose keys a test may put out of reach.
struct FallibleVault: Vault {
    let vault: KeyVault
    let isAway = Locked(false)

    private func reach() throws(VaultFailure) {
        if isAway.withLock({ $0 }) { throw VaultFailure(.unavailable, detail: "the keys are away") }
    }

    func seal(_ document: Json, paths: [JsonPath], subject: Uuid, merchant: MerchantNumber) async throws(VaultFailure)
        -> Json
    {
        try reach()
        return try await vault.seal(document, paths: paths, subject: subject, merchant: merchant)
    }

    func open(_ document: Json, merchant: MerchantNumber) async throws(VaultFailure) -> [Json: Json] {
        try reach()
        return try await vault.open(document, merchant: merchant)
    }

    func secrets(_ sealed: Json, account: Uuid, merchant: MerchantNumber) async throws(VaultFailure) -> AccountSecrets {
        try await vault.secrets(sealed, account: account, merchant: merchant)
    }

    func seal(template: [UInt8], effect: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8] {
        try vault.seal(template: template, effect: effect, merchant: merchant)
    }

    func open(template: [UInt8], effect: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8] {
        try vault.open(template: template, effect: effect, merchant: merchant)
    }

    func seal(whole document: [UInt8], of stream: Uuid, merchant: MerchantNumber) -> [UInt8] {
        vault.seal(whole: document, of: stream, merchant: merchant)
    }

    func open(whole sealed: [UInt8], of stream: Uuid, merchant: MerchantNumber) throws(VaultFailure) -> [UInt8] {
        try vault.open(whole: sealed, of: stream, merchant: merchant)
    }

    func forgetKeys() { vault.forgetKeys() }

    func keepOriginal(_ body: [UInt8], input: Uuid, merchant: MerchantNumber) async {
        await vault.keepOriginal(body, input: input, merchant: merchant)
    }
}
