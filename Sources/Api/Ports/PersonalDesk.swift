package import EventSourcing
package import Kernel

/// Seals personal fields of a command.
package protocol PersonalDesk: Sendable {
    /// Seals the values at the paths under the payer's key.
    func seal(
        _ document: Json,
        paths: [JsonPath],
        customer: String?,
        payment: PaymentId,
        merchant: MerchantNumber
    ) async throws(ReadFailure) -> Json

    /// Seals secrets for an account's configuration: name to value.
    func seal(secrets: [String: Secret], account: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Json
}
