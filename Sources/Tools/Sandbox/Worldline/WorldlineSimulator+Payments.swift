import Crypto
import Kernel

/// How payments begin: by encrypted input, by a stored card, as a successor, on a page.
extension WorldlineSimulator {
    /// Amounts that decide by themselves, in minor units.
    enum Trigger {
        static let declined: Int64 = 1302
        static let uncertain: Int64 = 1203
        static let captureRefused: Int64 = 1309
        static let captureUncertain: Int64 = 1209
        static let refundRefused: Int64 = 1303
    }

    mutating func createPayment(_ body: Json, _ merchant: WorldlineMerchant) throws(WorldlineRefusal) -> SandboxAnswer {
        try WorldlineShape.payment.check(body)
        if let mobile = body["mobilePaymentMethodSpecificInput"] { return try createWallet(mobile, body, merchant) }
        let input = body["cardPaymentMethodSpecificInput"] ?? [:]
        let (card, token) = try card(body, input, merchant)
        if input["isRecurring"]?.flag == true, input["unscheduledCardOnFileRequestor"] != nil {
            throw .invalid("cardPaymentMethodSpecificInput.unscheduledCardOnFileRequestor", "not with isRecurring")
        }
        try checkAgreement(input, token)
        let returnUrl = (input.at("threeDSecure", "redirectionData", "returnUrl") ?? input["returnUrl"])?.text
        let number = try begin(body, input, card, token, merchant, returnUrl: returnUrl)
        if asksPayer(card, input, isStored: token != nil) {
            guard returnUrl != nil else {
                throw .invalid("cardPaymentMethodSpecificInput.threeDSecure.redirectionData.returnUrl", "is needed")
            }
            change(number) { $0.begun = .redirected }
        } else {
            authorize(number)
        }
        return created(number)
    }

    /// A device wallet pays at once; each of its payloads pays once.
    private mutating func createWallet(_ input: Json, _ body: Json, _ merchant: WorldlineMerchant)
        throws(WorldlineRefusal) -> SandboxAnswer
    {
        let place = "mobilePaymentMethodSpecificInput"
        let product = input["paymentProductId"]?.integer ?? 0
        guard product == 302 || product == 320 else { throw .invalid("\(place).paymentProductId", "302 or 320") }
        if body["encryptedCustomerInput"] == nil {
            guard let data = input["encryptedPaymentData"]?.text, !data.isEmpty else {
                throw .invalid("\(place).encryptedPaymentData", "is needed")
            }
            guard product == 320 || (input["ephemeralKey"] != nil && input["publicKeyHash"] != nil) else {
                throw .invalid("\(place).ephemeralKey", "Apple's key and hash are needed")
            }
            let digest = Hex.encode(Digest.sha256(Array(data.utf8)))
            guard usedInputs.insert(digest).inserted else {
                throw .invalid("\(place).encryptedPaymentData", "was used before")
            }
        } else {
            _ = try card(body, input, merchant)
        }
        let secure = input.at("paymentProduct320SpecificInput", "threeDSecure", "redirectionData", "returnUrl")?.text
        let number = try begin(body, input, .test(.frictionless, product: product), nil, merchant, returnUrl: secure)
        authorize(number)
        return created(number)
    }

    mutating func subsequentPayment(
        _ body: Json,
        of id: String,
        _ merchant: WorldlineMerchant
    ) throws(WorldlineRefusal) -> SandboxAnswer {
        try WorldlineShape.subsequent.check(body)
        let first = try known(id, merchant)
        let input = body["subsequentcardPaymentMethodSpecificInput"] ?? [:]
        guard first.token != nil else { throw .invalid("paymentId", "the first payment stored no card") }
        let (card, token) = try card(body, ["token": input["token"] ?? .string(first.token ?? "")], merchant)
        let number = try begin(body, input, card, token, merchant, returnUrl: nil)
        authorize(number)
        return created(number)
    }

