import Http
import Kernel

/// The counts of `/v1/activity`, as the overview needs them.
struct ActivityFigures {
    private let rows: [Json]
    private let times: [Json]
    private let answers: [Json]

    /// Got money, or proved a card.
    private static let approved: Set<String> = [
        "authorized", "partiallyCaptured", "captured", "partiallyRefunded", "refunded", "disputed", "chargedBack",
        "released", "verified", "tokenized", "transferred",
    ]

    init(_ json: Json) {
        rows = json["rows"]?.items ?? []
        times = json["timeToMoney"]?.items ?? []
        answers = json["answerTimes"]?.items ?? []
    }

    private func count(_ isCounted: (Json) -> Bool) -> Int64 {
        rows.reduce(0) { isCounted($1) ? $0 + ($1["payments"]?.integer ?? 0) : $0 }
    }

    private static func isGood(_ row: Json) -> Bool { approved.contains(row["status"]?.text ?? "") }
    private static func isBad(_ row: Json) -> Bool { row["status"]?.text == "failed" }

    var count: Int64 { count { _ in true } }
    var approved: Int64 { count(Self.isGood) }
    var failed: Int64 { count(Self.isBad) }
    var expired: Int64 { count { $0["status"]?.text == "expired" } }

    /// Thousandths of a day's payments that ended; `nil` where none did.
    func approvalTenths(on day: String) -> Int64? {
        let good = count { $0["day"]?.text == day && Self.isGood($0) }
        let bad = count { $0["day"]?.text == day && Self.isBad($0) }
        return good + bad == 0 ? nil : good * 1000 / (good + bad)
    }

    func counts(account: String) -> (good: Int64, bad: Int64, all: Int64) {
        let of = { (row: Json) in row["account"]?.text == account }
        return (count { of($0) && Self.isGood($0) }, count { of($0) && Self.isBad($0) }, count(of))
    }

    /// Classes of refusals, the most frequent first.
    var declines: [(word: String, count: Int64)] {
        let counts = rows.reduce(into: [String: Int64]()) { counts, row in
            guard let word = row["decline"]?.text else { return }
            counts[word, default: 0] += row["payments"]?.integer ?? 0
        }
        return counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { ($0.key, $0.value) }
    }

    func time(provider: String) -> Int64? {
        times.first { $0["provider"]?.text == provider }?["median"]?.integer
    }

    /// Providers that answered something, by their names.
    var answeringProviders: [String] { Set(answers.compactMap { $0["provider"]?.text }).sorted() }

    /// Milliseconds of a provider's answers on a day; `nil` where it gave none.
    func answerTime(_ provider: String, on day: String, _ member: String) -> Int64? {
        answers.first { $0["provider"]?.text == provider && $0["day"]?.text == day }?[member]?.integer
    }

    /// The longest time that a day of a provider tells.
    func longestAnswer(_ provider: String) -> Int64? {
        answers.filter { $0["provider"]?.text == provider }.compactMap { $0["most"]?.integer }.max()
    }

    /// The provider whose payments take longest.
    var slowest: (provider: String, median: Int64, most: Int64)? {
        times.max { ($0["median"]?.integer ?? 0) < ($1["median"]?.integer ?? 0) }.map { time in
            (time["provider"]?.text ?? "", time["median"]?.integer ?? 0, time["most"]?.integer ?? 0)
        }
    }
}

extension Formats {
    /// A rate in percent; below twenty cases the cases themselves.
    func rate(_ part: Int64, of whole: Int64, _ visit: Visit) -> String {
        guard whole > 0 else { return "–" }
        return whole < 20 ? "\(number(part))\u{202F}/\u{202F}\(number(whole))" : percent(part, of: whole)
    }
}

extension Visit {
    /// Makes a report in a form; where another one of the merchant is being made, waits a little for it.
    func report(_ name: String, _ query: [(name: String, value: String)]) async -> HttpResponse {
        let target = "/v1/reports/\(FormEncoding.escape(name))?" + FormEncoding.encode(query)
        for _ in 0..<20 {
            let answer = await send(.get, target)
            guard answer.status == 429 else { return answer }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return await send(.get, target)
    }
}
