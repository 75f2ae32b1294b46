import Http
import HttpClient
import Kernel
import Sandbox
import Testing

/// The overview of every provider: whose it is, where the others are, and what to do where nothing is there yet.
struct SandboxFrameTests {
    private static let overviews = [
        "ecommpay": "/sandbox", "Portmone": "/portmone/sandbox", "Dolyame": "/dolyame/sandbox",
        "SberPay": "/sberpay/sandbox", "Worldline": "/worldline/sandbox",
    ]

    private func page(_ client: HttpClient, _ url: String) async throws -> String {
        let headers = HttpHeaders([("Accept", "text/html")])
        let request = OutgoingRequest(method: .get, url: url, headers: headers, body: [], deadline: .seconds(10))
        guard case .answered(let response) = await client.send(request), response.status == 200 else { return "" }
        return String(decoding: response.body, as: UTF8.self)
    }

    @Test func `an empty overview says so, names its provider, and leads to the others and to a payment to try`()
        async throws
    {
        let project = EcommpayProject(id: 42, secret: SimulatorDriver.secret)
        let server = SandboxServer(SandboxConfiguration(ecommpayProjects: [project]))
        let base = "http://127.0.0.1:\(try await server.start())"
        let client = HttpClient()
        for (provider, path) in Self.overviews {
            let html = try await page(client, base + path)
            #expect(html.contains("<h1>Sandbox: \(provider)</h1>"), "\(path): \(html)")
            #expect(html.contains("\(provider) has no payment yet") && html.contains("/next-action"), "\(path)")
            #expect(html.contains("&quot;account&quot;: &quot;\(provider.lowercased())-demo&quot;"), "\(path)")
            for (other, place) in Self.overviews where other != provider {
                #expect(html.contains("<a href=\"\(place)\">\(other)</a>"), "\(path) leads to \(other)")
            }
        }
        await client.stop()
        await server.stop()
    }

    @Test func `an overview shows a payment by its reference and what it is about`() {
        var driver = SimulatorDriver()
        var pairs = SimulatorDriver.parameters("our-reference")
        pairs.removeAll { $0.name == "payment_description" }
        pairs.append((name: "payment_description", value: "Two tickets"))
        driver.send("GET", "/payment", query: SimulatorDriver.signedQuery(pairs))
        driver.play("our-reference", "approve")
        driver.settle()
        let html = driver.send("GET", "/sandbox", wantsPage: true).html
        #expect(html.contains(">our-reference</a>") && html.contains("<td>Two tickets</td>"))
        #expect(html.contains(">Reference</th>") && !html.contains("has no payment yet"))
    }
}
