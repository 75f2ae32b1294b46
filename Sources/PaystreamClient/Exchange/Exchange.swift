import Foundation

/// Sends calls, repeats those that may be repeated, and turns refusals into errors.
struct Exchange: Sendable {
    let configuration: Paystream.Configuration
    let transport: any Transport
    let clock: ExchangeClock

    /// What one attempt ended in.
    private enum Ending {
        case answered(TransportAnswer)
        case lost(String)
    }

    /// Sends a call until an answer is good, a repetition is not safe, or the time is over.
    func send(_ call: Call) async throws(PaystreamError) -> TransportAnswer {
        guard let url = call.url(below: configuration.url) else { throw .unsendable("no address: \(call.path)") }
        let correlation = UUID().uuidString.lowercased()
        let headers = try headers(of: call, correlation)
        let end = clock.now() + configuration.callTimeout + call.wait
        var attempt = 0
        while true {
            attempt += 1
            let left = end - clock.now()
            let timeout = min(configuration.attemptTimeout + call.wait, max(left, .milliseconds(1)))
            let request = TransportRequest(
                method: call.method.rawValue,
                url: url,
                headers: headers,
                body: call.body,
                timeout: timeout
            )
            let ending = try await attemptOnce(request, call)
            if case .answered(let answer) = ending, (200..<300).contains(answer.status) || answer.status == 304 {
                return answer
            }
            let pause =
                Self.mayRepeat(call, ending)
                ? configuration.retries.pause(after: attempt, asked: retryAfter(ending), chance: clock.chance()) : nil
            guard let pause, clock.now() + pause < end else { throw error(ending, call, correlation) }
            try await sleep(pause, call)
        }
    }

    /// Sends a command and gives what it decided: one that is only stored is repeated under its key until it is decided.
    func decide<Value: Decodable>(_ call: Call, as type: Value.Type) async throws(PaystreamError) -> Value {
        let end = clock.now() + configuration.callTimeout + call.wait
        var attempt = 0
        while true {
            attempt += 1
            let answer = try await send(call)
            guard answer.status == 202, let stored = try? Wire.decode(Stored.self, from: answer.body),
                stored.status == "accepted"
            else { return try value(of: answer, call) }
            let pause = RetryPolicy(attempts: .max).pause(after: attempt, asked: nil, chance: clock.chance())
            guard let pause, clock.now() + pause < end else {
                throw .undecided(id: stored.id, key: call.key ?? "")
            }
            try await sleep(pause, call)
        }
    }

    /// What a call answers, decoded.
    func value<Value: Decodable>(of answer: TransportAnswer, _ call: Call) throws(PaystreamError) -> Value {
        do { return try Wire.decode(Value.self, from: answer.body) } catch {
            throw .noAnswer(.init(reason: "the answer can't be read: \(error)", status: answer.status, key: call.key))
        }
    }

    func read<Value: Decodable>(_ call: Call, as type: Value.Type = Value.self) async throws(PaystreamError) -> Value {
        try value(of: try await send(call), call)
    }

    func body(_ value: some Encodable) throws(PaystreamError) -> Data {
        do { return try Wire.encode(value) } catch { throw .unsendable("\(error)") }
    }

    /// The answer to a command that is stored and not decided yet.
    private struct Stored: Decodable {
        let id: String
        let status: String
    }

    // MARK: One attempt

    private func attemptOnce(_ request: TransportRequest, _ call: Call) async throws(PaystreamError) -> Ending {
        do { return .answered(try await transport.send(request)) } catch {
            if Task.isCancelled || error is CancellationError { throw .cancelled(key: call.key) }
            return .lost("\((error as? any LocalizedError)?.errorDescription ?? "\(error)")")
        }
    }

    private func sleep(_ pause: Duration, _ call: Call) async throws(PaystreamError) {
        do { try await clock.sleep(pause) } catch { throw .cancelled(key: call.key) }
    }

    private func headers(of call: Call, _ correlation: String) throws(PaystreamError) -> [String: String] {
        var headers = call.headers
        headers["Authorization"] = "Bearer " + configuration.key.text
        headers["Accept"] = "application/json"
        headers["Correlation-Id"] = correlation
        headers["User-Agent"] = "paystream-swift/1"
        if call.body != nil { headers["Content-Type"] = headers["Content-Type"] ?? "application/json" }
        if let key = call.key { headers["Idempotency-Key"] = key }
        for (name, value) in headers where !value.utf8.allSatisfy({ (0x20...0x7e).contains($0) }) {
            throw .unsendable("\(name) has characters that no header takes")
        }
        return headers
    }

    // MARK: Repeating

    private static let passing: Set<Int> = [429, 502, 503, 504]

    private static func mayRepeat(_ call: Call, _ ending: Ending) -> Bool {
        switch ending {
        case .lost: call.isRepeatable
        case .answered(let answer): answer.status == 429 || call.isRepeatable && passing.contains(answer.status)
        }
    }

    private func retryAfter(_ ending: Ending) -> Duration? {
        guard case .answered(let answer) = ending, let seconds = answer.headers["retry-after"].flatMap({ Int64($0) }),
            (0...86_400).contains(seconds)
        else { return nil }
        return .seconds(seconds)
    }

    private func error(_ ending: Ending, _ call: Call, _ correlation: String) -> PaystreamError {
        switch ending {
        case .lost(let reason): return .noAnswer(.init(reason: reason, status: nil, key: call.key))
        case .answered(let answer):
            guard var problem = try? Wire.decode(Problem.self, from: answer.body) else {
                let reason = "status \(answer.status) without a problem"
                return .noAnswer(.init(reason: reason, status: answer.status, key: call.key))
            }
            problem.requestId = answer.headers["request-id"] ?? problem.requestId ?? correlation
            return .problem(problem)
        }
    }
}

/// The time and chance that an exchange goes by.
package struct ExchangeClock: Sendable {
    let now: @Sendable () -> ContinuousClock.Instant
    let sleep: @Sendable (Duration) async throws -> Void
    /// In 0..<1.
    let chance: @Sendable () -> Double

    package init(
        now: @escaping @Sendable () -> ContinuousClock.Instant,
        sleep: @escaping @Sendable (Duration) async throws -> Void,
        chance: @escaping @Sendable () -> Double
    ) {
        self.now = now
        self.sleep = sleep
        self.chance = chance
    }

    static let system = ExchangeClock(
        now: { .now },
        sleep: { try await Task.sleep(for: $0) },
        chance: { Double.random(in: 0..<1) }
    )
}
