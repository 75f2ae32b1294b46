import Foundation

/// Many bills paid as one task: begin a batch, upload its bills, submit it.
public struct BillBatches: Sendable {
    let exchange: Exchange

    public func create(_ batch: NewBillBatch, _ options: CommandOptions = .init()) async throws(PaystreamError)
        -> BillBatch
    {
        try await exchange.command(["v1", "bill-batches"], batch, options)
    }

    public func get(_ id: String) async throws(PaystreamError) -> BillBatch {
        try await exchange.read(Call(path: ["v1", "bill-batches", id]))
    }

    public func list(limit: Int? = nil) -> Pages<BillBatch> {
        let query = [("limit", limit.map { "\($0)" })]
        return Pages(exchange: exchange, call: Call(path: ["v1", "bill-batches"], query: query))
    }

    /// Uploads a page of bills; the same page with the same bills may be sent again.
    ///
    /// It has no key, so it is not repeated by itself after a lost answer: send the page again.
    public func upload(_ bills: [NewBill], to id: String, page: Int) async throws(PaystreamError) -> BillBatch {
        var lines = Data()
        for bill in bills {
            lines += try exchange.body(bill)
            lines += Data("\n".utf8)
        }
        var call = Call(method: .put, path: ["v1", "bill-batches", id, "bills"], query: [("page", "\(page)")])
        call.body = lines
        call.headers["Content-Type"] = "application/x-ndjson"
        return try await exchange.read(call)
    }

    /// Closes the upload and begins to pay; count and total are held against what came in.
    public func submit(
        _ id: String,
        count: Int? = nil,
        total: Money? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> BillBatch {
        try await exchange.command(
            ["v1", "bill-batches", id, "submit"],
            Submission(count: count, total: total),
            options
        )
    }

    /// Goes on with a batch that was stopped.
    public func resume(
        _ id: String,
        credentials: String? = nil,
        _ options: CommandOptions = .init()
    ) async throws(PaystreamError) -> BillBatch {
        let body = Continuation(credentials: credentials)
        return try await exchange.command(["v1", "bill-batches", id, "continue"], body, options)
    }

    public func bills(_ id: String, outcome: BillOutcome? = nil, limit: Int? = nil) -> Pages<Bill> {
        let query = [("outcome", outcome?.rawValue), ("limit", limit.map { "\($0)" })]
        let call = Call(path: ["v1", "bill-batches", id, "bills"], query: query)
        return Pages(exchange: exchange, call: call, cursor: "after")
    }

    private struct Submission: Encodable, Sendable {
        var count: Int?
        var total: Money?
    }

    private struct Continuation: Encodable, Sendable {
        var credentials: String?
    }
}

/// A batch of bills to be begun.
public struct NewBillBatch: Codable, Hashable, Sendable {
    /// An id of your own (`NewId.billBatch()`); without it the daemon makes one.
    public var id: String?
    public var account: String
    public var credentials: String
    public var instrument: String?
    public var customer: String?
    public var reference: String?
    public var wallet: Bool?

    public init(account: String, credentials: String) {
        self.account = account
        self.credentials = credentials
    }
}

/// A bill of a batch, under the provider's id of it.
public struct NewBill: Codable, Hashable, Sendable {
    public var id: String
    public var amount: Money

    public init(id: String, amount: Money) {
        self.id = id
        self.amount = amount
    }
}
