import Http
import Testing

struct RouterTests {
    private enum Route: Sendable, Equatable { case list, create, show, search, capture, replace }

    private let router = Router<Route>([
        (.get, "/v1/payments", .list),
        (.post, "/v1/payments", .create),
        (.get, "/v1/payments/{id}", .show),
        (.get, "/v1/payments/search", .search),
        (.post, "/v1/payments/{id}/captures/{capture}", .capture),
        (.put, "/v1/payments/search/{name}", .replace),
    ])

    private func found(_ method: HttpMethod, _ path: String) -> (route: Route, pairs: [String])? {
        guard case .found(let route, let parameters) = router.match(method, path[...]) else { return nil }
        return (route, parameters.pairs.map { "\($0.name)=\($0.value)" })
    }

    @Test func `a path finds the route of its method with its captures`() throws {
        #expect(found(.get, "/v1/payments")?.route == .list)
        #expect(found(.post, "/v1/payments")?.route == .create)
        let capture = try #require(found(.post, "/v1/payments/pay_1/captures/c2"))
        #expect(capture.route == .capture)
        #expect(capture.pairs == ["id=pay_1", "capture=c2"])
    }

    @Test func `a literal segment wins over a capture and does not hide it`() throws {
        #expect(found(.get, "/v1/payments/search")?.route == .search)
        #expect(found(.post, "/v1/payments/search/captures/c2")?.pairs == ["id=search", "capture=c2"])
    }

    @Test func `a capture is decoded and an escaped slash stays inside it`() throws {
        #expect(found(.get, "/v1/payments/a%2Fb%20c+d")?.pairs == ["id=a/b c+d"])
        #expect(found(.get, "/v1/%70ayments")?.route == .list)
        // A mark makes one character of itself and the slash before it.
        #expect(found(.get, "/v1/payments/\u{301}a")?.pairs == ["id=\u{301}a"])
    }

    @Test(arguments: [
        "", "/", "v1/payments", "/v1/payments/", "/v1//payments", "/v1/payments/a/b", "/v1/payments/%",
        "/v1/payments/%FF",
        "/V1/payments",
    ])
    func `any other path is not found`(path: String) {
        guard case .notFound = router.match(.get, path[...]) else {
            Issue.record("\(path) was found")
            return
        }
    }

    @Test func `a known path under another method tells the methods it has`() {
        guard case .methodNotAllowed(let allowed) = router.match(.delete, "/v1/payments") else {
            Issue.record("no list of methods")
            return
        }
        #expect(allowed == [.get, .post, .head])
    }

    @Test func `HEAD goes where GET goes`() {
        #expect(found(.head, "/v1/payments")?.route == .list)
    }

    @Test func `the table can be walked in its order`() {
        #expect(router.entries.map(\.pattern).first == "/v1/payments")
        #expect(router.entries.count == 6)
    }

    @Test func `two routes for one method and path are a defect`() async {
        await #expect(processExitsWith: .failure) {
            _ = Router<Int>([(.get, "/a/{b}", 1), (.get, "/a/{c}", 2)])
        }
    }
}
