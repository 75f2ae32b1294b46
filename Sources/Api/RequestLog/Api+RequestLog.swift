import EventSourcing
import Http
import Kernel
import Projections

/// A merchant's own requests, as they were answered.
extension Api {
    func getRequest(_ call: Call) async throws(Problem) -> HttpResponse {
        let unknown = Problem(.requestUnknown, "There is no such request.")
        guard let id = call.path["request"].flatMap({ RequestId($0) })?.uuid else { throw unknown }
        if let entry = requestLog.entry(id, of: call.merchant) { return .json(200, entry.json) }
        let pages = try await asked { () async throws(StoreFailure) in
            try await reader.tables.requests.pages(around: id, of: call.merchant)
        }
        guard let entry = pages.lazy.flatMap(\.entries).first(where: { $0.id == id }) else { throw unknown }
        return .json(200, entry.json)
    }

    func listRequests(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        let seal = seal(of: form, call)
        let filter = try RequestFilter(&form, call.merchant)
        let limit = try form.integer("limit", in: 1...Limits.pageRows) ?? 20
        let cursor = try form.cursor(seal)
        try form.end()
        guard requestLooks.take(call.merchant) else {
            throw .tooMany(.seconds(1), "This merchant looks through its requests as often at once as it may.")
        }
        defer { requestLooks.release(call.merchant) }
        let (entries, next) = try await requests(filter, before: cursor?.id, limit, of: call.merchant)
        return Self.page(
            entries.map(\.json),
            next: next.map { seal.text(PageCursor(createdAt: .epoch, id: $0)) }
        )
    }

    /// Requests that are looked through at once, and how often for one answer: beyond that a page may hold fewer than it could.
    private static let requestsAtOnce = 2_000
    private static let mostReads = 10

    /// The newest requests before one, and behind which the next page goes on.
    ///
    /// Pages of nodes overlap in time. What stands in a page that was not read is older than the end of the last one that was.
    private func requests(_ filter: RequestFilter, before: Uuid?, _ limit: Int, of merchant: MerchantNumber)
        async throws(Problem) -> (entries: [RequestEntry], next: Uuid?)
    {
        var found: [RequestEntry] = []
        var edge: Uuid?
        var isWhole = false
        for _ in 0..<Self.mostReads {
            let from = edge
            let pages = try await asked { () async throws(StoreFailure) in
                try await reader.tables.requests.pages(
                    endingBefore: from,
                    beginningBefore: before,
                    requests: Self.requestsAtOnce,
                    of: merchant
                )
            }
            guard let last = pages.last?.last else {
                isWhole = true
                break
            }
            edge = last
            found += pages.flatMap(\.entries).filter { entry in
                filter.holds(entry) && before.map { entry.id < $0 } ?? true
            }
            if found.count(where: { $0.id >= last }) > limit { break }
        }
        let known = found.filter { entry in isWhole || edge.map { entry.id >= $0 } ?? true }.sorted { $1.id < $0.id }
        let shown = Array(known.prefix(limit))
        if known.count > limit { return (shown, shown.last?.id) }
        return (shown, isWhole ? nil : edge)
    }
}
