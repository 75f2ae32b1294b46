import Crypto
import EventSourcing
import Http
import Kernel
import Payments
import Telemetry

/// One request of a proven caller about bills, read as far as every such route needs it.
struct BillCall: Sendable {
    let route: BillRoute
    let request: HttpRequest
    let path: PathParameters
    let caller: Caller
    let body: Json
    let trace: TraceContext
    let now: Timestamp

    var merchant: MerchantNumber { caller.merchant }
    var actor: Actor { caller.actor }

    func batchId() throws(Problem) -> BillBatchId {
        guard let id = path["batch"].flatMap({ BillBatchId($0) }) else { throw .unknownBatch }
        return id
    }

    func submission(_ stream: StreamName, _ name: String, _ stored: Json, account: Uuid? = nil) throws(Problem)
        -> Submission
    {
        if stream.kind != .billBatch { try Preconditions.refuseVersions(meantBy: request) }
        let target = path.pairs.map { ($0.name, Json.string($0.value)) }
        return Submission(
            merchant: merchant,
            key: try Call.idempotencyKey(of: request),
            stream: stream,
            name: name,
            body: stored,
            fingerprint: ["body": body, "name": .string(name), "target": .object(JsonObject(target))],
            actor: actor,
            account: account,
            traceparent: trace.traceparent,
            correlation: request.headers["Correlation-Id"],
            versions: Preconditions.versions(meantBy: request)
        )
    }
}

extension Api {
    /// Answers a request about bills; `nil` where the path is not about them.
    func routeBills(
        _ request: HttpRequest,
        _ reader: any BodyReader,
        _ trace: TraceContext,
        _ seen: inout RequestWatch.Seen
    ) async throws(Problem) -> HttpResponse? {
        guard case .found(let route, let path) = BillRoute.router.match(request.head) else {
            guard case .methodNotAllowed(let allowed) = BillRoute.router.match(request.head) else { return nil }
            let names = allowed.map(\.rawValue).joined(separator: ", ")
            throw Problem(.methodNotAllowed, "Allowed: \(names).", headers: HttpHeaders([("Allow", names)]))
        }
        seen.pattern = route.pattern
        let limit = route.bodyBytes
        guard request.body.count <= limit else { throw Problem(.bodyTooLarge, "At most \(limit) bytes of body.") }
        let caller = try await caller(request, route.scope)
        try enter(caller, &seen)
        guard let bills = ports.bills else { throw Problem(.routeUnknown, "There is nothing at this path.") }
        try CardScreen.check(request, path)
        let body = route.body == .raw ? [:] : try body(of: request, route.body)
        try CardScreen.check(body, exempt: route.secrets)
        let call = BillCall(
            route: route,
            request: request,
            path: path,
            caller: caller,
            body: body,
            trace: trace,
            now: now
        )
        if route.isCommand {
            _ = try Call.idempotencyKey(of: request)
            try Preconditions.refuseCopies(heldBy: request)
        }
        if !route.readsQuery { try QueryForm(request).end() }
        try Call.checkCorrelation(of: request)
        return try await perform(call, bills, reader)
    }

    private func perform(_ call: BillCall, _ bills: any BillDesk, _ reader: any BodyReader) async throws(Problem)
        -> HttpResponse
    {
        switch call.route {
        case .createBillBatch: try await createBatch(call, bills)
        case .listBillBatches: try await listBatches(call, bills)
        case .getBillBatch: try await getBatch(call, bills)
        case .uploadBills: try await upload(call, bills, reader)
        case .submitBillBatch: try await submitBatch(call, bills)
        case .continueBillBatch: try await continueBatch(call, bills)
        case .listBills: try await listBills(call, bills)
        case .getBill: try await getBill(call, bills)
        case .billBatchAction: try await batchAction(call, bills)
        case .billAppParameters: try await billParameters(call, bills)
        case .claimBills: try await claimBills(call, bills)
        case .proposeBillResolution, .approveBillResolution: try await resolveBill(call, bills)
        case .saveBillCredentials: try await saveCredentials(call, bills)
        case .billCardParameters: try await billCardParameters(call, bills)
        case .saveBillCard: try await saveBillCard(call, bills)
        case .checkBillCard: try await checkCard(call, bills)
        }
    }

    /// A batch as it is now.
    func batch(_ call: BillCall, _ bills: any BillDesk) async throws(Problem) -> BillBatch {
        let id = try call.batchId()
        let found = try await read { () async throws(ReadFailure) in try await bills.batch(id, merchant: call.merchant)
        }
        guard let found, found.head != nil else { throw .unknownBatch }
        return found
    }
}

extension Problem {
    static var unknownBatch: Problem { Problem(.billBatchUnknown, "There is no such batch.") }
}
