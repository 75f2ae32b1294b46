package import EventSourcing
package import Http
package import Kernel

/// Takes a provider's notification and makes the answer that the provider expects.
package protocol NotificationDesk: Sendable {
    func receive(
        _ request: HttpRequest,
        provider: String,
        merchant: MerchantNumber,
        account: Uuid
    ) async -> HttpResponse

    /// Where a provider sends the notifications of an account.
    func address(of account: Uuid, provider: String, merchant: MerchantNumber) -> String

    /// Notes that the payer's browser came back for our payment reference at an account; decides nothing.
    ///
    /// Answers the payment's stream where there is one.
    func browserReturned(reference: String, account: Uuid, merchant: MerchantNumber) async -> StreamName?
}