    /// The answer to a new payment: 201, or 402 with the payment where it was declined.
    private func created(_ number: String) -> SandboxAnswer {
        guard let payment = payments[number] else { return .text(500, "No payment.\n") }
        let creation: Json = .compact([
            ("externalReference", payment.reference.map(Json.string)), ("token", payment.token.map(Json.string)),
            ("isNewToken", payment.token == nil ? nil : .bool(payment.savesCard)),
            ("tokenizationSucceeded", payment.savesCard ? .bool(payment.token != nil) : nil),
        ])
        if payment.begun == .declined {
            let refusal = WorldlineRefusal(status: 402, code: payment.declineCode, message: "DECLINED")
            return refusal.answer([("paymentResult", ["creationOutput": creation, "payment": json(payment)])])
        }
        let action: Json? =
            payment.begun == .redirected
            ? [
                "actionType": "REDIRECT",
                "redirectData": [
                    "RETURNMAC": .string(payment.mac),
                    "redirectURL": .string("\(configuration.address)/worldline/3ds/\(payment.id)"),
                ],
            ] : nil
        return .json(
            201,
            .compact([("creationOutput", creation), ("merchantAction", action), ("payment", json(payment))])
        )
    }

    /// The card of a request, and its token where it is a stored one.
    private mutating func card(
        _ body: Json,
        _ input: Json,
        _ merchant: WorldlineMerchant
    ) throws(WorldlineRefusal) -> (WorldlineCard, String?) {
        if let id = input["token"]?.text {
            guard let token = tokens[id], token.merchant == merchant.id, !token.isForgotten else {
                throw .invalid("cardPaymentMethodSpecificInput.token", "UNKNOWN_TOKEN")
            }
            return (token.card, id)
        }
        guard let blob = body["encryptedCustomerInput"]?.text else {
            throw .invalid("encryptedCustomerInput", "neither an input nor a token")
        }
        let parts = blob.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 5, parts.allSatisfy({ !$0.isEmpty && Base64.decode($0, .url) != nil }) else {
            throw .invalid("encryptedCustomerInput", "can't be read")
        }
        let digest = Hex.encode(Digest.sha256(Array(blob.utf8)))
        guard usedInputs.insert(digest).inserted else { throw .invalid("encryptedCustomerInput", "was used before") }
        let product = input["paymentProductId"]?.integer
        guard let card = inputs.removeValue(forKey: digest) else {
            return (.test(.challenge, product: product ?? 1), nil)
        }
        return (
            WorldlineCard(
                behaviour: card.behaviour,
                product: product ?? card.product,
                masked: card.masked,
                expiry: card.expiry
            ), nil
        )
    }

    /// Demands a stored card for what a merchant begins by itself, and a network's reference of a payment by that card.
    private func checkAgreement(_ input: Json, _ token: String?) throws(WorldlineRefusal) {
        let isMerchants =
            input["unscheduledCardOnFileRequestor"]?.text == "merchantInitiated"
            || input.at("recurring", "recurringPaymentSequenceIndicator")?.text == "recurring"
        guard !isMerchants || token != nil else {
            throw .invalid("cardPaymentMethodSpecificInput.token", "a series goes on with a stored card")
        }
        guard let reference = input["initialSchemeTransactionId"]?.text else { return }
        let isKnown = payments.values.contains { $0.schemeReference == reference && $0.token == token }
        guard isKnown else {
            throw .invalid("cardPaymentMethodSpecificInput.initialSchemeTransactionId", "UNKNOWN_REFERENCE")
        }
    }

    private func asksPayer(_ card: WorldlineCard, _ input: Json, isStored: Bool) -> Bool {
        if input["unscheduledCardOnFileRequestor"]?.text == "merchantInitiated" { return false }
        if input.at("recurring", "recurringPaymentSequenceIndicator")?.text == "recurring" { return false }
        if input["transactionChannel"]?.text == "MOTO" { return false }
        let secure = input["threeDSecure"]
        if secure?["challengeIndicator"]?.text == "challenge-required" { return true }
        return !isStored && card.behaviour == .challenge && secure?["skipAuthentication"]?.flag != true
    }

