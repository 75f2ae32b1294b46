import Http
import Kernel
import Testing

struct ProblemTests {
    @Test func `a problem is written with its standard members first and its own behind them`() {
        let problem = Problem(
            status: 422,
            code: "amount_invalid",
            detail: "amount is zero",
            members: [("field", "amount"), ("status", 1)]
        )
        let answer = problem.response
        #expect(answer.status == 422)
        #expect(answer.headers["content-type"] == "application/problem+json")
        #expect(
            String(decoding: answer.body, as: UTF8.self)
                == #"{"type":"/problems/amount_invalid","title":"Unprocessable Content","status":422,"code":"amount_invalid","#
                + #""detail":"amount is zero","field":"amount"}"#
        )
    }

    @Test func `a problem's header fields go with it but cannot change its type`() {
        let headers = HttpHeaders([("Allow", "GET"), ("content-type", "text/html")])
        let answer = Problem(status: 405, code: "method_not_allowed", detail: "no", headers: headers).response
        #expect(answer.headers["allow"] == "GET")
        #expect(answer.headers.all("content-type") == ["application/problem+json"])
    }

    @Test func `answers carry the type of their body`() {
        #expect(HttpResponse.json(201, ["a": 1]).headers["content-type"] == "application/json")
        #expect(HttpResponse.json(201, ["a": 1]).body == Array(#"{"a":1}"#.utf8))
        #expect(HttpResponse.text(200, "é").body == [0xC3, 0xA9])
        #expect(HttpResponse.html(200, "<p>").headers["content-type"] == "text/html; charset=utf-8")
        #expect(HttpResponse.empty(204) == HttpResponse(status: 204))
    }
}
