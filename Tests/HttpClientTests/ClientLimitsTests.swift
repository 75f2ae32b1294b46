import Http
import HttpClient
import Testing

struct ClientLimitsTests {
    /// Sends and tells how long it took.
    private func timed(_ client: HttpClient, _ request: OutgoingRequest) async -> (ExchangeOutcome, Duration) {
        let start = ContinuousClock.now
        let outcome = await client.send(request)
        return (outcome, ContinuousClock.now - start)
    }

    @Test func `silence ends at the deadline as unknown`() async throws {
        try await withFaultServer { client, server in
            let (outcome, time) = await timed(client, server.post("/hang", deadline: .milliseconds(1500)))
            #expect(outcome == .sentNoAnswer(NoAnswer(.deadline)))
            #expect(time >= .milliseconds(1490) && time < .seconds(20))
        }
    }

    @Test func `an answer that trickles ends at the deadline, however lively it is`() async throws {
        try await withFaultServer { client, server in
            let (outcome, time) = await timed(client, server.post("/trickle", deadline: .milliseconds(1500)))
            #expect(outcome == .sentNoAnswer(NoAnswer(.deadline, status: 200)))
            #expect(time >= .milliseconds(1490) && time < .seconds(20))
        }
    }

    @Test func `a body that nobody reads ends at the deadline`() async throws {
        try await withFaultServer { client, server in
            let body = [UInt8](repeating: 7, count: 64_000_000)
            let (outcome, time) = await timed(client, server.post("/unread", body: body, deadline: .milliseconds(1500)))
            #expect(outcome == .sentNoAnswer(NoAnswer(.deadline)))
            #expect(time >= .milliseconds(1490) && time < .seconds(20))
        }
    }

    @Test func `interim answers without an end are over at the deadline`() async throws {
        try await withFaultServer { client, server in
            let (outcome, time) = await timed(client, server.post("/interim-for-ever", deadline: .milliseconds(1500)))
            #expect(outcome.noAnswer == .deadline)
            #expect(time >= .milliseconds(1490) && time < .seconds(20))
        }
    }

    @Test func `time that a request waits for a connection counts`() async throws {
        var configuration = HttpClientConfiguration()
        configuration.connectionsPerHost = 1
        try await withFaultServer(configuration) { client, server in
            async let first = client.send(server.post("/hang"))
            await eventually("the first one hangs") { server.requests("/hang").count == 1 }
            let (outcome, time) = await timed(client, server.post("/ok", deadline: .milliseconds(1500)))
            #expect(outcome == .notSent(.deadline))
            #expect(time >= .milliseconds(1490) && time < .seconds(20))
            #expect(server.requests("/ok").isEmpty)
            await client.stop()
            _ = await first
        }
    }

    @Test func `a handshake that never ends is not sent`() async throws {
        try await withFaultServer { client, server in
            let address = "https://127.0.0.1:\(server.port)/"
            let request = OutgoingRequest(method: .post, url: address, body: [1], deadline: .milliseconds(300))
            #expect(await client.send(request) == .notSent(.deadline))
        }
    }

    @Test func `no time left is not sent`() async throws {
        try await withFaultServer { client, server in
            #expect(await client.send(server.post("/", deadline: .zero)) == .notSent(.deadline))
            #expect(server.connections == 0)
        }
    }

    @Test func `an answer of 100 MB is broken off and keeps its status`() async throws {
        try await withFaultServer { client, server in
            #expect(await client.send(server.post("/huge")) == .sentNoAnswer(NoAnswer(.tooLarge, status: 200)))
            #expect(server.bytesSent < 20 * 1024 * 1024)
            var request = server.post("/ok")
            request.maximumAnswerBytes = 2
            #expect(await client.send(request).answer?.body == Array("ok".utf8))
            request.maximumAnswerBytes = 1
            #expect(await client.send(request).noAnswer == .tooLarge)
        }
    }

    @Test func `an endless head is broken off`() async throws {
        try await withFaultServer { client, server in
            #expect(await client.send(server.post("/endless-head")).noAnswer == .tooLarge)
        }
    }

    @Test func `256 requests at a time are all answered`() async throws {
        try await withFaultServer { client, server in
            let answered = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<256 {
                    group.addTask {
                        await client.send(server.post("/ok/\(number)", body: Array("\(number)".utf8))).answer?.status
                            == 200
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(answered == 256)
            #expect(server.connections <= 32)
            for number in 0..<256 { #expect(server.requests("/ok/\(number)").map(\.body) == [Array("\(number)".utf8)]) }
        }
    }

    @Test func `what is over the limit of requests is turned away as not sent`() async throws {
        var configuration = HttpClientConfiguration()
        configuration.maximumRequests = 2
        try await withFaultServer(configuration) { client, server in
            async let first = client.send(server.post("/hang"))
            async let second = client.send(server.post("/hang"))
            await eventually("both hang") { server.requests("/hang").count == 2 }
            #expect(await client.send(server.post("/ok")) == .notSent(.overloaded))
            await client.stop()
            #expect(await [first, second] == [.sentNoAnswer(NoAnswer(.stopped)), .sentNoAnswer(NoAnswer(.stopped))])
        }
    }

    @Test func `a cancelled task ends its exchange at once, unknown where bytes have left`() async throws {
        try await withFaultServer { client, server in
            let task = Task { await client.send(server.post("/hang")) }
            await eventually("it hangs") { server.requests("/hang").count == 1 }
            task.cancel()
            #expect(await task.value == .sentNoAnswer(NoAnswer(.cancelled)))
        }
    }

    @Test func `a cancelled task ends its exchange as not sent where none has left`() async throws {
        try await withFaultServer { client, server in
            let request = OutgoingRequest(method: .post, url: "https://127.0.0.1:\(server.port)/", body: [1])
            let task = Task { await client.send(request) }
            await eventually("the connection stands") { server.connections == 1 }
            task.cancel()
            #expect(await task.value == .notSent(.cancelled))
            let late = Task {
                try? await Task.sleep(for: .seconds(60))
                return await client.send(server.post("/never"))
            }
            late.cancel()
            #expect(await late.value == .notSent(.cancelled))
            #expect(server.requests("/never").isEmpty)
        }
    }

    @Test func `a stop lets exchanges end until its deadline and takes no new ones`() async throws {
        try await withFaultServer { client, server in
            async let hanging = client.send(server.post("/hang", deadline: .seconds(600)))
            async let ending = client.send(server.post("/trickle", deadline: .seconds(1)))
            await eventually("both are under way") {
                server.requests("/hang").count + server.requests("/trickle").count == 2
            }
            async let stop: Void = client.stop(within: .seconds(4))
            await eventually("nothing new is taken") { server.connections == 2 }
            #expect(await ending == .sentNoAnswer(NoAnswer(.deadline, status: 200)))
            #expect(await hanging == .sentNoAnswer(NoAnswer(.stopped)))
            await stop
            #expect(await client.send(server.post("/ok")) == .notSent(.stopped))
            await client.stop()
        }
    }
}
