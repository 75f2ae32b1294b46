import Crypto
import Http
import Kernel

/// A payment, answer or event as the provider writes it.
enum Message {
    static func payment(
        _ status: String,
        _ code: Int64?,
        category: String? = nil,
        id: String = Shop.paymentId,
        amount: Int64 = 1999,
        reference: String = Shop.reference,
        operations: [Json]? = nil,
        more: [(String, Json)] = []
    ) -> Json {
        let output: [(String, Json)] = [
            ("amountOfMoney", money(amount)), ("references", ["merchantReference": .string(reference)]),
        ]
        return .compact([
            ("id", .string(id)), ("Operations", operations.map(Json.array)),
            ("paymentOutput", .object(JsonObject(output + more))), ("status", .string(status)),
            ("statusOutput", statusOutput(code, category)),
        ])
    }

    static func entry(
        _ id: String,
        _ status: String,
        _ code: Int64,
        amount: Int64,
        reference: String? = nil
    ) -> Json {
        .compact([
            ("id", .string(id)), ("amountOfMoney", money(amount)), ("status", .string(status)),
            ("statusOutput", statusOutput(code, nil)),
            ("operationReferences", reference.map { ["merchantReference": .string($0)] }),
        ])
    }

    private static func statusOutput(_ code: Int64?, _ category: String?) -> Json {
        .compact([("statusCategory", category.map(Json.string)), ("statusCode", code.map(Json.integer))])
    }

    static func money(_ minor: Int64) -> Json { ["amount": .integer(minor), "currencyCode": "EUR"] }

    static func event(_ type: String, _ payment: Json, id: String = "e-1", version: String = "v1") -> Json {
        [
            "apiVersion": .string(version), "id": .string(id), "created": "2026-11-20T09:05:03.0000000+01:00",
            "merchantId": "PSPID01", "type": .string(type), "payment": payment,
        ]
    }

    static func request(_ body: [UInt8], keyId: String = "key-2", secret: String = "new-secret") -> HttpRequest {
        let signature = Base64.encode(Hmac.sha256(key: Secret(secret), body))
        return HttpRequest(
            method: .post,
            target: "/",
            headers: HttpHeaders([("X-GCS-KeyId", keyId), ("X-GCS-Signature", signature)]),
            body: body
        )
    }
}
