import Api
import Crypto
import Engine
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import ProviderKit
import TestKit

/// The ports of the API over the engine and the memory store; the read model is folded when it is asked for.
struct EngineDesks: Sendable {
    let engine: Engine
    let store: MemoryStore
    let vault: KeyVault
    let clock: @Sendable () -> Timestamp
    let switches: Switches
    let accesses = Locked<[String]>([])
    private static let macKey = Secret("api-test-mac")
    private static let merchant = MerchantNumber(1)

    func fail() throws(ReadFailure) {
        if switches.readFault { throw ReadFailure("the test switched reads off") }
    }

    func load(_ stream: StreamName) async throws(ReadFailure) -> [RecordedEvent] {
        try fail()
        do throws(StoreFailure) { return try await store.load([(stream, 0)])[0] } catch {
            throw ReadFailure(error.detail)
        }
    }

    /// Every stream of a kind, in no order.
    private func streams(_ kind: StreamKind, _ merchant: MerchantNumber) async throws(ReadFailure)
        -> [StreamName: [RecordedEvent]]
    {
        try fail()
        do throws(StoreFailure) {
            let events = try await store.events(after: 0, limit: .max).rows
            return Dictionary(grouping: events.filter { $0.stream.kind == kind && $0.stream.merchant == merchant }) {
                $0.stream
            }
        } catch { throw ReadFailure(error.detail) }
    }
}

extension EngineDesks: CommandDesk {
    func submit(_ submission: Submission) async -> SubmissionOutcome {
        if let outcome = switches.outcome { return outcome }
        let mac = Hmac.sha256(key: Self.macKey, submission.fingerprint.canonical)
        var meta =
            InputMeta.command(
                actor: submission.actor,
                account: submission.account,
                traceparent: submission.traceparent,
                correlation: submission.correlation
            ).members ?? JsonObject([])
        meta["mac"] = .string(Hex.encode(mac))
        let input = InputRecord(
            id: CommandIntake.inputId(submission.merchant, key: submission.key),
            stream: submission.stream,
            kind: .command,
            name: submission.name,
            meta: Json.object(meta).canonical,
            body: submission.body.canonical,
            receivedAt: clock()
        )
        switch await engine.commands.take(input, mac: mac) {
        case .accepted(let stream, let version, let isReplay):
            return .accepted(stream: stream, version: version, isReplay: isReplay)
        case .rejected(let code, let detail, let isReplay):
            return .rejected(
                code: code,
                detail: detail["detail"]?.text ?? "",
                path: detail["path"]?.text,
                isReplay: isReplay
            )
        case .pending(let stream): return .pending(stream: stream)
        case .keyConflict: return .keyConflict
        case .unavailable(let why): return .unavailable(why)
        }
    }
}

extension EngineDesks: Reader {
    func payment(
        _ id: PaymentId,
        merchant: MerchantNumber,
        upTo version: Int32?
    ) async throws(ReadFailure) -> PaymentSnapshot? {
        let stream = StreamName(merchant, .payment, id.uuid)
        let events = try await load(stream).filter { $0.version <= version ?? .max }
        guard !events.isEmpty else { return nil }
        do throws(Undecidable) {
            return PaymentSnapshot(payment: try PaymentDecider.fold(stream, events), events: events)
        } catch { throw ReadFailure(error.reason) }
    }

    func wait(for stream: StreamName, past version: Int32, atMost time: Duration) async {
        let deadline = ContinuousClock.now.advanced(by: time)
        while ContinuousClock.now < deadline {
            if let events = try? await store.load([(stream, 0)])[0], let last = events.last, last.version > version {
                return
            }
            await engine.board.wait(for: stream, past: version, atMost: .milliseconds(20))
        }
    }

    private func rows(_ merchant: MerchantNumber) async throws(ReadFailure) -> [PaymentRow] {
        guard switches.isProjected else { return [] }
        var rows: [PaymentRow] = []
        for (stream, events) in try await streams(.payment, merchant) {
            guard let first = events.first, let last = events.last,
                let payment = try? PaymentDecider.fold(stream, events),
                let row = PaymentRow(payment, first: first, last: last)
            else { continue }
            rows.append(row)
        }
        return rows.sorted { ($1.createdAt, $1.id.uuid) < ($0.createdAt, $0.id.uuid) }
    }

    func payments(_ query: PaymentQuery, merchant: MerchantNumber) async throws(ReadFailure) -> PaymentPage {
        let found = try await rows(merchant).filter { row in
            (query.status.map { row.status == $0 } ?? true) && (query.reference.map { row.reference == $0 } ?? true)
                && (query.customer.map { row.customer == $0 } ?? true)
                && (query.account.map { row.account.id == $0 } ?? true)
                && (query.createdFrom.map { row.createdAt >= $0 } ?? true)
                && (query.createdBefore.map { row.createdAt < $0 } ?? true)
                && (!query.needsOperator || row.needsOperator) && (!query.hasObligations || row.hasObligations)
                && (query.cursor.map { (row.createdAt, row.id.uuid) < ($0.createdAt, $0.id) } ?? true)
        }
        let page = found.prefix(query.limit)
        return PaymentPage(rows: page.map(\.document), next: found.count > page.count ? page.last?.cursor : nil)
    }

    func row(_ id: PaymentId, merchant: MerchantNumber) async throws(ReadFailure) -> Json? {
        guard let row = try await rows(merchant).first(where: { $0.id == id }),
            case .object(var document) = row.document
        else { return nil }
        document["position"] = .integer(row.position)
        return .object(document)
    }

