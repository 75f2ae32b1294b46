import Api
import Http
import Kernel
import Testing

/// Payers who mean harm, or who only guess addresses: they get a page that says no, and nothing is begun.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct HostilePayerTests {
    private static let script = "<script>alert(1)</script><b onmouseover=alert(2)>\"'&"
    private static let policy =
        "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; frame-ancestors 'none'; "
        + "base-uri 'none'"

    @Test func `every answer is loaded from here, framed nowhere, kept by nobody and tells no referrer`() async throws {
        try await Stage.run("linkheaders") { stage, daemon in
            let (_, url) = try await stage.link(daemon, ["description": .string(Self.script), "payee": "Shop"])
            let page = try await stage.linkPage(url)
            for answer in [page, try await stage.linkPage(daemon.address + "/pay/forged")] {
                for (name, value) in [
                    ("Content-Security-Policy", Self.policy), ("Cache-Control", "no-store"),
                    ("Referrer-Policy", "no-referrer"), ("X-Robots-Tag", "noindex"), ("X-Frame-Options", "DENY"),
                    ("X-Content-Type-Options", "nosniff"),
                ] { #expect(answer.response.headers[name] == value, "\(name)") }
                for mark in ["http://", "https://", "<script", " style="] {
                    #expect(!answer.text.contains(mark), "\(mark)")
                }
            }
            #expect(page.text.contains("&lt;script&gt;alert(1)"), "what a merchant writes is text")
            let style = page.text.split(separator: "href=\"").first { $0.hasPrefix("/pay/assets/") } ?? ""
            let asset = try await stage.linkPage(daemon.address + String(style.prefix { $0 != "\"" }))
            #expect(asset.status == 200 && asset.response.headers["Content-Type"]?.hasPrefix("text/css") == true)
        }
    }

    @Test func `forged addresses, foreign forms and other ways than those offered begin nothing`() async throws {
        try await Stage.run("linkforged") { stage, daemon in
            let (id, url) = try await stage.link(daemon)
            let token = String(url.split(separator: "/").last ?? "")
            for forged in [
                id, "x", String(token.dropLast()) + "x", "..%2f\(token)", String(repeating: "A", count: 2000),
            ] {
                #expect(try await stage.linkPage("\(daemon.address)/pay/\(forged)").status == 404, "\(forged)")
            }
            for address in [url, daemon.address + "/console/sign-in"] {
                let answer = try await stage.send(.delete, address, HttpHeaders(), [])
                #expect(answer.status == 405 && answer.headers["Allow"]?.contains("GET") == true, "\(address)")
            }
            let page = try await stage.linkPage(url)
            for headers in [
                [("Origin", "https://evil.example")], [("Sec-Fetch-Site", "cross-site")],
                [("Origin", "null"), ("Sec-Fetch-Site", "cross-site")],
            ] { #expect(try await stage.choose("card", on: page, headers: headers).status == 403, "\(headers)") }
            let (_, other) = try await stage.link(daemon)
            let foreign = LinkedPage(address: url, response: try await stage.linkPage(other).response)
            #expect(try await stage.choose("card", on: foreign).status == 403, "a form of another link")
            let none = LinkedPage(address: url, response: HttpResponse.html(200, ""))
            #expect(try await stage.choose("card", on: none).status == 403, "a form of nobody")
            #expect(try await stage.choose("sberpay", on: page).status == 422)
            #expect(try await stage.choose("card", on: page, email: "4242424242424242@example.org").status == 422)
            #expect(try await stage.count("paystream.stream WHERE kind = 1") == 0, "no payment was begun")
            try await stage.command(["merchants", "create", "neighbour"])
            let printed = try await stage.command(["keys", "--merchant", "neighbour", "--role", "admin", "create", "n"])
            let theirs = try #require(printed.split(separator: "\n").first { $0.hasPrefix("psk_") }.map(String.init))
            for (method, path) in [(HttpMethod.get, ""), (.post, "/deactivate")] {
                let headers = HttpHeaders([("Authorization", "Bearer \(theirs)"), ("Idempotency-Key", "theirs")])
                let target = "\(daemon.address)/v1/payment-links/\(id)\(path)"
                #expect(try await stage.send(method, target, headers, []).status == 404)
            }
            #expect(try await stage.call(daemon, .get, "/v1/payment-links/\(id)")["status"] == "open")
        }
    }

    @Test func `who asks too often waits, and others don't`() async throws {
        try await Stage.run("linkflood") { stage, first in
            try await stage.end(first, 15)
            let daemon = try await stage.serve(
                onPortOf: first,
                more: ["PAYSTREAM_TRUSTED_PROXIES": "127.0.0.1/32"]
            )
            let (_, url) = try await stage.link(daemon)
            let flood = [("X-Forwarded-For", "192.0.2.1")]
            var statuses: [Int] = []
            for number in 0..<400 {
                statuses.append(try await stage.linkPage("\(daemon.address)/pay/guess-\(number)", flood).status)
            }
            #expect(statuses.prefix(100).allSatisfy { $0 == 404 } && statuses.contains(429))
            #expect(try await stage.linkPage(url, [("X-Forwarded-For", "198.51.100.1")]).status == 200)
            let payer = [("X-Forwarded-For", "198.51.100.2")]
            let page = try await stage.linkPage(url, payer)
            var begun: [Int] = []
            for _ in 0..<40 { begun.append(try await stage.choose("card", on: page, headers: payer).status) }
            #expect(Int64(begun.count { $0 == 303 }) >= PaymentLinkRates.payers.burst && begun.contains(429))
            #expect(try await stage.count("paystream.stream WHERE kind = 1") == 1, "and one payment was begun")
        }
    }
}
