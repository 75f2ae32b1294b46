package import Daemon
import Http
package import Kernel

/// Makes a public event of one type really happen: a backend's calls and a payer's steps, against the sandbox.
package struct EventTrigger: Sendable {
    /// Steps that lead to an event; they answer the id of the resource that it is about.
    package typealias Scene = @Sendable (EventTrigger) async throws -> String

    /// Whether an event can be brought about, and how.
    package enum Way: Sendable {
        case scene(Scene)
        /// Why nobody can within a minute.
        case never(String)
    }

    package let api: ApiClient
    /// Address of the sandbox.
    package let sandbox: String
    /// Tells this run's keys and references from those of others.
    package let run: String

    package init(api: ApiClient, sandbox: String, run: String) {
        self.api = api
        self.sandbox = sandbox
        self.run = run
    }

    /// Every type of the catalogue.
    package static let ways: [String: Way] = [payments, operations, transfers, instruments, schedules, batches, bills]
        .reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    /// How long an event may take to be told once its steps are done.
    private static let patience = Duration.seconds(45)
    /// Seconds that a question waits for the next event.
    private static let wait = 5

    /// Plays the steps of a type and waits for its event; `nil` where it did not come.
    package func play(_ type: String, _ scene: Scene) async throws -> Json? {
        guard var cursor = try await api.call(.get, "/v1/events?after=latest")["next"]?.text else {
            throw ApiClient.Failure(description: "the feed gave no cursor")
        }
        let resource = try await scene(self)
        let deadline = ContinuousClock.now + Self.patience
        while ContinuousClock.now < deadline {
            let query = "types=\(type)&limit=100&wait=\(Self.wait)&after=\(cursor)"
            let page = try await api.call(.get, "/v1/events?" + query)
            if let event = page["items"]?.items?.first(where: { $0.at("resource", "id")?.text == resource }) {
                return event
            }
            cursor = page["next"]?.text ?? cursor
        }
        return nil
    }

    // MARK: Steps

    func stage(_ provider: String) -> DemoStage {
        DemoStage(sandbox: sandbox, api: api, run: run, provider: provider)
    }

    var ecommpay: DemoStage { stage(EcommpayScenes.provider) }

    /// Waits until a payment has a status; anything else is a failure that tells how it stands.
    @discardableResult
    func wait(_ id: String, for status: String) async throws -> Json {
        let seen = try await ecommpay.wait(id, for: status)
        guard seen["status"]?.text == status else {
            throw ApiClient.Failure(description: "\(id) is \(seen["status"]?.text ?? "?"), not \(status)")
        }
        return seen
    }

    /// Looks until something is there.
    func found<Value>(_ what: String, _ look: () async throws -> Value?) async throws -> Value {
        let seen = try await ecommpay.until(DemoStage.patience) {
            let value = try await look()
            return (value, value != nil)
        }
        guard let seen else { throw ApiClient.Failure(description: "\(what) did not come") }
        return seen
    }

    /// Tells the sandbox something.
    @discardableResult
    func control(_ path: String, _ body: Json? = nil) async throws -> Json {
        let answer = try await api.open(sandbox + path, posting: body, accept: "application/json")
        guard (200..<300).contains(answer.status) else {
            let text = String(decoding: answer.body, as: UTF8.self)
            throw ApiClient.Failure(description: "sandbox \(path): \(answer.status) \(text)")
        }
        return (try? Json(answer.body)) ?? .null
    }
}
