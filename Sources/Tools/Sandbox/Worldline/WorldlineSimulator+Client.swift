import Crypto
import Kernel

/// The app's side: sessions, products, card prefixes, stored cards, and the app itself.
extension WorldlineSimulator {
    mutating func createSession(_ body: Json, _ merchant: WorldlineMerchant) throws(WorldlineRefusal) -> SandboxAnswer {
        try WorldlineShape.session.check(body)
        let given = (body["tokens"]?.items ?? []).compactMap(\.text)
        let invalid = given.filter { id in
            guard let token = tokens[id], token.merchant == merchant.id else { return true }
            return token.isForgotten
        }
        let id = nextUuid()
        let customer = "\(merchant.id)-\(nextUuid().prefix(8))"
        sessions[id] = Session(merchant: merchant.id, customer: customer, until: now.adding(WorldlineTimings.session))
        return .json(
            201,
            .compact([
                ("assetUrl", .string("\(configuration.address)/worldline/assets/")),
                ("clientApiUrl", .string("\(configuration.address)/client")), ("clientSessionId", .string(id)),
                ("customerId", .string(customer)),
                ("invalidTokens", invalid.isEmpty ? nil : .array(invalid.map(Json.string))),
            ])
        )
    }

    func products(
        _ call: Call,
        _ path: [String],
        _ request: SandboxRequest,
        _ merchant: WorldlineMerchant
    ) throws(WorldlineRefusal) -> SandboxAnswer {
        let pairs = FormEncoding.decode(request.query) ?? []
        func value(_ name: String) -> String? { pairs.first { $0.name == name }?.value }
        guard let country = value("countryCode"), country.utf8.count == 2 else {
            throw .invalid("countryCode", "is needed")
        }
        guard value("currencyCode").flatMap({ Currency($0) }) != nil else {
            throw .invalid("currencyCode", "is needed")
        }
        let isRecurring = value("isRecurring") == "true"
        let listed = WorldlineProduct.all.filter { $0.isOffered(in: country, isRecurring: isRecurring) }
        let accounts =
            merchant.listsAccounts
            ? tokens.values.filter { $0.merchant == merchant.id && !$0.isForgotten }.sorted { $0.id < $1.id } : []
        let locale = value("locale") ?? "en_GB"
        guard call != .products else {
            return .json(
                200,
                ["paymentProducts": .array(listed.map { $0.json(accounts, locale, configuration.address) })]
            )
        }
        guard let id = Int64(path[1]), let product = listed.first(where: { $0.id == id }) else { throw .unknownId }
        return call == .networks
            ? .json(200, ["networks": .array(product.networks.map(Json.string))])
            : .json(200, product.json(accounts, locale, configuration.address))
    }

