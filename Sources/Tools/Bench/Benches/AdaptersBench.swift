import Benchmarks
import Crypto
import Http
import Kernel
import Payments
import ProviderKit
import SystemKit

/// The cost of an adapter per message, on one core, beside an HMAC over the same bytes and the parsing of their JSON.
struct AdaptersBench {
    private let plan: BenchPlan
    private static let messages = 4000
    private static let target = 25.0

    init(_ plan: BenchPlan) { self.plan = plan }

    func run() async throws {
        for sample in AdapterSample.all {
            for (name, dispatch) in sample.dispatches { try await request(sample, name, dispatch) }
            try await notification(sample)
        }
    }

    // MARK: Requests

    private func request(_ sample: AdapterSample, _ name: String, _ dispatch: PlannedDispatch) async throws {
        let context = sample.planContext
        let materials = sample.materials
        let isHandover = dispatch.purpose == .handover
        let template = try Self.planned(sample, dispatch, context)
        let bytes = try Self.finished(sample, template, materials, isHandover)
        try await report(
            sample,
            "plan and sign",
            name,
            bytes: bytes
        ) {
            let template = try Self.planned(sample, dispatch, context)
            return try Self.finished(sample, template, materials, isHandover).count
        }
    }

    private static func planned(_ sample: AdapterSample, _ dispatch: PlannedDispatch, _ context: PlanContext) throws
        -> RequestTemplate
    {
        do throws(PlanFailure) { return try sample.adapter.plan(dispatch, context) } catch {
            throw CommandFailure("\(sample.adapter.declaration.id): \(error.code) \(error.path ?? "") \(error.detail)")
        }
    }

    /// The bytes that leave.
    private static func finished(
        _ sample: AdapterSample,
        _ template: RequestTemplate,
        _ materials: Materials,
        _ isHandover: Bool
    ) throws -> [UInt8] {
        guard isHandover else {
            let request = try sample.adapter.finish(template, materials)
            return request.body.isEmpty ? Array(request.url.utf8) : request.body
        }
        switch try sample.adapter.device?.render(template, materials) {
        case nil: throw FinishFailure.malformedTemplate("no handover")
        case .redirect(let url): return Array(url.utf8)
        case .parameters(let object): return object.compactBytes
        }
    }

    // MARK: Notifications

    private func notification(_ sample: AdapterSample) async throws {
        let context = sample.interpretContext
        let request = sample.notification
        let body = try Self.proved(sample, request)
        guard !sample.adapter.interpret(.notification(body: body), context).isEmpty || !isSigned(sample) else {
            throw CommandFailure("\(sample.adapter.declaration.id): the notification says nothing")
        }
        try await report(
            sample,
            "authenticate and interpret",
            "notification",
            bytes: body
        ) {
            let body = try Self.proved(sample, request)
            return sample.adapter.interpret(.notification(body: body), context).count + body.count
        }
    }

    private func isSigned(_ sample: AdapterSample) -> Bool { sample.adapter.declaration.notifications != .unsigned }

    /// The bytes that are stored and interpreted, of a notification that is the provider's own.
    private static func proved(_ sample: AdapterSample, _ request: HttpRequest) throws -> [UInt8] {
        switch sample.adapter.authenticate(request, sample.account, sample.secrets) {
        case .verified(let proved), .unsigned(let proved):
            return proved.events.first?.content?.compactBytes ?? request.body
        case .unrecognised(let what):
            throw CommandFailure("\(sample.adapter.declaration.id): the notification is of an unknown kind, \(what)")
        case .rejected(let reason):
            throw CommandFailure("\(sample.adapter.declaration.id): the notification is rejected, \(reason)")
        }
    }

    // MARK: Measuring

    private static func time(_ body: () throws -> Int) throws -> Sample {
        var kept = 0
        let start = ContinuousClock.now
        for _ in 0..<messages { kept &+= try body() }
        let elapsed = start.duration(to: .now)
        precondition(kept > 0, "the work is not thrown away")
        return Sample(count: messages, elapsed: elapsed)
    }

    private func report(
        _ sample: AdapterSample,
        _ figure: String,
        _ name: String,
        bytes: [UInt8],
        _ whole: @escaping @Sendable () throws -> Int
    ) async throws {
        let key = Secret("bench-baseline-key")
        let isJson = (try? Json(bytes)) != nil
        let contest = try await Contest.run(
            rounds: plan.rounds,
            [
                ("whole", { try Self.time(whole) }), ("hmac", { try Self.time { Hmac.sha256(key: key, bytes).count } }),
                ("parse", { try Self.time { isJson ? try Json(bytes).canonical.count : bytes.count } }),
            ]
        )
        func micros(_ name: String) -> Double { 1e6 / max(contest.rate(name), 1e-9) }
        let cost = micros("whole")
        var line = Figure("adapters", "\(sample.adapter.declaration.id): \(figure), \(name)")
            .with("microseconds", cost).with("bytes", bytes.count).with("hmacAlone", micros("hmac"))
            .with("toHmac", cost / micros("hmac"))
        if isJson { line = line.with("jsonAlone", micros("parse")) }
        plan.report(line.target("under 25 microseconds", isMet: cost < Self.target))
    }
}