    /// Makes a payment that nobody has decided on.
    mutating func begin(
        _ body: Json,
        _ input: Json,
        _ card: WorldlineCard,
        _ token: String?,
        _ merchant: WorldlineMerchant,
        returnUrl: String?,
        checkout: WorldlineCheckout? = nil
    ) throws(WorldlineRefusal) -> String {
        let amount = try Self.money(body.at("order", "amountOfMoney"), "order.amountOfMoney")
        let isFirst = input.at("recurring", "recurringPaymentSequenceIndicator")?.text == "first"
        let payment = WorldlinePayment(
            number: nextNumber(),
            merchant: merchant.id,
            idForm: merchant.idForm,
            mode: input["authorizationMode"]?.text.flatMap(WorldlinePayment.Mode.init) ?? .sale,
            amount: amount,
            reference: body.at("order", "references", "merchantReference")?.text,
            customer: body.at("order", "customer", "merchantCustomerId")?.text,
            card: card,
            savesCard: token == nil && (isFirst || input["tokenize"]?.flag == true),
            token: token,
            webhookUrls: (body.at("feedbacks", "webhooksUrls")?.items ?? []).compactMap(\.text),
            returnUrl: returnUrl,
            mac: checkout?.mac ?? nextUuid(),
            checkout: checkout?.id,
            initialReference: input["initialSchemeTransactionId"]?.text,
            seriesIndicator: Self.indicator(input),
            begun: .created,
            changedAt: now
        )
        payments[payment.number] = payment
        paymentNumbers.append(payment.number)
        return payment.number
    }

    /// The merchant's word about the payment's place in a series, for those who look at the sandbox.
    private static func indicator(_ input: Json) -> String? {
        if let word = input.at("recurring", "recurringPaymentSequenceIndicator")?.text { return "recurring \(word)" }
        guard let requestor = input["unscheduledCardOnFileRequestor"]?.text else { return nil }
        return "\(requestor) \(input["unscheduledCardOnFileSequenceIndicator"]?.text ?? "")"
    }

    static func money(_ json: Json?, _ path: String) throws(WorldlineRefusal) -> Money {
        guard let currency = json?["currencyCode"]?.text.flatMap({ Currency($0) }),
            let minor = json?["amount"]?.integer,
            (0...999_999_999_999).contains(minor)
        else { throw .invalid(path, "is no amount") }
        return Money(minor, currency)
    }

    /// Changes a payment and tells of its new beginning.
    mutating func change(_ number: String, _ body: (inout WorldlinePayment) -> Void) {
        guard var payment = payments[number] else { return }
        body(&payment)
        payment.changedAt = now
        payments[number] = payment
        announce(payment, nil)
    }

    /// The acquirer decides on a payment.
    mutating func authorize(_ number: String, declines: Bool = false) {
        guard let payment = payments[number] else { return }
        if takeFault("payment", [.pending]) != nil { return change(number) { $0.begun = .authorizing } }
        let isDeclined =
            declines || payment.card.behaviour == .declined || payment.amount.minor == Trigger.declined
            || takeFault("payment", [.declined]) != nil
        if isDeclined { return change(number) { $0.begun = .declined } }
        if payment.amount.minor == Trigger.uncertain, payment.begun != .uncertain {
            return change(number) { $0.begun = .uncertain }
        }
        if payment.savesCard { store(number) }
        if payment.mode == .sale {
            change(number) { $0.begun = .captureRequested }
            add(.settle(number, operation: nil), after: configuration.timings.settlement)
        } else {
            book(.hold, payment.amount.minor, payment, payment.id)
            change(number) { $0.begun = .authorized }
        }
    }

    /// Stores the card of a payment; a card that is known keeps its token.
    private mutating func store(_ number: String) {
        guard let payment = payments[number] else { return }
        let known = tokens.values.first { token in
            token.merchant == payment.merchant && !token.isForgotten && token.card.masked == payment.card.masked
                && token.card.expiry == payment.card.expiry
        }
        let id = known?.id ?? nextUuid()
        if known == nil {
            let card = WorldlineCard(
                behaviour: .frictionless,
                product: payment.card.product,
                masked: payment.card.masked,
                expiry: payment.card.expiry
            )
            tokens[id] = WorldlineToken(id: id, merchant: payment.merchant, card: card)
        }
        payments[number]?.token = id
    }

    /// The acquirer's answer came.
    mutating func settle(_ number: String, _ operation: Int?, declines: Bool = false) {
        guard let payment = payments[number] else { return }
        if let operation { return settleOperation(payment, operation, declines: declines) }
        switch payment.begun {
        case .authorizing, .uncertain: authorize(number, declines: declines)
        case .captureRequested:
            if declines { return change(number) { $0.begun = .declined } }
            book(.charge, payment.amount.minor, payment, payment.id)
            change(number) { $0.begun = .captured }
        case .created, .redirected, .authorized, .declined, .cancelledByPayer, .captureUncertain, .captured,
            .captureRefused, .cancelRequested, .cancelled, .cancelRefused, .refundRequested, .refundUncertain,
            .refunded, .refundRefused:
            break
        }
    }
}
