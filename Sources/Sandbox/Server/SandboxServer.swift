import Crypto
import Glibc
import Http
import HttpClient
import HttpServer
import Kernel

/// What a sandbox serves, and where it remembers.
package struct SandboxConfiguration: Sendable {
    /// The numeric address to listen on.
    package var address = "127.0.0.1"
    /// Where browsers and callbacks' links reach the sandbox; by default the address and the port.
    package var publicAddress: String?
    package var ecommpayProjects: [EcommpayProject]
    package var ecommpayTimings = EcommpayTimings()
    package var portmoneMerchants: [PortmoneMerchant] = []
    package var portmoneTimings = PortmoneTimings()
    /// A file that keeps every input, so that the sandbox's own end loses nothing; without it memory is all.
    package var journalPath: String?
    /// How long one attempt to deliver a callback may take.
    package var callbackDeadline = Duration.seconds(10)
    /// How long a lost answer keeps its connection silent before it is given up.
    package var lostAnswerSilence = Duration.seconds(120)

    package init(ecommpayProjects: [EcommpayProject]) { self.ecommpayProjects = ecommpayProjects }
}

/// The sandbox as a process serves it: HTTP in, callbacks out, time in between.
package final class SandboxServer: Sendable {
    /// The longest time an answer may be held back, by a fault or because it is lost.
    private static let handlerDeadline = Duration.seconds(3700)
    private static let bodyBytes = 256 * 1024
    private static let targetBytes = 32 * 1024
    /// The time running requests get when the server stops.
    private static let drainDeadline = Duration.milliseconds(200)

    private struct Running: Sendable {
        let server: HttpServer
        let client: HttpClient
        let host: SimulatorHost<EcommpaySimulator>
        let dolyame: SimulatorHost<DolyameSimulator>
        let portmone: SimulatorHost<PortmoneSimulator>
        /// Deliver notifications and let the time pass; owned here, ended by `stop`.
        let loops: [Task<Void, Never>]
    }

    private let configuration: SandboxConfiguration
    private let running = Locked<Running?>(nil)

    package init(_ configuration: SandboxConfiguration) { self.configuration = configuration }

    /// Binds, restores what the journal holds, and serves; answers the bound port.
    ///
    /// Port 0 lets the system choose one.
    package func start(port: UInt16 = 0) async throws -> UInt16 {
        var wire = HttpServerConfiguration()
        wire.address = configuration.address
        wire.port = port
        wire.handlerDeadline = SandboxServer.handlerDeadline
        wire.maximumTargetBytes = SandboxServer.targetBytes
        wire.bodyLimit = { _ in SandboxServer.bodyBytes }
        let slot = Locked<
            (
                SimulatorHost<EcommpaySimulator>, SimulatorHost<DolyameSimulator>, SimulatorHost<PortmoneSimulator>
            )?
        >(nil)
        let silence = configuration.lostAnswerSilence
        let server = HttpServer(configuration: wire) { request, _ in
            guard let (ecommpay, dolyame, portmone) = slot.withLock({ $0 }) else {
                return .text(503, "The sandbox is starting.\n")
            }
            if request.path.hasPrefix("/dolyame/") {
                return await SandboxServer.answer(request, dolyame, silence: silence)
            }
            if request.path.hasPrefix("/portmone/") {
                return await SandboxServer.answer(request, portmone, silence: silence)
            }
            return await SandboxServer.answer(request, ecommpay, silence: silence)
        }
        let bound = try server.start()
        var posting = HttpClientConfiguration()
        posting.userAgent = "paystream-sandbox"
        let client = HttpClient(posting)
        do {
            let host = try makeHost(client, port: bound)
            let dolyame = makeDolyame(client, port: bound)
            let portmone = try makePortmone(client, port: bound)
            slot.withLock { $0 = (host, dolyame, portmone) }
            let loops = [
                Task { await host.run() }, Task { await dolyame.run() }, Task { await portmone.run() },
            ]
            running.withLock {
                $0 = Running(
                    server: server,
                    client: client,
                    host: host,
                    dolyame: dolyame,
                    portmone: portmone,
                    loops: loops
                )
            }
        } catch {
            await server.drain(deadline: .zero)
            await client.stop()
            throw error
        }
        return bound
    }

    /// Stops serving and delivering; what was under way is taken up again after the next start with the same journal.
    package func stop() async {
        let stopped = running.withLock { slot in
            let taken = slot
            slot = nil
            return taken
        }
        guard let stopped else { return }
        for loop in stopped.loops { loop.cancel() }
        for loop in stopped.loops { await loop.value }
        await stopped.server.drain(deadline: SandboxServer.drainDeadline)
        await stopped.client.stop()
    }

    /// The state, for whoever looks on; `nil` while nothing is served.
    package func ecommpay() async -> EcommpaySimulator? {
        guard let host = running.withLock({ $0?.host }) else { return nil }
        return await host.state
    }

    /// Portmone as it stands; `nil` while nothing is served.
    package func portmone() async -> PortmoneSimulator? {
        guard let host = running.withLock({ $0?.portmone }) else { return nil }
        return await host.state
    }

    /// Dolyame as it stands; `nil` while nothing is served.
    package func dolyame() async -> DolyameSimulator? {
        guard let host = running.withLock({ $0?.dolyame }) else { return nil }
        return await host.state
    }

    /// Dolyame's orders live as long as the process.
    private func makeDolyame(_ client: HttpClient, port: UInt16) -> SimulatorHost<DolyameSimulator> {
        let address = configuration.publicAddress ?? "http://\(configuration.address):\(port)"
        let deadline = configuration.callbackDeadline
        let simulator = DolyameSimulator(DolyameSimulator.Configuration(address: address + "/dolyame"))
        return SimulatorHost(simulator, journal: nil) { delivery in
            await SandboxServer.post(delivery, client, deadline: deadline)
        }
    }

    /// The journal stands beside the first simulator's, under the provider's name.
    private func makePortmone(_ client: HttpClient, port: UInt16) throws -> SimulatorHost<PortmoneSimulator> {
        let path = configuration.journalPath.map { "\($0).portmone" }
        var startedAt = SandboxServer.now()
        if let path, let known = try SandboxJournal.startOf(path) { startedAt = known.at }
        var settings = PortmoneSimulator.Configuration(
            merchants: configuration.portmoneMerchants,
            address: configuration.publicAddress ?? "http://\(configuration.address):\(port)",
            startedAt: startedAt
        )
        settings.timings = configuration.portmoneTimings
        var simulator = PortmoneSimulator(settings)
        var journal: SandboxJournal?
        if let path {
            journal = try SandboxJournal(path: path, startedAt: startedAt, fingerprint: settings.fingerprint) {
                _ = simulator.take($0, at: $1)
            }
        }
        let deadline = configuration.callbackDeadline
        return SimulatorHost(simulator, journal: journal.take()) { delivery in
            await SandboxServer.post(delivery, client, deadline: deadline)
        }
    }

    private func makeHost(_ client: HttpClient, port: UInt16) throws -> SimulatorHost<EcommpaySimulator> {
        var startedAt = SandboxServer.now()
        if let path = configuration.journalPath, let known = try SandboxJournal.startOf(path) { startedAt = known.at }
        var settings = EcommpaySimulator.Configuration(
            projects: configuration.ecommpayProjects,
            address: configuration.publicAddress ?? "http://\(configuration.address):\(port)",
            startedAt: startedAt
        )
        settings.timings = configuration.ecommpayTimings
        var simulator = EcommpaySimulator(settings)
        var journal: SandboxJournal?
        if let path = configuration.journalPath {
            journal = try SandboxJournal(path: path, startedAt: startedAt, fingerprint: settings.fingerprint) {
                _ = simulator.take($0, at: $1)
            }
        }
        let deadline = configuration.callbackDeadline
        return SimulatorHost(simulator, journal: journal.take()) { delivery in
            await SandboxServer.post(delivery, client, deadline: deadline)
        }
    }

    /// Answers as the simulator says, with the delays and losses it asks for.
    private static func answer<Simulator>(
        _ request: HttpRequest,
        _ host: SimulatorHost<Simulator>,
        silence: Duration
    ) async -> HttpResponse {
        let answer = await host.answer(
            SandboxRequest(
                method: request.method == .head ? "GET" : request.method.rawValue,
                path: String(request.path),
                query: String(request.head.rawQuery ?? ""),
                body: request.body,
                wantsPage: request.headers["Accept"]?.contains("text/html") ?? false
            )
        )
        // A cancelled wait means that the client is gone or the server stops: the answer no longer matters.
        if answer.delay > .zero { try? await Task.sleep(for: answer.delay) }
        switch answer.fate {
        case .sent: break
        case .lost:
            try? await Task.sleep(for: silence)
            return .empty(504)
        }
        return response(of: answer)
    }

    private static func response(of answer: SandboxAnswer) -> HttpResponse {
        let body: [UInt8]
        switch answer.body {
        case .bytes(let bytes): body = bytes
        case .filler(let count): body = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        }
        var response = HttpResponse(status: answer.status, contentType: answer.contentType, body: body)
        response.headers.append("Cache-Control", "no-store")
        if let location = answer.location { response.headers.append("Location", location) }
        if answer.contentType.hasPrefix("text/html") {
            response.headers.append("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
            response.headers.append("X-Content-Type-Options", "nosniff")
        }
        return response
    }

    private static func post(_ delivery: SandboxDelivery, _ client: HttpClient, deadline: Duration) async
        -> DeliveryReply
    {
        let request = OutgoingRequest(
            method: .post,
            url: delivery.url,
            headers: HttpHeaders([("Content-Type", delivery.contentType)]),
            body: delivery.body,
            deadline: deadline
        )
        switch await client.send(request) {
        case .answered(let response): return .status(response.status)
        case .notSent, .sentNoAnswer: return .noAnswer
        }
    }

    private static func now() -> Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Timestamp(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
    }
}

extension EcommpaySimulator.Configuration {
    /// A digest of everything that decides what an input leads to; secrets go in as keys only.
    var fingerprint: String {
        var text = "\(timings)"
        for project in projects {
            let seal = Hmac.sha256(key: project.secret, Array("project \(project.id)".utf8))
            text += "|\(Hex.encode(seal))|\(project)"
        }
        return Hex.encode(Hmac.sha256(key: Secret("fingerprint"), Array(text.utf8)))
    }
}
