import Crypto
import EventSourcing
package import Http
package import Kernel
import Payments
import ProviderKit
import Telemetry

/// What the page of a payment link shows, and what it begins.
extension Api {
    /// The page by its token; `payment` is one that this payer has begun.
    package func linkPage(_ token: String, payment: PaymentId?) async throws(Problem) -> PaymentLinkPage {
        let (token, link, terms) = try await linked(token)
        let form = random.uuid(at: now)
        let state = try await state(of: link, terms, payment, token.merchant)
        return PaymentLinkPage(terms, state, form: form, seal: token.seal(form, keys))
    }

    /// Begins a payment by the method that its payer chose; the same form begins one payment, however often it is sent.
    ///
    /// Of a link of one use each try has one payment, whoever begins it: the next one may begin once it has ended without money.
    package func pay(by token: String, _ choice: PaymentLinkChoice) async throws(Problem) -> PaymentId {
        let (token, link, terms) = try await linked(token)
        guard let form = Uuid(choice.form), token.isSeal(choice.seal, of: form, keys) else {
            throw Problem(
                status: 403,
                code: "form_token_wrong",
                detail: "The form was not given out with this page. Nothing was done."
            )
        }
        if let pause = linkLimiter.take(link.id.uuid, at: now) {
            throw .tooMany(pause, "More payments are begun by this link than may be.")
        }
        let standing = try await standing(of: link, token.merchant)
        // A payment that is under way, or paid, is the answer to whoever sends the form again.
        if let last = standing.payments.last, last.linkResult != .ended { return last.id }
        let payment =
            terms.uses == .once ? link.payment(standing.payments.count + 1) : link.payment(of: form)
        let stream = StreamName(token.merchant, .payment, payment.uuid)
        guard try await reader.payment(stream) == nil else { return payment }
        guard standing.status == .open else {
            throw Problem(.paymentLinkClosed, "Nothing begins by this payment link any more.")
        }
        guard places.take(token.merchant) else {
            throw .tooMany(.seconds(1), "This merchant has as many requests open as it may.")
        }
        defer { places.release(token.merchant) }
        let offered = try await offers(of: terms, for: payment, token.merchant)
        guard let offer = offered.first(where: { $0.method.rawValue == choice.method }) else {
            throw Problem(.routeMissing, "No account takes this payment by this method.", path: "method")
        }
        do throws(Problem) {
            let command = call(link, terms, offer, choice, payment, token.merchant)
            _ = try await submit(try await newPayment(command))
        } catch {
            // The same form was sent a moment ago with another choice, or another form has begun it in the meantime.
            let isRepeated = error.code == ProblemCode.idempotencyConflict.rawValue
            if !isRepeated, try await reader.payment(stream) == nil { throw error }
        }
        return payment
    }

    /// Where a payer goes who comes back from the provider, if the payment was begun by a link.
    func linkAddress(of payment: Payment, _ merchant: MerchantNumber) -> String? {
        guard let link = payment.terms?.paymentLink else { return nil }
        let token = PaymentLinkToken(merchant, link).text(keys)
        let language = payment.terms?.pageLanguage.map { "&lang=\($0.rawValue)" } ?? ""
        return "\(PaymentLinkToken.path)/\(token)?payment=\(payment.id)\(language)"
    }

    // MARK: The link

    private func linked(_ text: String) async throws(Problem) -> (PaymentLinkToken, PaymentLink, PaymentLinkTerms) {
        guard let token = PaymentLinkToken(text, keys),
            let link = try await reader.paymentLink(token.link, merchant: token.merchant), let terms = link.terms
        else { throw Problem(.paymentLinkUnknown, "There is no such payment link.") }
        return (token, link, terms)
    }

    private func state(
        of link: PaymentLink,
        _ terms: PaymentLinkTerms,
        _ payment: PaymentId?,
        _ merchant: MerchantNumber
    ) async throws(Problem) -> PaymentLinkPage.State {
        let standing = try await standing(of: link, merchant)
        var last = standing.payments.last
        if terms.uses == .many, let payment {
            let found = try await reader.payment(StreamName(merchant, .payment, payment.uuid))?.payment
            if found?.terms?.paymentLink == link.id { last = found }
        }
        guard standing.status != .paid else { return .paid }
        switch last?.linkResult {
        case .paid?: return .paid
        case .unknown?: return .unknown
        case .pending?:
            guard let last else { return .unknown }
            return .pending(last.id, address: await address(of: last, merchant))
        case .ended?, nil: break
        }
        // An earlier one of unknown outcome blocks as well.
        guard standing.status != .pending else { return .unknown }
        guard standing.status == .open else { return .closed(standing.status) }
        let next = terms.uses == .once ? link.payment(standing.payments.count + 1) : link.payment(1)
        let methods = try await offers(of: terms, for: next, merchant).map(\.method.rawValue)
        return methods.isEmpty ? .closed(.open) : .open(methods, hasFailed: last != nil)
    }

    /// Where the payer goes on at the provider; `nil` while there is nothing to do.
    private func address(of payment: Payment, _ merchant: MerchantNumber) async -> String? {
        guard !payment.isMisdirected, let action = payment.payerAction, action != .approval,
            let rendered = try? await handovers.render(StreamName(merchant, .payment, payment.id.uuid), nil),
            case .redirect(let url) = rendered
        else { return nil }
        return url
    }

    // MARK: Methods