    func iin(_ body: Json) throws(WorldlineRefusal) -> SandboxAnswer {
        try WorldlineShape.iin.check(body)
        let digits = body["bin"]?.text ?? ""
        guard (6...19).contains(digits.utf8.count), digits.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw .invalid("bin", "6 to 19 digits")
        }
        guard let range = WorldlineProduct.ranges.first(where: { digits.hasPrefix($0.prefix) }) else {
            throw .unknownId
        }
        let context = body["paymentContext"]
        let country = context?["countryCode"]?.text ?? ""
        func isAllowed(_ id: Int64) -> Json? {
            guard context != nil else { return nil }
            let product = WorldlineProduct.all.first { $0.id == id }
            return .bool(product?.isOffered(in: country, isRecurring: false) ?? false)
        }
        let brands: [Json] = range.brands.map { id in
            .compact([("isAllowedInContext", isAllowed(id)), ("paymentProductId", .integer(id))])
        }
        return .json([
            ("cardType", .string(range.type)), ("coBrands", brands.count > 1 ? .array(brands) : nil),
            ("countryCode", .string(range.country)), ("isAllowedInContext", isAllowed(range.brands[0])),
            ("paymentProductId", .integer(range.brands[0])),
        ])
    }

    mutating func token(
        _ call: Call,
        _ path: [String],
        _ body: Json,
        _ merchant: WorldlineMerchant
    ) throws(WorldlineRefusal) -> SandboxAnswer {
        if call == .makeToken {
            guard let blob = body["encryptedCustomerInput"]?.text else {
                throw .invalid("encryptedCustomerInput", "is needed")
            }
            let digest = Hex.encode(Digest.sha256(Array(blob.utf8)))
            guard usedInputs.insert(digest).inserted else {
                throw .invalid("encryptedCustomerInput", "was used before")
            }
            let card = inputs.removeValue(forKey: digest) ?? .test(.frictionless)
            if let known = tokens.values.first(where: { $0.merchant == merchant.id && $0.card.masked == card.masked }) {
                return .json(200, ["token": .string(known.id), "isNewToken": false])
            }
            let id = nextUuid()
            tokens[id] = WorldlineToken(id: id, merchant: merchant.id, card: card)
            return .json(201, ["token": .string(id), "isNewToken": true])
        }
        guard let token = tokens[path[1]], token.merchant == merchant.id, !token.isForgotten else { throw .unknownId }
        if call == .deleteToken {
            tokens[path[1]]?.isForgotten = true
            return SandboxAnswer(status: 204, contentType: "application/json", body: .bytes([]))
        }
        return .json([
            "id": .string(token.id), "paymentProductId": .integer(token.card.product),
            "card": [
                "alias": .string(token.card.masked),
                "data": [
                    "cardWithoutCvv": [
                        "cardNumber": .string(token.card.masked), "expiryDate": .string(token.card.expiry),
                    ]
                ],
            ],
        ])
    }

    /// An app with the kit: `{"session": <the session>, "card": "frictionless" | "challenge" | "declined", …}`; answers the
    /// encrypted input and the client info that it would send to the shop's backend.
    mutating func appEncrypts(_ request: SandboxRequest) -> SandboxAnswer {
        guard let fields = ControlFields(request), let id = fields.json.at("session", "clientSessionId")?.text,
            let session = sessions[id], now < session.until
        else { return .refused(422, "session_unknown", "The session is unknown or over.") }
        guard let behaviour = WorldlineCard.Behaviour(rawValue: fields.text("card") ?? "challenge") else {
            let known = WorldlineCard.Behaviour.allCases.map(\.rawValue).joined(separator: ", ")
            return .refused(422, "card_unknown", "card is one of \(known).")
        }
        let lastFour = fields.text("lastFour") ?? "1111"
        guard lastFour.utf8.count == 4 else { return .refused(422, "bad_digits", "lastFour has four digits.") }
        let header: Json = ["alg": "RSA-OAEP", "enc": "A256CBC-HS512", "kid": .string(session.customer)]
        let parts = [header.compactBytes, noise(256), noise(16), noise(320), noise(32)]
        let blob = parts.map { Base64.encode($0, .url) }.joined(separator: ".")
        let card = WorldlineCard.test(
            behaviour,
            product: fields.integer("paymentProductId") ?? 1,
            lastFour: lastFour
        )
        inputs[Hex.encode(Digest.sha256(Array(blob.utf8)))] = card
        let info: Json = ["platformIdentifier": "Sandbox", "sdkIdentifier": "SandboxApp/1", "screenSize": "390x844"]
        return .json([
            "encryptedCustomerInput": .string(blob),
            "encodedClientMetaInfo": .string(Base64.encode(info.compactBytes)),
        ])
    }

    /// Bytes that nobody can read, the same again from the same journal.
    private mutating func noise(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: core.random.next() >> 24) }
    }
}

/// A payment product of the simulated provider.
struct WorldlineProduct: Hashable, Sendable {
    let id: Int64
    let label: String
    let order: Int64
    let group: String
    /// Where it is offered; everywhere if empty.
    let countries: Set<String>
    let recurs: Bool
    let redirects: Bool
    var networks: [String] = []

    static let all = [
        WorldlineProduct(id: 1, label: "Visa", order: 1, group: "cards", countries: [], recurs: true, redirects: false),
        WorldlineProduct(
            id: 3,
            label: "Mastercard",
            order: 2,
            group: "cards",
            countries: [],
            recurs: true,
            redirects: false
        ),
        WorldlineProduct(
            id: 130,
            label: "Cartes Bancaires",
            order: 3,
            group: "cards",
            countries: ["FR"],
            recurs: true,
            redirects: false
        ),
        WorldlineProduct(
            id: 302,
            label: "Apple Pay",
            order: 4,
            group: "",
            countries: [],
            recurs: false,
            redirects: false,
            networks: ["Visa", "MasterCard"]
        ),
        WorldlineProduct(
            id: 809,
            label: "iDEAL",
            order: 5,
            group: "",
            countries: ["NL"],
            recurs: false,
            redirects: true
        ),
    ]

