import Daemon
import Http
import HttpClient
import Kernel
import SystemKit

/// Events of a feed on their way to one receiver: one after the other, each until the receiver has it.
final class EventForwarding: Sendable {
    private let api: ApiClient
    private let url: String
    private let types: String?
    /// The file that keeps the cursor.
    private let checkpoint: String?
    private let secret: Secret
    private let receiver = HttpClient()
    private let cursor = Locked<String?>(nil)

    /// Events of a page: as many come twice at most where a run ends in the midst of one.
    private static let page = 20
    /// Seconds that a question waits for the next event.
    private static let wait = 30
    /// How long a receiver may take to answer.
    private static let patience = Duration.seconds(15)
    /// Pauses between attempts double from the first to the last.
    private static let pauses = (first: Duration.milliseconds(500), last: Duration.seconds(30))

    init(api: ApiClient, url: String, types: String?, checkpoint: String?, secret: Secret) {
        self.api = api
        self.url = url
        self.types = types
        self.checkpoint = checkpoint
        self.secret = secret
    }

    /// The cursor behind the last page that the receiver has.
    var reached: String? { cursor.withLock { $0 } }

    // MARK: Where to begin

    /// Refuses a merchant that has an account of another mode than `test`.
    func refuseLive() async throws {
        guard let live = try await api.liveAccount() else { return }
        throw CommandFailure("\(live); --live forwards its events all the same")
    }

    /// The cursor to begin behind: the one that was given or kept, otherwise that of this moment.
    func beginning(_ given: String?) async throws -> String {
        let kept = checkpoint.flatMap { SmallFile.read($0) }
            .map { String(decoding: $0, as: UTF8.self).filter { !$0.isWhitespace } }
        if let known = given ?? kept, !known.isEmpty {
            // A cursor that is refused is told before the first event is waited for.
            _ = try await asked(query(behind: known, limit: 1, wait: 0))
            return known
        }
        guard let now = try await asked(query(behind: "latest", limit: 1, wait: 0))["next"]?.text else {
            throw CommandFailure("the feed gave no cursor")
        }
        try keep(now)
        return now
    }

    // MARK: Forwarding

    /// Forwards for ever; throws what repeating does not mend.
    func run(from beginning: String) async throws {
        var behind = beginning
        while !Task.isCancelled {
            let answer = try await nextPage(behind)
            for event in answer["items"]?.items ?? [] { try await deliver(event) }
            guard let next = answer["next"]?.text else { throw CommandFailure("the feed gave no cursor") }
            if next != behind { try keep(next) }
            behind = next
        }
    }

    /// The next page, as soon as there is one; a daemon that is away is asked again.
    private func nextPage(_ behind: String) async throws -> Json {
        var pause = Self.pauses.first
        while true {
            do throws(ApiClient.Failure) {
                return try await api.call(.get, query(behind: behind, limit: Self.page, wait: Self.wait))
            } catch {
                let isPassing = error.status.map { $0 == 429 || $0 >= 500 } ?? true
                guard isPassing else { throw CommandFailure(error.description) }
                StandardStream.error.write("the feed can't be read: \(error.description); asked again in \(pause)\n")
            }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Self.pauses.last)
        }
    }

    /// Sends an event until the receiver has it.
    private func deliver(_ event: Json) async throws {
        var pause = Self.pauses.first
        while true {
            let begun = ContinuousClock.now
            let (outcome, isDelivered) = await attempt(event)
            let took = begun.duration(to: .now)
            tell(event, isDelivered ? outcome : "\(outcome), again in \(pause)", took)
            if isDelivered { return }
            try await Task.sleep(for: pause)
            pause = min(pause * 2, Self.pauses.last)
        }
    }

    private func attempt(_ event: Json) async -> (outcome: String, isDelivered: Bool) {
        let (id, body) = (event["id"]?.text ?? "", event.compactBytes)
        let time = String(WallClock.now().microseconds / 1_000_000)
        let headers = HttpHeaders([
            ("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", time),
            ("webhook-signature", WebhookSigning.header(id: id, timestamp: time, body: body, secrets: [secret])),
        ])
        let request = OutgoingRequest(method: .post, url: url, headers: headers, body: body, deadline: Self.patience)
        switch await receiver.send(request) {
        case .answered(let response): return ("\(response.status)", (200..<300).contains(response.status))
        case .notSent(let reason): return ("not sent (\(reason.rawValue))", false)
        case .sentNoAnswer(let lost): return ("no answer (\(lost.reason.rawValue))", false)
        }
    }

    /// A line for one attempt: time, type, event, resource, outcome, duration.
    private func tell(_ event: Json, _ outcome: String, _ took: Duration) {
        let milliseconds = took.components.seconds * 1000 + took.components.attoseconds / 1_000_000_000_000_000
        let cells = [
            WallClock.now().wholeSeconds, Cell.text(event["type"]), Cell.text(event["id"]),
            Cell.text(event.at("resource", "id")), outcome, "\(milliseconds) ms",
        ]
        StandardStream.output.write(cells.map(ColumnTable.plain).joined(separator: "  ") + "\n")
    }

    // MARK: The feed

    private func query(behind cursor: String, limit: Int, wait: Int) -> String {
        var pairs: [(name: String, value: String)] = [("after", cursor), ("limit", String(limit))]
        if let types { pairs.append(("types", types)) }
        if wait > 0 { pairs.append(("wait", String(wait))) }
        return "/v1/events?" + FormEncoding.encode(pairs)
    }

    /// Asks once; a refusal ends the command in the problem's words.
    private func asked(_ path: String) async throws -> Json {
        do throws(ApiClient.Failure) { return try await api.call(.get, path) } catch {
            throw CommandFailure(error.description)
        }
    }

    private func keep(_ next: String) throws {
        cursor.withLock { $0 = next }
        if let checkpoint { try PrivateFile.write(next + "\n", to: checkpoint) }
    }
}
