import Kernel
import Payments
import ProviderKit

/// The payer's part: an address of Payment Page, or the object that the SDK is filled from.
enum Handover {
    static func template(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        try order.check()
        if order.terms.method == .instrument, order.token == nil {
            throw PlanFailure.instrumentMissing("there is no saved token")
        }
        guard order.isSdk else {
            return RequestTemplate(
                method: "GET",
                url: order.settings.paymentPageUrl,
                content: PaymentPage.parameters(dispatch, order),
                signing: Signing.page.text
            )
        }
        let style = SdkString.Style(tokenName: order.settings.sdkTokenName, booleans: order.settings.sdkBooleans)
        return RequestTemplate(
            method: "GET",
            url: order.settings.paymentPageUrl,
            content: SdkParameters.object(dispatch, order),
            signing: Signing.sdk(style).text
        )
    }

    static func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        guard let signing = Signing(template.signing) else {
            throw FinishFailure.malformedTemplate("unknown signing")
        }
        let key = try materials.secret(EcommpayAdapter.secretKeyName)
        let content = try template.content.opened(with: materials)
        switch signing {
        case .gate: throw FinishFailure.malformedTemplate("not a handover")
        case .page:
            for member in content.members?.members ?? [] {
                guard member.value.text?.utf8.contains(UInt8(ascii: ";")) != true else {
                    throw FinishFailure.malformedTemplate("semicolon in \(member.name)")
                }
            }
            guard let address = PaymentPage.address(template.url, content, key: key) else {
                throw FinishFailure.malformedTemplate("a parameter is no scalar")
            }
            return .redirect(url: address.url)
        case .sdk(let style):
            guard var object = content.members, let string = SdkString(content, style) else {
                throw FinishFailure.malformedTemplate("not an SDK object")
            }
            object["signature"] = .string(Signature.sign(string.text, key: key))
            return .parameters(.object(object))
        }
    }

    /// Signs the string that the SDK made, after rebuilding it from what we issued.
    static func sign(
        _ deviceString: String,
        _ template: RequestTemplate,
        _ materials: Materials
    ) throws(SignatureRefusal) -> String {
        guard case .sdk(let style) = Signing(template.signing) else {
            throw SignatureRefusal(members: [], reason: "not_an_sdk_payment")
        }
        let key: Secret
        let content: Json
        do throws(FinishFailure) {
            key = try materials.secret(EcommpayAdapter.secretKeyName)
            content = try template.content.opened(with: materials)
        } catch {
            switch error {
            case .missingSecret: throw SignatureRefusal(members: [], reason: "secret_missing")
            case .erased(let path): throw SignatureRefusal(members: [path], reason: "erased")
            case .malformedTemplate: throw SignatureRefusal(members: [], reason: "malformed_template")
            }
        }
        guard let string = SdkString(content, style) else {
            throw SignatureRefusal(members: [], reason: "malformed_template")
        }
        return Signature.sign(try string.rebuilt(from: deviceString), key: key)
    }
}
