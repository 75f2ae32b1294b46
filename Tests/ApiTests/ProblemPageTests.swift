import Api
import Foundation
import Http
import Kernel
import Payments
import Schedules
import TestKit
import Testing

/// The catalogue of problems, its page, and the pages that the daemon serves.
struct ProblemPageTests {
    private static let begin = "<!-- catalogue: `make docs` writes this table -->\n"
    private static let end = "<!-- end of the catalogue -->"

    private static func root() throws -> String {
        String(#filePath.prefix(upTo: try #require(#filePath.range(of: "/Tests/")).lowerBound))
    }

    /// Codes that sources write out: of plans, of decisions and of the server.
    private static func written() throws -> Set<String> {
        let sources = try root() + "/Sources"
        let patterns = [
            #/(?:PlanFailure|Problem|Rejection)\(\s*(?:status: \d+,\s*)?(?:code|planCode): "([a-z0-9_]+)"/#,
            #/wire\(\s*\d+,\s*"([a-z0-9_]+)"/#,
        ]
        var found: Set<String> = []
        for case let path as String in try #require(FileManager.default.enumerator(atPath: sources))
        where path.hasSuffix(".swift") && !path.hasPrefix("Tools/") {
            let text = try String(contentsOfFile: sources + "/" + path, encoding: .utf8)
            for pattern in patterns { found.formUnion(text.matches(of: pattern).map { String($0.output.1) }) }
        }
        return found
    }

    @Test func `each code that an answer can have is explained, and nothing else is`() throws {
        let written = try Self.written()
        #expect(written.count > 50, "the sources are read")
        let words =
            ProblemCode.allCases.map(\.rawValue) + Rejection.Code.allCases.map(\.rawValue)
            + ScheduleRejection.Code.allCases.map(\.rawValue)
        let known = written.union(words)
        let explained = Set(ProblemMeaning.all.map(\.code))
        #expect(known.subtracting(explained).sorted() == [])
        #expect(explained.subtracting(known).sorted() == [])
        for meaning in ProblemMeaning.all {
            #expect(meaning.summary.hasSuffix(".") && meaning.remedy.hasSuffix("."), "\(meaning.code)")
        }
    }

    @Test func `no page says that a provider was not asked or a key is free where nobody can know`() {
        let wanted: [String: ProblemMeaning.Consequence] = [
            "precondition_failed": .either, "provider_refused": .question, "provider_unreachable": .question,
            "credentials_refused": .question, "instrument_not_usable": .question, "unavailable": .unknown,
            "handler_deadline": .unknown, "server_stopped": .unknown, "nothing_to_refund": .refused,
            "amount_missing": .either, "member_unknown": .nothing, "idempotency_conflict": .stands,
        ]
        for (code, consequence) in wanted { #expect(ProblemMeaning.of(code)?.consequence == consequence, "\(code)") }
    }

    @Test func `the page of problems lists the catalogue`() throws {
        let path = try Self.root() + "/docs/problems.md"
        let page = try String(contentsOfFile: path, encoding: .utf8)
        let first = try #require(page.range(of: Self.begin))
        let last = try #require(page.range(of: Self.end))
        let rows = ProblemMeaning.all.map { "| `\($0.code)` | \($0.summary) | \($0.remedy) |\n" }.joined()
        let table = "\n| code | what it says | what to do |\n| --- | --- | --- |\n\(rows)\n"
        let wanted = page[..<first.upperBound] + table + page[last.lowerBound...]
        if getenv("UPDATE_DOCS") != nil {
            try wanted.write(toFile: path, atomically: true, encoding: .utf8)
        } else {
            #expect(page == wanted, "`make docs` writes it")
        }
    }

    @Test func `every page is served to anybody and asks for nothing from elsewhere`() async throws {
        try await ApiHarness.run { api in
            for meaning in ProblemMeaning.all {
                let answer = try await api.send(.get, Problem.page + meaning.code, token: nil).expect(200)
                let html = String(decoding: answer.response.body, as: UTF8.self)
                #expect(html.contains("<h1>\(meaning.code)</h1>"))
                #expect(!html.contains("://") && !html.contains("<script"), "\(meaning.code)")
                #expect(answer.response.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
            }
            let unknown = try await api.send(.get, Problem.page + "%3Cscript%3E", token: nil).expect(404)
            #expect(!String(decoding: unknown.response.body, as: UTF8.self).contains("<script"))
        }
    }
}