    /// Card ranges by their first digits; the first brand is the main one.
    static let ranges: [(prefix: String, brands: [Int64], country: String, type: String)] = [
        ("497010", [130, 1], "FR", "Debit"), ("513100", [130, 3], "FR", "Credit"), ("4", [1], "BE", "Credit"),
        ("51", [3], "99", "Credit"), ("52", [3], "BE", "Prepaid"),
    ]

    func isOffered(in country: String, isRecurring: Bool) -> Bool {
        (countries.isEmpty || countries.contains(country)) && (recurs || !isRecurring)
    }

    func json(_ tokens: [WorldlineToken], _ locale: String, _ address: String) -> Json {
        let hints: Json = [
            "displayOrder": .integer(order), "label": .string(label),
            "logo": .string("\(address)/worldline/assets/\(id).png"),
        ]
        let accounts = tokens.filter { $0.card.product == id }.map { token -> Json in
            [
                "attributes": [
                    ["key": "alias", "status": "READ_ONLY", "value": .string(token.card.masked)],
                    ["key": "expiryDate", "status": "MUST_WRITE", "value": .string(token.card.expiry)],
                ], "displayHints": ["labelTemplate": [["attributeKey": "alias", "mask": "{{9999}}"]]],
                "id": .string(token.id), "paymentProductId": .integer(id),
            ]
        }
        return .compact([
            ("accountsOnFile", accounts.isEmpty ? nil : .array(accounts)),
            ("allowsAuthentication", .bool(group == "cards")), ("allowsRecurring", .bool(recurs)),
            ("allowsTokenization", .bool(recurs)), ("displayHints", hints), ("displayHintsList", [hints]),
            ("fields", .array(group == "cards" ? Self.cardFields(locale) : [])), ("id", .integer(id)),
            ("paymentMethod", redirects ? "redirect" : "card"),
            ("paymentProductGroup", group.isEmpty ? nil : .string(group)),
            ("usesRedirectionTo3rdParty", .bool(redirects)),
        ])
    }

    private static func cardFields(_ locale: String) -> [Json] {
        let isFrench = locale.hasPrefix("fr")
        return [
            field(
                "cardNumber",
                "numericstring",
                0,
                isFrench ? "Numéro" : "Card number",
                true,
                mask: "{{9999}} {{9999}}",
                [
                    "length": ["maxLength": 19, "minLength": 12], "luhn": [:],
                ]
            ),
            field(
                "expiryDate",
                "expirydate",
                1,
                isFrench ? "Expiration" : "Expiry date",
                true,
                mask: "{{99}}/{{99}}",
                [
                    "expirationDate": [:], "length": ["maxLength": 4, "minLength": 4],
                ]
            ),
            field(
                "cvv",
                "numericstring",
                2,
                "CVV",
                true,
                mask: "{{9999}}",
                ["length": ["maxLength": 4, "minLength": 3]]
            ),
            field(
                "cardholderName",
                "string",
                3,
                isFrench ? "Titulaire" : "Cardholder",
                false,
                mask: nil,
                [
                    "length": ["maxLength": 51, "minLength": 2],
                    "regularExpression": ["regularExpression": "^[^0-9]+$"],
                ]
            ),
        ]
    }

    private static func field(
        _ id: String,
        _ type: String,
        _ order: Int64,
        _ label: String,
        _ isRequired: Bool,
        mask: String?,
        _ validators: Json
    ) -> Json {
        [
            "id": .string(id), "type": .string(type),
            "dataRestrictions": ["isRequired": .bool(isRequired), "validators": validators],
            "displayHints": .compact([
                ("alwaysShow", false), ("displayOrder", .integer(order)), ("formElement", ["type": "text"]),
                ("label", .string(label)), ("mask", mask.map(Json.string)), ("obfuscate", .bool(id == "cvv")),
                ("preferredInputType", "StringKeyboard"),
                ("tooltip", id == "cvv" ? ["label": "Three or four digits"] : nil),
            ]),
        ]
    }
}
