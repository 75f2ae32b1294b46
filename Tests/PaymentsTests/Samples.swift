import Kernel
import Payments

/// Values that tests of this target share.
enum Samples {
    static let noon = Timestamp(seconds: 1_750_000_000)
    static let merchantActor = Actor(id: "key:shop", isOperator: false)
    static let accountId = uuid(0xACC0)

    static func uuid(_ number: UInt64) -> Uuid {
        Uuid(high: 0x0190_0000_0000_7000, low: 0x8000_0000_0000_0000 | number)
    }

    static func context(_ seconds: Int64 = 0, input: UInt64 = 1, by actor: Actor = merchantActor) -> CommandContext {
        CommandContext(now: noon.adding(.seconds(seconds)), input: uuid(input), actor: actor)
    }

    static var euro: Currency {
        guard let currency = Currency("EUR") else { preconditionFailure("the table has EUR") }
        return currency
    }

    static var dollar: Currency {
        guard let currency = Currency("USD") else { preconditionFailure("the table has USD") }
        return currency
    }

    static var sealed: Json {
        let value = Sealed(
            keyId: uuid(7),
            nonce: [UInt8](repeating: 1, count: Sealed.nonceBytes),
            box: [UInt8](repeating: 2, count: 20)
        )
        guard let value else { preconditionFailure("the sizes fit") }
        return value.json
    }

    static func configuration(
        name: String = "ecommpay-eur",
        provider: String = "ecommpay",
        mode: AccountFacts.Mode = .test,
        currencies: [Currency]? = nil,
        secrets: Json? = nil
    ) -> AccountConfiguration {
        AccountConfiguration(
            name: name,
            provider: provider,
            mode: mode,
            settings: ["projectId": 115],
            secrets: secrets ?? ["secretKey": sealed],
            currencies: currencies
        )
    }
}

/// The code of the refusal that `body` ends in, or `nil`.
func refusal<Result>(_ body: () throws(Rejection) -> Result) -> String? {
    do throws(Rejection) {
        _ = try body()
        return nil
    } catch { return error.code }
}

extension Samples {
    /// The place of this file: golden files lie in the folder `Golden` beside it.
    static let source = #filePath
}
