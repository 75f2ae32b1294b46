public import Foundation

/// Reports of what moved.
public struct Reports: Sendable {
    let exchange: Exchange

    /// The reports that there are.
    public func list() async throws(PaystreamError) -> [ReportDescription] {
        let page: Page<ReportDescription> = try await exchange.read(Call(path: ["v1", "reports"]))
        return page.items
    }

    /// Makes a report, as `turnover`.
    public func make(_ name: String, _ question: ReportQuestion = .init()) async throws(PaystreamError) -> Report {
        try await exchange.read(Call(path: ["v1", "reports", name], query: question.query))
    }

    /// Makes a report as a file.
    public func file(_ name: String, _ question: ReportQuestion = .init(), as form: ReportForm)
        async throws(PaystreamError) -> Data
    {
        let query = question.query + [("format", form.rawValue)]
        return try await exchange.send(Call(path: ["v1", "reports", name], query: query)).body
    }
}

public enum ReportForm: String, CaseIterable, Sendable {
    case csv, ndjson, xlsx
}

/// What a report is asked for; what is not said is the daemon's own choice.
public struct ReportQuestion: Sendable {
    /// The first day, as `2026-11-01`.
    public var from: String?
    /// The first day that no longer counts.
    public var before: String?
    /// In which days begin, as `Europe/Kyiv`.
    public var zone: String?
    /// Of the accounts; `live` where nothing is said.
    public var mode: AccountMode?
    /// Accounts of every mode.
    public var isOfAllModes = false
    /// Days are those when something happened at the provider, and not those when it became known here.
    public var isByProviderTime = false
    /// A position of the log, or a moment.
    public var asOf: String?

    public init(from: String? = nil, before: String? = nil, mode: AccountMode? = nil) {
        self.from = from
        self.before = before
        self.mode = mode
    }

    var query: [(name: String, value: String?)] {
        [
            ("from", from), ("before", before), ("zone", zone), ("mode", isOfAllModes ? "all" : mode?.rawValue),
            ("by", isByProviderTime ? "effective" : nil), ("asOf", asOf),
        ]
    }
}
