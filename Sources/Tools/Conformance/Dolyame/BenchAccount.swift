import Conformance
import Dolyame
import Http
import Kernel
import Payments
import ProviderKit

/// An account and a payment as a case needs them.
struct BenchAccount {
    var settings: [(String, Json)] = []
    var login = "shop"
    var password = "secret"
    var notificationUrl = "https://pay.example/notifications/dolyame"
    var mode = AccountFacts.Mode.live

    static let order = "order-1"

    var account: AccountSettings {
        let facts = AccountFacts(
            id: Uuid(high: 0, low: 1),
            name: "vectors",
            provider: "dolyame",
            mode: mode,
            version: 1
        )
        var values = JsonObject([("login", .string(login))])
        for (name, value) in settings { values[name] = value }
        return AccountSettings(
            account: facts,
            values: .object(values),
            notificationUrl: notificationUrl,
            returnUrl: "https://pay.example/return"
        )
    }

    var materials: Materials {
        Materials(
            secrets: AccountSecrets([
                Finishing.passwordName: Secret(password), Finishing.certificateName: Secret("certificate"),
                Finishing.certificateKeyName: Secret("key"),
            ]),
            open: { _ in nil },
            now: .epoch
        )
    }

    /// A payment of one position, or of what `details` say.
    static func terms(_ kopecks: Int64, method: PaymentMethod = .hosted, details: Json? = nil) -> PaymentTerms {
        PaymentTerms.ofCase(
            .authorize,
            method,
            Rubles.money(kopecks),
            details: details ?? ["items": [["name": "all", "price": .string(Rubles.text(kopecks))]]]
        )
    }

    static func dispatch(
        _ purpose: DispatchPurpose,
        id: String = order,
        kopecks: Int64? = nil,
        details: Json? = nil
    ) -> PlannedDispatch {
        PlannedDispatch(
            purpose: purpose,
            paymentReference: id,
            operationReference: "operation-1",
            amount: kopecks.flatMap(Rubles.money),
            isFull: true,
            deadline: .distantFuture,
            reason: nil,
            methodAtProvider: nil,
            details: details
        )
    }

    /// The finished request of a method with a body, as the adapter sends it.
    func request(_ method: Call.Method, id: String, _ body: Json?) -> OutgoingRequest? {
        guard let order = try? Order(Self.terms(100), account),
            let template = try? Call.template(method, Self.dispatch(.query, id: id), order, body)
        else { return nil }
        return try? DolyameAdapter().finish(template, materials)
    }

    /// Positions of the provider's form in ours.
    static func items(_ wire: Json?) -> Json {
        .array(
            (wire?.items ?? []).map { item in
                let receipt = item["receipt"].map { receipt in
                    Json.compact([
                        ("tax", receipt["tax"]), ("paymentMethod", receipt["payment_method"]),
                        ("paymentObject", receipt["payment_object"]), ("measurementUnit", receipt["measurement_unit"]),
                        ("itemCode", receipt["item_code"]),
                    ])
                }
                return .compact([
                    ("name", item["name"]), ("quantity", item["quantity"]), ("price", item["price"]),
                    ("sku", item["sku"]), ("receipt", receipt),
                ])
            }
        )
    }

    static func raw(_ wire: Json?) -> [RawPosition] { (wire?.items ?? []).map(RawPosition.init(wire:)) }
}

/// Holds a finished request against what a case expects of it.
enum RequestComparison {
    static func violations(_ expected: Json, _ request: OutgoingRequest?) -> [String] {
        guard let request else { return ["no request was made"] }
        var found: [String] = []
        if let method = expected["method"]?.text, method != request.method.rawValue {
            found.append("method: expected \(method), got \(request.method.rawValue)")
        }
        if let path = expected["path"]?.text,
            !request.url.hasSuffix(path) || request.url.dropLast(path.count).contains("/v1")
        {
            found.append("path: expected \(path), got \(request.url)")
        }
        if let raw = expected["body_raw"]?.text {
            let body = String(decoding: request.body, as: UTF8.self)
            let isSame = (try? Json(text: raw)).flatMap { wanted in
                (try? Json(request.body)).map { Comparison.isSame(wanted, $0) }
            }
            if isSame != true { found.append("body: expected \(raw), got \(body)") }
        }
        for header in expected["headers"]?.members?.members ?? [] {
            let value = request.headers[header.name] ?? ""
            if !fits(value, header.value.text ?? "") { found.append("header \(header.name): got '\(value)'") }
        }
        return found
    }

    /// A pattern of a case: what stands in angle brackets is described and not spelled.
    private static func fits(_ value: String, _ pattern: String) -> Bool {
        switch pattern {
        case "<uuid v4>": Correlation.isValid(value)
        case "Basic <base64(login:password)>":
            value.hasPrefix("Basic ")
                && Base64.decode(String(value.dropFirst(6))).map { $0.contains(UInt8(ascii: ":")) } == true
        default: value == pattern
        }
    }

    /// The order id that an expected path names, else a standing one.
    static func orderId(_ expected: Json?) -> String {
        let parts = expected?["path"]?.text?.split(separator: "/") ?? []
        return parts.count == 4 ? String(parts[2]) : BenchAccount.order
    }
}
