import EventSourcing
package import Http
import Kernel
import Payments
import ProviderKit

extension Api {
    /// Routes without an API key: what providers, browsers and probes call.
    func open(_ route: Route, _ request: HttpRequest, _ path: PathParameters) async throws(Problem) -> HttpResponse {
        guard route.body == .raw || request.body.isEmpty else {
            throw Problem(.bodyNotAllowed, "This request takes no body.")
        }
        switch route {
        case .notification: return try await notification(request, path)
        case .browserReturn: return try await browserReturn(path, nil)
        case .bankReturn: return try await browserReturn(path, request.body)
        case .openApi: return .json(200, OpenApi.document).with("Cache-Control", "public, max-age=300")
        case .health: return .json(200, ["status": "ok"])
        case .readiness:
            if let reason = await ports.vitals.unreadiness() { throw Problem(.notReady, reason) }
            let followers = await ports.vitals.followers().map(\.json)
            return .json(200, ["followers": .array(followers), "status": "ready"])
        case .metrics:
            guard ports.vitals.showsMetrics(to: request) else {
                throw Problem(
                    .routeUnknown,
                    "The metrics are not shown here: ask on the daemon's own machine, or where PAYSTREAM_METRICS_LISTEN says."
                )
            }
            return .metrics(await ports.vitals.metrics())
        case .getClock, .ownClock, .advanceClock, .createSchedule, .listSchedules, .previewSchedule, .getSchedule,
            .changeSchedule, .pauseSchedule,
            .resumeSchedule,
            .cancelSchedule, .runOccurrence, .listOccurrences, .previewOccurrences, .scheduleEvents, .listDunning,
            .keepDunning, .listZones, .listCalendars:
            preconditionFailure("schedules are performed for a caller")
        case .createPayment, .listPayments, .getPayment, .confirmPayment, .capturePayment, .completeDelivery,
            .voidPayment,
            .refundPayment, .syncPayment, .appParameters, .signature, .nextAction, .paymentEvents, .paymentReadModel,
            .openDispute, .winDispute, .loseDispute, .addEvidence, .addTransferEvidence, .proposeResolution,
            .approveResolution, .listUnresolved,
            .configureAccount, .listAccounts, .getRouting, .setRouting, .getInstrument, .removeInstrument,
            .checkInstrument,
            .inboxOutcome, .createTransfer, .listTransfers, .getTransfer, .confirmTransfer, .syncTransfer,
            .transferAppParameters, .transferNextAction, .transferEvents, .proposeTransferResolution,
            .approveTransferResolution, .testConnection, .openSession, .listProducts, .getProduct, .checkFields,
            .cardPrefix, .getRoutes, .setRoutes, .explainRoute, .listInstruments:
            preconditionFailure("routes with a scope are performed for a caller")
        }
    }

    /// Hands the exact bytes on; the answer is the one that the provider expects.
    private func notification(_ request: HttpRequest, _ path: PathParameters) async throws(Problem) -> HttpResponse {
        guard let provider = path["provider"], adapters[provider] != nil, let place = try await place(path) else {
            throw Problem(.routeUnknown, "There is nothing at this path.")
        }
        return await ports.notifications.receive(
            request,
            provider: provider,
            merchant: place.merchant,
            account: place.account
        )
    }

    /// Shows the same page to everybody; only the way back to the shop is the payment's own.
    private func browserReturn(_ path: PathParameters, _ form: [UInt8]?) async throws(Problem) -> HttpResponse {
        guard let place = try await place(path), let reference = path["reference"], isReference(reference) else {
            throw Problem(.routeUnknown, "There is nothing at this path.")
        }
        let stream = await ports.notifications.browserReturned(
            reference: reference,
            account: place.account,
            merchant: place.merchant
        )
        var shop: String?
        if let stream, let found = try? await ports.reader.payment(stream, upTo: nil) {
            if let form { await bankReturned(form, stream, found.payment) }
            shop = found.payment.terms?.details.at("urls", "return")?.text
        }
        return ReturnPage(shop: shop).response
    }

    /// The merchant and the account of a path, each by its name or by its number or id.
    private func place(_ path: PathParameters) async throws(Problem) -> (merchant: MerchantNumber, account: Uuid)? {
        try CardScreen.check(path)
        guard let name = path["merchant"], let account = path["account"] else { return nil }
        var merchant = Int32(name).map { MerchantNumber($0) }
        if merchant == nil {
            merchant = try await read { () async throws(ReadFailure) in try await ports.reader.merchant(named: name) }
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
}

extension HttpResponse {
    /// A page in Prometheus' text format.
    package static func metrics(_ page: String) -> HttpResponse {
        HttpResponse(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: Array(page.utf8))
    }
}
