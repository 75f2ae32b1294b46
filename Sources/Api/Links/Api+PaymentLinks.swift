import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Projections

extension Api {
    // MARK: Commands

    func createPaymentLink(_ call: Call) async throws(Problem) -> HttpResponse {
        let form = try PaymentLinkForm(call.body, payee: call.caller.merchantName)
        let id = PaymentLinkId(.version5(namespace: call.inputId, name: "paymentLink"))
        // One that this command made before is shown again, whatever the accounts take by now.
        if try await reader.paymentLink(id, merchant: call.merchant) == nil {
            try await checkServed(form.terms, id, call)
        }
        return try await submit(.create(form.terms), to: id, call, done: 201)
    }

    func deactivatePaymentLink(_ call: Call) async throws(Problem) -> HttpResponse {
        _ = try Form(call.body).end()
        return try await submit(.deactivate, to: try await paymentLinkInPath(call).id, call)
    }

    private func submit(_ command: PaymentLinkCommand, to id: PaymentLinkId, _ call: Call, done: Int = 200)
        async throws(Problem) -> HttpResponse
    {
        let stream = StreamName(call.merchant, .paymentLink, id.uuid)
        let submitted = try await submit(call.submission(stream, command.name.rawValue, command.canonical))
        guard let link = try await reader.paymentLink(id, merchant: call.merchant), link.terms != nil else {
            return .json(202, ["id": id.json, "object": "paymentLink"])
        }
        return .outcome(of: submitted, try await shown(link, call.merchant), done: done)
    }

    /// Refuses a link that nobody could pay, or not by a method that it names.
    private func checkServed(_ terms: PaymentLinkTerms, _ id: PaymentLinkId, _ call: Call) async throws(Problem) {
        let served = try await offers(of: terms, for: PaymentLink(id: id).payment(1), call.merchant).map(\.method)
        for (index, method) in terms.methods.enumerated() where !served.contains(method) {
            throw Problem(
                .routeMissing,
                "No account of the routing takes such a payment by \(method.rawValue).",
                path: "methods.\(index)"
            )
        }
        guard !served.isEmpty else {
            throw Problem(.routeMissing, "No account of the routing takes such a payment on a page.")
        }
    }

    // MARK: Reading

    func getPaymentLink(_ call: Call) async throws(Problem) -> HttpResponse {
        .json(200, try await shown(try await paymentLinkInPath(call), call.merchant))
    }

    func listPaymentLinks(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        let seal = seal(of: form, call)
        let limit = try form.integer("limit", in: 1...Limits.pageRows) ?? 20
        let behind = try form.cursor(seal)
        try form.end()
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.paymentLinks(of: call.merchant, behind: behind, limit: limit + 1)
        }
        let page = found.prefix(limit)
        var items: [Json] = []
        for cursor in page {
            if let item = try await listed(PaymentLinkId(cursor.id), call) { items.append(item) }
        }
        return Self.page(items, next: found.count > limit ? page.last.map(seal.text) : nil)
    }

    /// A link as lists show it; one that can't be read, or whose payments can't, stops none of the others.
    private func listed(_ id: PaymentLinkId, _ call: Call) async throws(Problem) -> Json? {
        do throws(Problem) {
            guard let link = try await reader.paymentLink(id, merchant: call.merchant) else { return nil }
            return try await shown(link, call.merchant)
        } catch {
            guard error.isUnreadable else { throw error }
            return unreadable("paymentLink", id.text, error.detail, call)
        }
    }

    private func paymentLinkInPath(_ call: Call) async throws(Problem) -> PaymentLink {
        let unknown = Problem(.paymentLinkUnknown, "There is no such payment link.")
        guard let id = call.path["link"].flatMap({ PaymentLinkId($0) }),
            let link = try await reader.paymentLink(id, merchant: call.merchant), link.terms != nil
        else { throw unknown }
        return link
    }

    /// How a link stands now: a link of one use by all of its payments.
    func standing(of link: PaymentLink, _ merchant: MerchantNumber) async throws(Problem) -> PaymentLinkStanding {
        var payments: [Payment] = []
        while link.terms?.uses == .once, payments.count < PaymentLink.triesAtMost {
            let next = StreamName(merchant, .payment, link.payment(payments.count + 1).uuid)
            guard let found = try await reader.payment(next) else { break }
            payments.append(found.payment)
        }
        return PaymentLinkStanding(link, payments, at: now)
    }

    private func shown(_ link: PaymentLink, _ merchant: MerchantNumber) async throws(Problem) -> Json {
        let standing = try await standing(of: link, merchant)
        let token = PaymentLinkToken(merchant, link.id).text(keys)
        return link.document(standing, url: "\(engine.publicUrl)\(PaymentLinkToken.path)/\(token)")
    }
}

extension PaymentLink {
    /// As the API shows it.
    fileprivate func document(_ standing: PaymentLinkStanding, url: String) -> Json {
        let payments = standing.payments.map { payment -> Json in
            ["id": payment.id.json, "status": .string(payment.status.rawValue)]
        }
        let labels = terms.flatMap { $0.metadata.members?.isEmpty == true ? nil : $0.metadata }
        return .compact([
            ("id", id.json), ("object", "paymentLink"), ("version", .integer(Int64(version))),
            ("status", .string(standing.status.rawValue)), ("url", .string(url)), ("amount", terms?.amount.json),
            ("mode", (terms?.mode.rawValue).map(Json.string)), ("uses", (terms?.uses.rawValue).map(Json.string)),
            ("payee", (terms?.payee).map(Json.string)), ("description", terms?.description.map(Json.string)),
            ("reference", terms?.reference.map(Json.string)), ("customer", terms?.customer.map(Json.string)),
            ("country", terms?.country.map(Json.string)),
            ("accountMode", terms?.accountMode.map { .string($0.rawValue) }),
            ("methods", terms.map { .array($0.methods.map { .string($0.rawValue) }) }),
            ("returnUrl", terms?.returnUrl.map(Json.string)),
            ("language", terms?.language.map { .string($0.rawValue) }), ("expiresAt", terms?.expiresAt?.json),
            ("metadata", labels), ("createdAt", createdAt?.json), ("deactivatedAt", deactivatedAt?.json),
            ("payments", terms?.uses == .once ? .array(payments) : nil),
        ])
    }
}
