import Crypto
import Glibc
import Http
import HttpClient
import HttpServer
import Kernel

/// The set-up of a sandbox: whom it serves, and where it remembers.
package struct SandboxConfiguration: Sendable {
    /// The numeric address to listen on.
    package var address = "127.0.0.1"
    /// Where browsers and callbacks' links reach the sandbox; by default the address and the port.
    package var publicAddress: String?
    package var ecommpayProjects: [EcommpayProject]
    package var ecommpayTimings = EcommpayTimings()
    package var portmoneMerchants: [PortmoneMerchant] = []
    package var portmoneTimings = PortmoneTimings()
    package var worldlineMerchants: [WorldlineMerchant] = []
    package var worldlineTimings = WorldlineTimings()
    package var sberPayMerchants: [SberPayMerchant] = []
    package var sberPayTimings = SberPayTimings()
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
        let mounts: [MountedSimulator]
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
        wire.intake = { _ in BodyIntake(limit: SandboxServer.bodyBytes) }
        let slot = Locked<[MountedSimulator]>([])
        let silence = configuration.lostAnswerSilence
        let server = HttpServer(configuration: wire) { request, _ in
            let mounts = slot.withLock { $0 }
            guard let mount = mounts.max(by: { $0.claim(on: request.path) < $1.claim(on: request.path) }) else {
                return .text(503, "The sandbox is starting.\n")
            }
            return await SandboxServer.answer(request, mount, silence: silence)
        }
        let bound = try server.start()
        var posting = HttpClientConfiguration()
        posting.userAgent = "paystream-sandbox"
        let client = HttpClient(posting)
        do {
            let mounts = try mounts(client, port: bound)
            slot.withLock { $0 = mounts }
            let loops = mounts.map { mount in Task { await mount.run() } }
            running.withLock { $0 = Running(server: server, client: client, mounts: mounts, loops: loops) }
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

    /// A simulator as it stands, for whoever looks on; `nil` while nothing is served.
    package func state<Simulator: ProviderSimulator>(of _: Simulator.Type) async -> Simulator? {
        for mount in running.withLock({ $0?.mounts ?? [] }) {
            if let state = await mount.state() as? Simulator { return state }
        }
        return nil
    }

    /// Every simulator in its place.
    ///
    /// A Worldline account's endpoint is a host without a path, so its interface shares `/v2/` with ecommpay's.
    private func mounts(_ client: HttpClient, port: UInt16) throws -> [MountedSimulator] {
        let address = configuration.publicAddress ?? "http://\(configuration.address):\(port)"
        let deadline = configuration.callbackDeadline
        let yard = SimulatorYard(journalPath: configuration.journalPath) { delivery in
            await SandboxServer.post(delivery, client, deadline: deadline)
        }
        func settings<Merchant, Timings>(_ merchants: [Merchant], _ timings: Timings, _ startedAt: Timestamp)
            -> SimulatorConfiguration<Merchant, Timings>
        {
            SimulatorConfiguration(merchants: merchants, timings: timings, address: address, startedAt: startedAt)
        }
        let known = configuration
        return [
            try yard.mount("/worldline/", "/v2/", journal: ".worldline") {
                WorldlineSimulator(settings(known.worldlineMerchants, known.worldlineTimings, $0))
            },
            try yard.mount("/dolyame/", journal: ".dolyame") { _ in
                DolyameSimulator(DolyameSimulator.Configuration(address: address + "/dolyame"))
            },
            try yard.mount("/portmone/", journal: ".portmone") {
                PortmoneSimulator(settings(known.portmoneMerchants, known.portmoneTimings, $0))
            },
            try yard.mount("/sberpay/", journal: ".sberpay") {
                SberPaySimulator(settings(known.sberPayMerchants, known.sberPayTimings, $0))
            },
            try yard.mount("/", "/v2/payment/", journal: "") {
                EcommpaySimulator(settings(known.ecommpayProjects, known.ecommpayTimings, $0))
            },
        ]
    }

    /// Answers as the simulator says, with the delays and losses it asks for.
    private static func answer(
        _ request: HttpRequest,
        _ mount: MountedSimulator,
        silence: Duration
    ) async -> HttpResponse {
        let answer = await mount.answer(
            SandboxRequest(
                method: request.method == .head ? "GET" : request.method.rawValue,
                path: String(request.path),
                query: String(request.head.rawQuery ?? ""),
                body: request.body,
                wantsPage: request.headers["Accept"]?.contains("text/html") ?? false,
                headers: signedHeaders(request)
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

    /// Headers that a provider signs, and what it signs them with.
    private static func signedHeaders(_ request: HttpRequest) -> [String: String] {
        guard request.headers["Authorization"]?.hasPrefix("GCS ") == true else { return [:] }
        var headers: [String: String] = [:]
        for field in request.headers.fields {
            let name = field.name.lowercased()
            guard name.hasPrefix("x-gcs") || ["authorization", "content-type", "date"].contains(name) else { continue }
            headers[name] = headers[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return headers
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
        for (name, value) in answer.headers.sorted(by: { $0.key < $1.key }) { response.headers.append(name, value) }
        if answer.contentType.hasPrefix("text/html") {
            response.headers.append("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
            response.headers.append("X-Content-Type-Options", "nosniff")
        }
        return response
    }

    private static func post(_ delivery: SandboxDelivery, _ client: HttpClient, deadline: Duration) async
        -> DeliveryReply
    {
        var headers = HttpHeaders()
        let method: HttpMethod
        switch delivery.kind {
        case .post:
            method = .post
            headers.append("Content-Type", delivery.contentType)
        case .get, .echo: method = .get
        }
        for (name, value) in delivery.headers.sorted(by: { $0.key < $1.key }) { headers.append(name, value) }
        let request = OutgoingRequest(
            method: method,
            url: delivery.url,
            headers: headers,
            body: delivery.body,
            deadline: deadline
        )
        switch await client.send(request) {
        case .answered(let response):
            if case .echo(let expected) = delivery.kind, response.body != expected { return .noAnswer }
            return .status(response.status)
        case .notSent, .sentNoAnswer: return .noAnswer
        }
    }
}