    func instrument(_ id: InstrumentId, merchant: MerchantNumber) async throws(ReadFailure) -> Instrument? {
        let events = try await load(StreamName(merchant, .instrument, id.uuid))
        guard !events.isEmpty else { return nil }
        return Instrument.fold(id, events.compactMap { try? InstrumentEvent(type: $0.type, data: $0.data) })
    }

    func accounts(merchant: MerchantNumber) async throws(ReadFailure) -> [Account] {
        let found = try await streams(.account, merchant).map { stream, events in
            Account.fold(stream.id, events.compactMap { try? AccountEvent(type: $0.type, data: $0.data) })
        }
        return found.sorted { ($0.configuration?.name ?? "") < ($1.configuration?.name ?? "") }
    }

    func routing(merchant: MerchantNumber) async throws(ReadFailure) -> Routing {
        let events = try await load(DerivedNames.routing(merchant))
        return Routing.fold(events.compactMap { try? RoutingEvent(type: $0.type, data: $0.data) })
    }

    func inboxOutcome(_ id: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Json? {
        try fail()
        switch store.outcome(id) {
        case nil: return nil
        case .admit(let input, _)?: return ["status": "admitted", "input": InputId(input.id).json]
        case .refuse(let code, let detail)?:
            return ["status": "refused", "code": .string(code), "detail": .string(detail)]
        case .later?: return ["status": "pending"]
        }
    }
}

extension EngineDesks: HandoverDesk {
    func render(_ id: PaymentId, merchant: MerchantNumber) async -> Result<RenderedHandover, HandoverRefusal> {
        if let refusal = switches.handover { return .failure(refusal) }
        do throws(HandoverFailure) { return .success(try await engine.handovers.render(id, merchant)) } catch {
            return .failure(HandoverRefusal(error))
        }
    }

    func sign(_ text: String, _ id: PaymentId, merchant: MerchantNumber) async -> Result<String, HandoverRefusal> {
        if let refusal = switches.handover { return .failure(refusal) }
        do throws(HandoverFailure) { return .success(try await engine.handovers.sign(text, id, merchant)) } catch {
            return .failure(HandoverRefusal(error))
        }
    }

    func recordAccess(_ what: String, _ id: PaymentId, merchant: MerchantNumber, key: String) async throws(ReadFailure)
    {
        if switches.recordFault { throw ReadFailure("the test switched records off") }
        accesses.withLock { $0.append("\(what) \(id)") }
    }
}

extension HandoverRefusal {
    init(_ failure: HandoverFailure) {
        switch failure {
        case .paymentUnknown: self.init(.paymentUnknown, "unknown")
        case .notOpen: self.init(.notOpen, "Nothing is open for the payer.")
        case .changed: self.init(.changed, "changed")
        case .erased: self.init(.erased, "erased")
        case .refused(let refusal): self.init(.signatureRefused, refusal.reason, members: refusal.members)
        case .unavailable(let why): self.init(.unavailable, why)
        }
    }
}

extension EngineDesks: NotificationDesk {
    func receive(
        _ request: HttpRequest,
        provider: String,
        merchant: MerchantNumber,
        account: Uuid
    ) async -> HttpResponse {
        await engine.notifications.receive(request, provider: provider, merchant: merchant, account: account)
    }

    func browserReturned(reference: String, account: Uuid, merchant: MerchantNumber) async -> PaymentId? {
        await engine.notifications.browserReturned(reference: reference, account: account, merchant: merchant)
    }
}

extension EngineDesks: PersonalDesk {
    func seal(
        _ document: Json,
        paths: [JsonPath],
        customer: String?,
        payment: PaymentId,
        merchant: MerchantNumber
    ) async throws(ReadFailure) -> Json {
        try fail()
        let name = customer.map { "customer:\(merchant):\($0)" } ?? "payment:\(payment)"
        let subject = Uuid.version5(namespace: InputNames.namespace, name: name)
        do throws(VaultFailure) {
            return try await vault.seal(document, paths: paths, subject: subject, merchant: merchant)
        } catch { throw ReadFailure(error.detail) }
    }

    func seal(secrets: [String: Secret], account: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Json {
        try fail()
        return vault.seal(secrets: secrets, account: account, merchant: merchant)
    }
}

extension EngineDesks: KeyDesk {
    /// `psk_all`, `psk_operator` and `psk_other` may do everything, the last for another merchant; `psk_<scope>` one thing.
    func caller(_ token: Secret) async throws(ReadFailure) -> Caller? {
        try fail()
        let name = token.withBytes { String(decoding: $0, as: UTF8.self) }.dropFirst("psk_".count)
        let scopes: Set<Scope>
        if ["all", "operator", "other"].contains(name) {
            scopes = Set(Scope.allCases)
        } else if let scope = Scope(rawValue: String(name)) {
            scopes = [scope]
        } else {
            return nil
        }
        return Caller(
            keyId: .version5(namespace: InputNames.namespace, name: String(name)),
            name: String(name),
            merchant: name == "other" ? MerchantNumber(2) : Self.merchant,
            merchantName: "shop",
            scopes: scopes
        )
    }
}

extension EngineDesks: Vitals {
    func unreadiness() async -> String? { switches.unready }
    func metrics() async -> String { "# TYPE paystream_up gauge\npaystream_up 1\n" }
}
