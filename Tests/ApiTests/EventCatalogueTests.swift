import Api
import EventSourcing
import Foundation
import Http
import Kernel
import Projections
import Testing

/// The catalogue of public events, its page and its schemas.
struct EventCatalogueTests {
    private static let begin = "<!-- catalogue: `make docs` writes these tables -->\n"
    private static let end = "<!-- end of the catalogue -->"

    private static var tables: String {
        let families = [
            "payment", "refund", "dispute", "item", "transfer", "instrument", "schedule", "occurrence", "batch", "bill",
        ]
        #expect(Set(families) == Set(PublicEventType.all.map { String($0.family) }))
        return families.map { family in
            let types = PublicEventType.all.filter { $0.family == family }
            let data = types.first?.resources.map { "`\($0.schema)`" }.joined(separator: " or ") ?? ""
            let rows = types.map { "| `\($0.name)` | \($0.summary) |\n" }.joined()
            return "\n| type, with \(data) | told when |\n| --- | --- |\n" + rows
        }.joined() + "\n"
    }

    @Test func `the page of events lists the catalogue`() throws {
        let root = String(#filePath.prefix(upTo: try #require(#filePath.range(of: "/Tests/")).lowerBound))
        let path = root + "/docs/events.md"
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let first = try #require(page.range(of: Self.begin))
        let last = try #require(page.range(of: Self.end))
        let wanted = page[..<first.upperBound] + Self.tables + page[last.lowerBound...]
        if getenv("UPDATE_DOCS") != nil {
            try wanted.write(toFile: path, atomically: true, encoding: .utf8)
        } else {
            #expect(page == wanted, "`make docs` writes it")
        }
    }

    @Test func `each type is told once, in one sentence, and has a message in the document`() {
        let names = PublicEventType.all.map(\.name)
        #expect(Set(names).count == names.count)
        let webhooks = OpenApi.document["webhooks"]
        for type in PublicEventType.all {
            #expect(type.summary.hasSuffix("."), "\(type.name)")
            let words = type.name.split(separator: ".")
            #expect(words.count == 2 && words.allSatisfy { $0.allSatisfy { $0.isASCII && $0.isLetter } })
            let schema = webhooks?.at(type.name, "post", "requestBody", "content", "application/json", "schema", "$ref")
            let name = schema?.text?.split(separator: "/").last.map(String.init) ?? ""
            let described = OpenApi.document.at("components", "schemas", name)
            #expect(described?.at("properties", "type", "const")?.text == type.name)
            for resource in type.resources {
                #expect(OpenApi.document.at("components", "schemas", resource.schema) != nil, "\(resource)")
            }
        }
    }

    @Test func `an id has one form, and none that looks like a card's number`() throws {
        let stream = try #require(Uuid("01900000-0000-7000-8000-424242424242"))
        for (version, number) in [(Int32(1), Int16(0)), (12, 3), (.max, .max)] {
            let id = PublicEventId(stream: stream, version: version, number: number)
            #expect(PublicEventId(id.text) == id)
            #expect(!CardGuard.containsCardNumber(id.text))
            #expect(id.text.range(of: PublicEventId.pattern, options: .regularExpression) != nil)
        }
        let text = PublicEventId(stream: stream, version: 12, number: 3).text
        for broken in [
            "", "evt_", String(text.dropLast()), text + "n1", text.uppercased(), text.replacing("v12", with: "v012"),
            text.replacing("v", with: ""), "pay_" + text.dropFirst(4), text.replacing("n3", with: "n99999"),
        ] {
            #expect(PublicEventId(broken) == nil, "\(broken)")
        }
    }

    @Test func `a waiting reader is woken, timed out, cancelled and sent home at a drain`() async throws {
        let tail = EventTail()
        let merchant = MerchantNumber(1)
        let woken = Task { await tail.wait(for: merchant, behind: EventPosition(5, 0), atMost: .seconds(60)) }
        while tail.merchants.isEmpty { await Task.yield() }
        tail.noted([merchant: EventPosition(5, 0), MerchantNumber(2): EventPosition(9, 0)])
        #expect(tail.merchants == [merchant], "nothing is new to him")
        tail.noted([merchant: EventPosition(5, 1)])
        #expect(await woken.value)
        #expect(tail.merchants.isEmpty)
        #expect(await !tail.wait(for: merchant, behind: .beginning, atMost: .milliseconds(5)))
        let cancelled = Task { await tail.wait(for: merchant, behind: .beginning, atMost: .seconds(60)) }
        cancelled.cancel()
        _ = await cancelled.value
        let last = Task { await tail.wait(for: merchant, behind: .beginning, atMost: .seconds(60)) }
        while tail.merchants.isEmpty { await Task.yield() }
        tail.close()
        #expect(await !last.value)
        #expect(await !tail.wait(for: merchant, behind: .beginning, atMost: .seconds(60)))
        #expect(tail.merchants.isEmpty)
    }
}
