import Http
import HttpClient
import Testing

/// Runs `body` with a fault server and a client, and stops both.
func withFaultServer(
    _ configuration: HttpClientConfiguration = HttpClientConfiguration(),
    _ body: (HttpClient, FaultServer) async throws -> Void
) async throws {
    let server = try FaultServer()
    let client = HttpClient(configuration)
    do {
        try await body(client, server)
    } catch {
        await client.stop()
        server.stop()
        throw error
    }
    await client.stop()
    server.stop()
}

extension FaultServer {
    func get(_ path: String, deadline: Duration = .seconds(60)) -> OutgoingRequest {
        OutgoingRequest(method: .get, url: url(path), deadline: deadline)
    }

    func post(_ path: String, body: [UInt8] = [1, 2, 3], deadline: Duration = .seconds(60)) -> OutgoingRequest {
        OutgoingRequest(method: .post, url: url(path), body: body, deadline: deadline)
    }
}

extension ExchangeOutcome {
    var answer: HttpResponse? {
        switch self {
        case .answered(let answer): answer
        case .notSent, .sentNoAnswer: nil
        }
    }

    var noAnswer: NoAnswerReason? {
        switch self {
        case .sentNoAnswer(let end): end.reason
        case .notSent, .answered: nil
        }
    }
}

/// Waits for a condition that another thread brings about; records an issue after half a minute.
func eventually(
    _ rule: Comment,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async {
    let end = ContinuousClock.now + .seconds(30)
    while !condition() {
        guard ContinuousClock.now < end else {
            Issue.record(rule, sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .milliseconds(2))
    }
}
