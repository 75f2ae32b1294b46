import Http
import Kernel
import Payments
import ProviderKit

/// The payer's part of an order that the provider opened.
package enum Handover {
    static func template(_ dispatch: PlannedDispatch, _ order: Order) throws(PlanFailure) -> RequestTemplate {
        guard let opened = dispatch.order, opened.handover.members?.isEmpty == false else {
            throw PlanFailure(code: "nothing_to_hand_over", detail: "the provider asks nothing of the payer")
        }
        let content: Json = .compact([
            ("handover", opened.handover),
            ("presentation", order.details.presentation == [:] ? nil : order.details.presentation),
        ])
        return RequestTemplate(
            method: "GET",
            url: order.settings.endpoint,
            content: content,
            signing: Call.handover
        )
    }

    /// The address of a page or redirection, else the object for a native 3-D Secure kit.
    static func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        guard template.signing == Call.handover, let handover = template.content["handover"]?.members else {
            throw FinishFailure.malformedTemplate("not a handover")
        }
        if let address = handover["url"] {
            guard let url = try address.opened(with: materials, path: "url.").text, WebAddress.isAbsolute(url) else {
                throw FinishFailure.malformedTemplate("url")
            }
            return .redirect(url: url)
        }
        var members: [(String, Json)] = []
        for member in handover.members where member.name != returnMac {
            members.append((member.name, try member.value.opened(with: materials, path: "\(member.name).")))
        }
        if let presentation = template.content["presentation"] { members.append(("presentation", presentation)) }
        return .parameters(.object(JsonObject(members)))
    }

    /// Compared when the payer comes back, and never given away.
    package static let returnMac = "returnMac"
}
