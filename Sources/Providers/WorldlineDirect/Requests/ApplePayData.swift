import Kernel
import ProviderKit

/// A wallet's payment data as the provider takes it: Google's is one text, and Apple's one object of which it wants parts.
enum ApplePayData {
    private static let member = "mobilePaymentMethodSpecificInput"

    static func unfolded(_ body: Json) throws(FinishFailure) -> Json {
        guard var members = body.members, var input = members[member]?.members,
            let given = input["encryptedPaymentData"]
        else { return body }
        guard input["paymentProductId"]?.integer == Details.WalletInput.Kind.applePay.productId else {
            if given.text == nil { input["encryptedPaymentData"] = .string(given.compactText) }
            members[member] = .object(input)
            return .object(members)
        }
        let data = given.text.flatMap { try? Json(text: $0) } ?? given
        // The app may give all of the token, or what stands in its `paymentData`.
        let payment = data["paymentData"] ?? data
        guard let secret = payment["data"]?.text, let header = payment["header"] else {
            throw FinishFailure.malformedTemplate("not Apple Pay's payment data")
        }
        input["encryptedPaymentData"] = .string(secret)
        input["ephemeralKey"] = header["ephemeralPublicKey"]
        input["publicKeyHash"] = header["publicKeyHash"]
        members[member] = .object(input)
        return .object(members)
    }
}

extension Json {
    fileprivate var compactText: String { String(decoding: compactBytes, as: UTF8.self) }
}
