/// The items of a list, read page by page as they are asked for.
public struct Pages<Item: Codable & Sendable>: AsyncSequence, Sendable {
    let exchange: Exchange
    let call: Call
    /// The parameter that says where a page begins.
    var cursor = "cursor"

    public struct Iterator: AsyncIteratorProtocol {
        private let exchange: Exchange
        private var call: Call
        private let cursor: String
        private var items: ArraySlice<Item> = []
        private var isAtEnd = false

        init(_ pages: Pages) {
            exchange = pages.exchange
            call = pages.call
            cursor = pages.cursor
        }

        /// A page may be empty and still have another behind it.
        public mutating func next() async throws -> Item? {
            while items.isEmpty {
                guard !isAtEnd else { return nil }
                let page: Page<Item> = try await exchange.read(call)
                items = page.items[...]
                call.query = call.query.filter { [cursor] in $0.name != cursor } + [(cursor, page.next)]
                isAtEnd = page.next == nil
            }
            return items.popFirst()
        }
    }

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// The first page.
    public func first() async throws(PaystreamError) -> Page<Item> { try await exchange.read(call) }
}

/// A page of a list.
public struct Page<Item: Codable & Sendable>: Codable, Sendable {
    public let items: [Item]
    /// Where the next page begins; absent on the last, and of the feed always there.
    public let next: String?
    /// Of the feed: whether more is there already, also behind a page without items.
    public let hasMore: Bool?
}
