import Decisions
import Ecommpay
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Synchronization
import TestKit
import Testing

/// What a replay finds when the rules are not those of the record.
struct ReplayTests {
    private static let calls = Atomic<Int>(0)

    /// Replays a history of the plain adapter with another one.
    private func replay(_ adapter: AlteredAdapter) async throws -> ReplayReport {
        let harness = try await EngineHarness()
        _ = try await harness.create(.sale, minor: 1000, key: "replay")
        let book = AccountBook(store: harness.store, recovery: harness.store)
        let contexts = Contexts(book: book, publicUrl: "", zones: NoZones(), clock: { harness.clock.now })
        let deciders = Deciders(adapters: AdapterRegistry([adapter]))
        return try await Replay(store: harness.store, deciders: deciders, contexts: contexts).verify()
    }

    @Test func `the same rules find no difference`() async throws {
        let report = try await replay(AlteredAdapter(version: EcommpayAdapter().declaration.version) { "" })
        #expect(report.isClean && report.decisions == 2)
    }

    @Test func `of a long stream each event is read once`() async throws {
        let harness = try await EngineHarness()
        let stream = DerivedNames.routing(harness.merchant)
        let count = 1200
        for number in 1...count {
            let rules = RouteRules(
                rules: [
                    RouteRule(
                        name: "rule \(number)",
                        when: RouteCondition(),
                        to: [RouteShare(account: harness.account, weight: 1)]
                    )
                ],
                breaker: .standard
            )
            let command = RoutingCommand.setRules(rules, seen: nil)
            let outcome = await harness.command(stream, command.name.rawValue, command.json, key: "\(number)")
            guard case .decided(_, .events(1)) = outcome else { throw HarnessFailure(what: "\(outcome)") }
        }
        let before = harness.store.eventsLoaded
        let report = try await harness.engine.replay.verify()
        #expect(report.isClean && report.decisions == count + 1, "\(report.differences)")
        // Decisions come in pages of 500, and behind each the stream is read on from its last known event.
        #expect(harness.store.eventsLoaded - before == count + 1 + count / 500)
    }

    @Test func `a decider that draws is found out`() async throws {
        let report = try await replay(
            AlteredAdapter(version: EcommpayAdapter().declaration.version) {
                "?\(Self.calls.add(1, ordering: .relaxed).newValue)"
            }
        )
        #expect(!report.isClean)
        #expect(report.differences.map(\.earlierBuild) == [nil])
    }

    @Test func `what earlier rules decided otherwise names the build that can verify it`() async throws {
        let report = try await replay(AlteredAdapter(version: 99) { "?new=1" })
        #expect(report.isClean)
        #expect(report.differences.map(\.earlierBuild) == ["test"])
    }
}

/// ecommpay's adapter of another version, with something of its own at the end of every planned address.
private struct AlteredAdapter: DeviceAdapter {
    private let base = EcommpayAdapter()
    let version: Int
    let addition: @Sendable () -> String

    var declaration: Declaration {
        let given = base.declaration
        return Declaration(
            id: given.id,
            version: version,
            tableVersion: given.tableVersion,
            modes: given.modes,
            methods: given.methods,
            secrets: given.secrets,
            notifications: given.notifications,
            notificationBytes: 32 * 1024,
            requestDeadline: given.requestDeadline,
            identifierPaths: given.identifierPaths,
            personalPaths: given.personalPaths,
            personalDetailPaths: given.personalDetailPaths
        )
    }

    func capabilities(_ settings: AccountSettings) throws(SettingsFailure) -> Capabilities {
        try base.capabilities(settings)
    }
    func check(_ terms: PaymentTerms, _ settings: AccountSettings, at now: Timestamp) throws(PlanFailure) {
        try base.check(terms, settings, at: now)
    }
    func checkPlain(_ details: Json, for method: PaymentMethod) throws(PlanFailure) {
        try base.checkPlain(details, for: method)
    }
    func carried(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) -> CarriedDetails {
        base.carried(details, for: use, settings)
    }
    func plan(_ dispatch: PlannedDispatch, _ context: PlanContext) throws(PlanFailure) -> RequestTemplate {
        let plan = try base.plan(dispatch, context)
        return RequestTemplate(
            method: plan.method,
            url: plan.url + addition(),
            content: plan.content,
            signing: plan.signing
        )
    }
    func finish(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> OutgoingRequest {
        try base.finish(template, materials)
    }
    func render(_ template: RequestTemplate, _ materials: Materials) throws(FinishFailure) -> RenderedHandover {
        try base.render(template, materials)
    }
    func interpret(_ observation: Observation, _ context: InterpretContext) -> [Fact] {
        base.interpret(observation, context)
    }
    func authenticate(_ request: HttpRequest, _ settings: AccountSettings, _ secrets: AccountSecrets) -> Authentication
    {
        base.authenticate(request, settings, secrets)
    }
    var settings: any AccountReading.Type { base.settings }
    func sign(_ text: String, _ template: RequestTemplate, _ materials: Materials) throws(SignatureRefusal) -> String {
        try base.sign(text, template, materials)
    }
    func appResult(_ body: Json, of issued: IssuedPayment?) throws(ClaimFailure) -> AppClaim {
        try base.appResult(body, of: issued)
    }
    var states: StateDiagram { base.states }
    var view: ProviderView { base.view }
}
