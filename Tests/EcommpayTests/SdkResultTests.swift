import Ecommpay
import Kernel
import ProviderKit
import Testing

struct SdkResultTests {
    @Test(
        arguments: [
            ("legacyIos", 0, .success), ("legacyIos", 100, .declined), ("legacyIos", 301, .cancelled),
            ("legacyIos", 501, .error), ("legacyIos", 200, .unknown), ("legacyIos", 1, .unknown),
            ("ios", 0, .success), ("ios", 100, .declined), ("ios", 200, .cancelled), ("ios", 500, .error),
            ("ios", 301, .unknown), ("ios", 1, .unknown),
            ("android", 1, .success), ("android", 100, .declined), ("android", 200, .cancelled),
            ("android", 500, .error),
            ("android", 0, .unknown), ("android", -7, .unknown),
        ] as [(String, Int64, AppClaim.Meaning)]
    )
    func `each generation has its own numbers and an unknown one is a claim`(
        _ result: (String, Int64, AppClaim.Meaning)
    ) throws {
        let claim = try Shop.adapter.appResult(["sdk": .string(result.0), "code": .integer(result.1)])
        #expect(claim == AppClaim(meaning: result.2, code: "\(result.0):\(result.1)"))
    }

    @Test(
        arguments: [
            ([:], "sdk"), (["sdk": "web", "code": 0], "sdk"), (["sdk": "ios"], "code"),
            (["sdk": "ios", "code": "0"], "code"), (["sdk": "ios", "code": 0, "paid": true], "paid"), ([], ""),
        ] as [(Json, String)]
    )
    func `a claim outside the schema is refused by path`(_ wrong: (Json, String)) {
        #expect { try Shop.adapter.appResult(wrong.0) } throws: { ($0 as? ClaimFailure)?.path == wrong.1 }
    }
}
