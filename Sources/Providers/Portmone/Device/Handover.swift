import Http
import Kernel
import Payments
import ProviderKit

/// The payer's part: the address that the provider gave, or the object that the SDK is filled from.
enum Handover {
    static func template(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        try order.check()
        guard let opened = dispatch.order else { return try SdkParameters.plan(dispatch, order) }
        return RequestTemplate(
            method: "GET",
            url: order.settings.gatewayUrl,
            content: order.handover(of: opened, dispatch),
            signing: Signing.address.rawValue
        )
    }

    static func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        switch Signing(rawValue: template.signing) {
        case .address:
            let opened = try template.content.opened(with: materials)
            if opened["url"] == nil, opened["acsUrl"] != nil { return .parameters(opened) }
            guard let url = opened["url"]?.text, WebAddress.isAbsolute(url) else {
                throw FinishFailure.malformedTemplate("no address")
            }
            return .redirect(url: url)
        case .sdk: return .parameters(try template.content.opened(with: materials))
        case .link, .call, .plain, .form, .bills, nil: throw FinishFailure.malformedTemplate("not a handover")
        }
    }
}
