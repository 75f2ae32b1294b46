import Http
import Testing

struct HttpRequestTests {
    @Test func `the target stays exact while path and query are read from it`() throws {
        let request = HttpRequest(method: .get, target: "/v1/a%2Fb/c?x=1%202&y=%C3%A9+z&flag&x=")
        #expect(request.path == "/v1/a%2Fb/c")
        let query = try #require(request.query)
        #expect(query.map(\.name) == ["x", "y", "flag", "x"])
        #expect(query.map(\.value) == ["1 2", "é z", "", ""])
    }

    @Test(arguments: ["/a?x=%", "/a?x=%4", "/a?x=%zz", "/a?%FF=1"])
    func `a query with a broken escape or bad UTF-8 is nil`(target: String) {
        #expect(HttpRequest(method: .get, target: target).query == nil)
    }

    @Test func `no query and an empty query have no pairs`() {
        for target in ["/a", "/a?"] { #expect(HttpRequest(method: .get, target: target).query?.isEmpty == true) }
    }

    @Test func `a second question mark belongs to the query`() {
        let request = HttpRequest(method: .get, target: "/a?b=c?d")
        #expect(request.path == "/a")
        #expect(request.query?.first?.value == "c?d")
    }

    @Test func `a combining mark behind the question mark does not hide the query`() {
        #expect(HttpRequest(method: .get, target: "/a?\u{301}b").path.utf8.elementsEqual("/a".utf8))
    }

    @Test(arguments: [
        ("http://host:80/v1/x?y=1", "/v1/x"), ("https://host", "/"), ("http://host?y=1", ""), ("*", "*"),
    ])
    func `an absolute target loses scheme and authority`(target: String, path: String) {
        #expect(HttpRequest(method: .get, target: target).path == path)
    }
}