    /// A method that the page offers, by the adapter that serves it.
    struct PageOffer: Sendable {
        let adapter: any DeviceAdapter
        /// Whether the routing is narrowed to its provider: the rules choose another one by themselves.
        let isNarrowed: Bool
        /// How long its payment may be paid.
        let lifetime: Duration

        var method: PayerMethod { adapter.payerMethod }
    }

    /// The methods that an account serves now, in the order of the page.
    func offers(of terms: PaymentLinkTerms, for payment: PaymentId, _ merchant: MerchantNumber)
        async throws(Problem) -> [PageOffer]
    {
        guard try await reader.merchant(merchant).suspendedAt == nil else { return [] }
        let accounts = adapters.routed(try await reader.accounts(merchant: merchant))
        let routing = try await reader.routing(merchant: merchant)
        var offers: [PageOffer] = []
        // What the rules choose unasked comes first; the others are asked for by their providers.
        let providers: [String?] = [nil] + adapters.ids.map(Optional.some)
        for provider in providers {
            let chosen = routing.route(terms.question(payment, provider), among: accounts, at: now).chosen
            guard let chosen, let adapter = adapters[chosen.provider]?.device,
                terms.methods.isEmpty || terms.methods.contains(adapter.payerMethod),
                !offers.contains(where: { $0.method == adapter.payerMethod })
            else { continue }
            let settings = try await reader.settings(of: chosen, merchant)
            let page = (try? adapter.capabilities(settings))?.lifetimes.page
            let lifetime = min(PaymentLink.tryLifetime, page ?? PaymentLink.tryLifetime)
            guard serves(adapter, settings, terms, until: now.adding(lifetime)) else { continue }
            offers.append(PageOffer(adapter: adapter, isNarrowed: provider != nil, lifetime: lifetime))
        }
        return PayerMethod.allCases.compactMap { method in offers.first { $0.method == method } }
    }

    /// Whether the adapter would take a payment of these terms.
    private func serves(
        _ adapter: any DeviceAdapter,
        _ settings: AccountSettings,
        _ terms: PaymentLinkTerms,
        until end: Timestamp
    ) -> Bool {
        let details = adapter.details(of: terms.order(email: "payer@example.com", .en))
        let wanted = PaymentTerms(
            mode: terms.mode,
            method: .hosted,
            amount: terms.amount,
            reference: terms.reference,
            description: terms.description,
            customer: terms.customer,
            instrument: nil,
            expiresAt: end,
            details: details,
            metadata: terms.metadata
        )
        do throws(PlanFailure) {
            try adapter.refuseDropped(details, for: .payment(terms.mode, .hosted), settings)
            try adapter.check(wanted, settings, at: now)
            return true
        } catch {
            return false
        }
    }

    // MARK: The command

    /// The command that creates the payment, as a merchant's backend would send it.
    private func call(
        _ link: PaymentLink,
        _ terms: PaymentLinkTerms,
        _ offer: PageOffer,
        _ choice: PaymentLinkChoice,
        _ payment: PaymentId,
        _ merchant: MerchantNumber
    ) -> Call {
        let provider = offer.isNarrowed ? offer.adapter.declaration.id : nil
        let order = terms.order(email: choice.email, PageLanguage(named: choice.language) ?? terms.language ?? .en)
        let body: Json = .compact([
            ("mode", .string(terms.mode.rawValue)), ("method", .string(PaymentMethod.hosted.rawValue)),
            ("amount", terms.amount.json), ("reference", terms.reference.map(Json.string)),
            ("description", terms.description.map(Json.string)), ("customer", terms.customer.map(Json.string)),
            ("country", terms.country.map(Json.string)), ("provider", provider.map(Json.string)),
            ("accountMode", terms.accountMode.map { .string($0.rawValue) }),
            ("details", offer.adapter.details(of: order)), ("metadata", terms.metadata),
        ])
        var call = Call(
            endpoint: PaymentEndpoints.create,
            path: PathParameters([]),
            caller: Caller(
                keyId: Uuid(high: 0, low: 0),
                name: link.id.text,
                merchant: merchant,
                merchantName: terms.payee,
                scopes: [.commands]
            ),
            actor: Actor(id: link.id.text, isOperator: false),
            key: "link:\(link.id):\(payment.uuid.compact):\(choice.form)",
            body: body,
            trace: TraceContext.new(from: random),
            now: now
        )
        let end = now.adding(offer.lifetime)
        call.linked = LinkedPayment(
            payment: payment,
            link: link.id,
            language: PageLanguage(named: choice.chosen),
            expiresAt: min(terms.expiresAt ?? end, end)
        )
        return call
    }
}

extension PageLanguage {
    fileprivate init?(named word: String?) {
        guard let word else { return nil }
        self.init(rawValue: word)
    }
}

extension PaymentLinkTerms {
    /// The question to the rules for a payment by this link.
    fileprivate func question(_ payment: PaymentId, _ provider: String?) -> RouteQuestion {
        RouteQuestion(
            payment: payment,
            mode: mode,
            method: .hosted,
            amount: amount,
            country: country,
            customer: customer,
            provider: provider,
            accountMode: accountMode
        )
    }

    fileprivate func order(email: String, _ language: PageLanguage) -> PageOrder {
        PageOrder(
            amount: amount,
            title: description ?? reference ?? payee,
            email: email,
            language: language.rawValue
        )
    }
}
