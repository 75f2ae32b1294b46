import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit

extension Api {
    /// Hands the exact bytes on; the answer is the one that the provider expects.
    func notification(_ request: HttpRequest, _ path: PathParameters) async throws(Problem) -> HttpResponse {
        guard let provider = path["provider"], adapters[provider] != nil, let address = try await address(path) else {
            throw Problem(.routeUnknown, "There is nothing at this path.")
        }
        return await engine.notifications.receive(
            request,
            provider: provider,
            merchant: address.merchant,
            account: address.account
        )
    }

    /// Nothing is looked up, and no provider asked, for an address from which too many come: they see what strangers see, and a timer asks.
    func browserReturn(_ request: HttpRequest, _ path: PathParameters) async throws(Problem) -> HttpResponse {
        guard returnLimiter.take(StrangerGate.site(of: request), at: now) == nil else {
            return ReturnPage(shop: nil).response
        }
        return try await returned(path, nil)
    }

    func bankReturn(_ request: HttpRequest, _ path: PathParameters) async throws(Problem) -> HttpResponse {
        if let pause = bankLimiter.take(StrangerGate.site(of: request), at: now) {
            throw .tooMany(pause, "More is posted from this address than may.")
        }
        return try await returned(path, request.body)
    }

    /// Shows the same page to everybody; only the way back to the shop is the payment's own.
    private func returned(_ path: PathParameters, _ form: [UInt8]?) async throws(Problem) -> HttpResponse {
        guard let address = try await address(path), let reference = path["reference"], isReference(reference) else {
            throw Problem(.routeUnknown, "There is nothing at this path.")
        }
        let stream = await engine.notifications.browserReturned(
            reference: reference,
            account: address.account,
            merchant: address.merchant
        )
        var shop: String?
        if let stream, let found = try? await reader.payment(stream) {
            if let form { await bankReturned(form, stream, found.payment) }
            if let link = linkAddress(of: found.payment, stream.merchant) {
                return ReturnPage(shop: engine.publicUrl + link).leading(to: link)
            }
            shop = found.payment.terms?.details.at("urls", "return")?.text
        }
        return ReturnPage(shop: shop).response
    }

    /// The merchant and the account of a path, each by its name or by its number or id.
    private func address(_ path: PathParameters) async throws(Problem) -> (merchant: MerchantNumber, account: Uuid)? {
        try CardScreen.check(path)
        guard let name = path["merchant"], let account = path["account"] else { return nil }
        var merchant = Int32(name).map { MerchantNumber($0) }
        if merchant == nil {
            merchant = try await reader.merchant(named: name)
        }
        guard let merchant, merchant.value > 0 else { return nil }
        return (merchant, Uuid(account) ?? DerivedNames.account(merchant, name: account))
    }

    /// The form of the names that we give to providers.
    private func isReference(_ text: String) -> Bool {
        (1...Limits.providerReferenceBytes).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
            }
    }

    /// Takes what a bank's page posts in the payer's browser: it completes the operation that waits for it; it is kept in memory alone.
    private func bankReturned(_ form: [UInt8], _ stream: StreamName, _ payment: Payment) async {
        guard let text = String(validating: form, as: UTF8.self), let fields = FormEncoding.decode(text),
            let account = payment.account, let adapter = adapters[account.provider]?.device, let terms = payment.terms,
            let reference = payment.attempt?.reference, keepsOnce,
            let settings = try? await reader.settings(of: account, stream.merchant)
        else { return }
        let issued = IssuedPayment(reference: reference, terms: terms, settings: settings.values)
        guard let claim = adapter.returnedClaim(fields, of: issued) else { return }
        let kept = kept(claim, adapter.onceClaimPaths, of: stream.id, stream.merchant)
        guard let read = try? adapter.appResult(kept, of: issued), read.completion != nil else { return }
        let command = read.command
        _ = await take(
            Submission(
                merchant: stream.merchant,
                key: "return:\(reference):\(Hex.encode(Digest.sha256(form)).prefix(32))",
                stream: stream,
                name: command.name.text(in: stream.kind),
                body: command.canonical,
                fingerprint: command.json,
                actor: Actor(id: "payer", isOperator: false),
                account: nil,
                traceparent: nil,
                correlation: nil
            )
        )
    }
}
