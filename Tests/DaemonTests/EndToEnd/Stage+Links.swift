import Http
import Kernel

/// The page of a payment link as a browser got it.
struct LinkedPage: Sendable {
    let address: String
    let response: HttpResponse

    var status: Int { response.status }
    var text: String { String(decoding: response.body, as: UTF8.self) }
    /// Where the browser goes on by itself, and after how many seconds.
    var refresh: String { response.headers["Refresh"] ?? "" }
    /// Where it is led at once.
    var leads: String? { refresh.hasPrefix("0; url=") ? String(refresh.dropFirst("0; url=".count)) : nil }

    /// The value of a hidden field.
    func field(_ name: String) -> String {
        guard let start = text.firstRange(of: "name=\"\(name)\" value=\"") else { return "" }
        return String(text[start.upperBound...].prefix { $0 != "\"" })
    }

    /// The ways to pay among its buttons.
    var methods: [String] {
        text.split(separator: "name=\"method\" value=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    }

    /// The text of its heading.
    var heading: String {
        guard let start = text.firstRange(of: "<h1>") else { return "" }
        return String(text[start.upperBound...].prefix { $0 != "<" })
    }
}

/// Payers who come by a link.
extension Stage {
    /// Makes a link; gives its id and the address of its page.
    func link(_ daemon: DaemonProcess, _ more: Json = [:]) async throws -> (id: String, url: String) {
        var body = JsonObject([("amount", Self.euros(1999))])
        for member in more.members?.members ?? [] { body[member.name] = member.value }
        let made = try await call(daemon, .post, "/v1/payment-links", .object(body), key: "link-\(next())")
        guard let id = made["id"]?.text, let url = made["url"]?.text else {
            throw Failure(description: "no link in \(made.canonicalText)")
        }
        return (id, url)
    }

    func linkPage(_ url: String, _ headers: [(String, String)] = []) async throws -> LinkedPage {
        LinkedPage(address: url, response: try await send(.get, url, HttpHeaders(headers), []))
    }

    /// Sends the form of a page, as a browser does that tells no referrer.
    func choose(
        _ method: String,
        on page: LinkedPage,
        email: String = "ann@example.org",
        headers more: [(String, String)] = [("Origin", "null"), ("Sec-Fetch-Site", "same-origin")]
    ) async throws -> HttpResponse {
        let fields = [
            (name: "form", value: page.field("form")), (name: "seal", value: page.field("seal")),
            (name: "email", value: email), (name: "method", value: method),
        ]
        let headers = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")] + more)
        return try await send(.post, page.address, headers, Array(FormEncoding.encode(fields).utf8))
    }

    /// Follows the answer to a form until the browser is led to the provider.
    func provider(_ daemon: DaemonProcess, after answer: HttpResponse) async throws -> String {
        guard answer.status == 303, let location = answer.headers["Location"], location.hasPrefix("/pay/") else {
            throw Failure(description: "\(answer.status) \(String(decoding: answer.body, as: UTF8.self))")
        }
        return try await until("the payer is led on") {
            let page = try await self.linkPage(daemon.address + location)
            return page.leads.map { .done($0) } ?? .notYet("\(page.status) \(page.heading)")
        }
    }

    /// Presses a button of the ecommpay form behind an address.
    func press(_ action: String, at url: String) async throws {
        let page = try await send(.get, url, HttpHeaders([("Accept", "text/html")]), [])
        let form = HttpHeaders([("Content-Type", "application/x-www-form-urlencoded")])
        let pressed = Array("action=\(action)&card=visa-approved".utf8)
        let answer = try await send(.post, sandbox + (page.headers["Location"] ?? ""), form, pressed)
        guard answer.status < 400 else { throw Failure(description: "the form answers \(answer.status)") }
    }
}
