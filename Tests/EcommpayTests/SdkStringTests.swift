import Crypto
import Ecommpay
import Kernel
import Payments
import ProviderKit
import Testing

/// The string that the SDK on a device asks us to sign.
struct SdkStringTests {
    private static let description = "T-shirt: 50% off; payment_amount:1"

    private func template(
        _ details: Json = Shop.contact,
        description: String? = description,
        token: Json? = nil,
        settings: AccountSettings = Shop.settings()
    ) throws -> RequestTemplate {
        let terms = Shop.terms(.sale, .sdk, description: description, details: details)
        return try Shop.plan(Shop.dispatch(.handover), terms, settings, token: token)
    }

    private static let base = [
        "customer_id:cust-7", "payment_amount:1999", "payment_currency:EUR", "payment_description:\(description)",
        "payment_id:pay-7", "project_id:42",
    ]

    private func signature(_ text: String) -> String {
        Base64.encode(Hmac.sha512(key: Secret(Shop.key), Array(text.utf8)))
    }

    private func sign(_ device: String, _ template: RequestTemplate) -> Result<String, SignatureRefusal> {
        do throws(SignatureRefusal) {
            return .success(try Shop.adapter.sign(device, template, Shop.materials()))
        } catch {
            return .failure(error)
        }
    }

    private func refusal(_ device: String, _ template: RequestTemplate) -> SignatureRefusal? {
        if case .failure(let refusal) = sign(device, template) { refusal } else { nil }
    }

    @Test func `a string that is ours is signed, colons and semicolons of a description included`() throws {
        let device = Self.base.joined(separator: ";")
        #expect(sign(device, try template()) == .success(signature(device)))
    }

    @Test func `the rebuilt string is in order whatever the device's was`() throws {
        let device = Self.base.reversed().joined(separator: ";")
        #expect(sign(device, try template()) == .success(signature(Self.base.joined(separator: ";"))))
    }

    @Test func `the object's own signature is that of the same string`() throws {
        guard case .parameters(let object) = try Shop.adapter.render(template(), Shop.materials()) else {
            Issue.record("no object")
            return
        }
        #expect(object["signature"]?.text == signature(Self.base.joined(separator: ";")))
    }

    @Test(arguments: [
        (0, "customer_id:cust-8", "customer_id"), (1, "payment_amount:1", "payment_amount"),
        (2, "payment_currency:USD", "payment_currency"), (4, "payment_id:pay-8", "payment_id"),
        (5, "project_id:43", "project_id"), (3, "payment_description:Free", "payment_description"),
        (1, "payment_amount:01999", "payment_amount"), (1, "payment_amount:", "payment_amount"),
    ])
    func `a changed member is refused by name`(_ change: (Int, String, String)) throws {
        var parts = Self.base
        parts[change.0] = change.1
        let refused = refusal(parts.joined(separator: ";"), try template())
        #expect(refused == SignatureRefusal(members: [change.2], reason: "changed_member"))
    }

    @Test(arguments: [0, 1, 2, 4, 5])
    func `a member that we issued must be there`(_ index: Int) throws {
        var parts = Self.base
        let name = String(parts.remove(at: index).prefix { $0 != ":" })
        #expect(refusal(parts.joined(separator: ";"), try template())?.reason == "missing_member")
        #expect(refusal(parts.joined(separator: ";"), try template())?.members == [name])
    }

    @Test(arguments: [
        ("recurring:1", "unknown_member", "recurring"), ("payment_amount:1999", "duplicate_member", "payment_amount"),
        ("force_payment_method:ideal", "changed_member", "force_payment_method"),
        ("token:abc", "changed_member", "token"), ("secure_info:x", "unknown_member", "secure_info"),
        ("language_code:xx", "changed_member", "language_code"), ("region_code:XX", "changed_member", "region_code"),
        ("hide_saved_wallets:1", "changed_member", "hide_saved_wallets"),
        ("", "trailing_separator", "project_id"),
    ])
    func `a further member is refused`(_ more: (String, String, String)) throws {
        let refused = refusal(Self.base.joined(separator: ";") + ";" + more.0, try template())
        #expect(refused == SignatureRefusal(members: [more.2], reason: more.1))
    }

    @Test func `a device may choose language, region and shown wallets where we issued none`() throws {
        let device = (Self.base + ["hide_saved_wallets:false", "language_code:fr", "region_code:FR"]).sorted()
            .joined(separator: ";")
        #expect(sign(device, try template()) == .success(signature(device)))
    }

    @Test func `what we issued about language and region is fixed`() throws {
        let issued = try template(["payer": ["phone": "1"], "language": "de", "region": "DE"])
        let device = (Self.base + ["language_code:fr"]).sorted().joined(separator: ";")
        #expect(refusal(device, issued)?.members == ["language_code"])
    }

    @Test func `an injected pair behind a changed description does not count as ours`() throws {
        var parts = Self.base
        parts[3] = "payment_description:x;payment_id:pay-9"
        let refused = refusal(parts.joined(separator: ";"), try template())
        #expect(refused?.reason == "duplicate_member")
    }

    @Test func `a saved token stands under the account's name and must be there`() throws {
        let settings = Shop.settings([("sdkTokenName", "account_token")])
        let issued = try template(token: Shop.sealed("7e12077a"), settings: settings)
        let device = (["account_token:7e12077a"] + Self.base).joined(separator: ";")
        #expect(sign(device, issued) == .success(signature(device)))
        #expect(refusal(Self.base.joined(separator: ";"), issued)?.members == ["account_token"])
        #expect(refusal(device.replacing("7e12077a", with: "7e12077b"), issued)?.reason == "changed_member")
        #expect(refusal(device.replacing("account_token", with: "token"), issued)?.members == ["token"])
    }

    @Test func `a saved token must be there under the usual name, too`() throws {
        let issued = try template(token: Shop.sealed("7e12077a"))
        #expect(refusal(Self.base.joined(separator: ";"), issued)?.members == ["token"])
        let device = (Self.base + ["token:7e12077a"]).joined(separator: ";")
        #expect(sign(device, issued) == .success(signature(device)))
    }

    @Test func `empty, foreign and boundless strings are refused`() throws {
        #expect(refusal("", try template())?.reason == "empty")
        #expect(refusal("hello", try template())?.reason == "unknown_member")
        #expect(refusal(String(repeating: "x", count: 9000), try template())?.reason == "too_long")
        let page = try Shop.plan(Shop.dispatch(.handover))
        #expect(refusal("project_id:42", page)?.reason == "not_an_sdk_payment")
    }

    @Test func `texts that only look alike are not the same`() throws {
        let issued = try template(description: "Zo\u{EB}")
        var parts = Self.base
        parts[3] = "payment_description:Zoe\u{308}"
        #expect(refusal(parts.joined(separator: ";"), issued)?.members == ["payment_description"])
    }
}
