import Http
import Kernel

/// The raw exchange behind an event: what came in, as it is kept.
///
/// Whoever looks is recorded.
enum InputPage {
    static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let input = try await visit.read(PaymentPage.path(visit) + "/inputs/" + visit.segment("input"))
        let payment = visit.path["payment"] ?? ""
        return Layout(visit, visit.say(.rawExchange), .payments).response {
            tag("p", .class("crumb")) { link(visit.say(.backToPayment), Address("payments", payment)) }
            heading(visit.say(.rawExchange), visit.say(.rawExchangeRecorded))
            panel(nil) {
                facts([
                    (visit.say(.kind), Html(visit.word(Words.input, input["kind"]?.text))),
                    (visit.say(.eventType), code(input["name"]?.text)),
                    (visit.say(.received), visit.formats.moment(input["receivedAt"]?.text, seconds: true)),
                    (visit.say(.cause), code(input["id"]?.text)),
                ])
            }
            panel(visit.say(.rawBody)) { body(visit, input) }
            panel(visit.say(.rawMeta)) {
                tag("pre", .of("tabindex", "0"), .label(visit.say(.rawMeta))) { (input["meta"] ?? [:]).indented }
            }
        }
    }

    private static func body(_ visit: Visit, _ input: Json) -> Html {
        let text = input["body"]?.text ?? ""
        guard !text.isEmpty else { return tag("p", .class("muted")) { visit.say(.rawEmpty) } }
        let shown = (try? Json(text: text)).map(\.indented) ?? text
        return group {
            if input["isSealed"]?.flag == true { tag("p", .class("hint")) { visit.say(.rawSealed) } }
            if input["encoding"]?.text == "base64" { tag("p", .class("hint")) { "Base64" } }
            tag("pre", .of("tabindex", "0"), .label(visit.say(.rawBody))) { shown }
        }
    }
}
