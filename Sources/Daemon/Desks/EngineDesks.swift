package import Api
package import Crypto
import Decisions
package import Engine
package import EventSourcing
package import Http
package import Kernel
import Payments
package import ProviderKit

/// The engine's doors as the API knows them.
package struct EngineDesks: CommandDesk, HandoverDesk, NotificationDesk, PersonalDesk, OnceDesk {
    let engine: Engine
    let vault: KeyVault
    let keys: KeyRing
    let access: any AccessLog
    let reader: StoreReader
    let clock: @Sendable () -> Timestamp

    package init(
        engine: Engine,
        vault: KeyVault,
        keys: KeyRing,
        access: any AccessLog,
        reader: StoreReader,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        self.engine = engine
        self.vault = vault
        self.keys = keys
        self.access = access
        self.reader = reader
        self.clock = clock
    }

    // MARK: Commands

    package func submit(_ submission: Submission) async -> SubmissionOutcome {
        defer { if !submission.stream.kind.isPayment { reader.forgetConfiguration(of: submission.merchant) } }
        let (input, mac) = record(submission)
        return Self.outcome(await engine.commands.take(input, mac: mac))
    }

    static func outcome(_ result: CommandResult) -> SubmissionOutcome {
        switch result {
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
        case .unavailable(let detail): return .unavailable(detail)
        }
    }

    /// The input that a submission becomes, and the keyed code that tells it from another command under its key.
    func record(_ submission: Submission) -> (input: InputRecord, mac: [UInt8]) {
        let mac = keys.code(.idempotency, Self.identity(of: submission))
        let meta = InputMeta.command(
            actor: submission.actor,
            account: submission.account,
            traceparent: submission.traceparent,
            correlation: submission.correlation,
            route: submission.route,
            versions: submission.versions
        )
        var members = meta.members ?? JsonObject([])
        members["mac"] = .string(Hex.encode(mac))
        let input = InputRecord(
            id: CommandIntake.inputId(submission.merchant, key: submission.key),
            stream: submission.stream,
            kind: .command,
            name: submission.name,
            meta: Json.object(members).canonical,
            body: submission.body.canonical,
            receivedAt: clock()
        )
        return (input, mac)
    }

    /// What makes two commands the same: name, stream and the client's own words, never who sealed what.
    private static func identity(of submission: Submission) -> [UInt8] {
        let identity: Json = [
            "body": submission.fingerprint, "name": .string(submission.name), "stream": .string("\(submission.stream)"),
        ]
        return identity.canonical
    }

    // MARK: Handover

    package func render(_ stream: StreamName) async -> Result<RenderedHandover, HandoverRefusal> {
        do throws(HandoverFailure) { return .success(try await engine.handovers.render(stream)) } catch {
            return .failure(Self.refusal(error))
        }
    }

    package func sign(_ text: String, _ stream: StreamName) async -> Result<String, HandoverRefusal> {
        do throws(HandoverFailure) { return .success(try await engine.handovers.sign(text, stream)) } catch {
            return .failure(Self.refusal(error))
        }
    }

    package func recordAccess(_ what: String, _ stream: StreamName, key: String) async throws(ReadFailure) {
        try await access.record(what, stream, key: key)
    }

    static func refusal(_ failure: HandoverFailure) -> HandoverRefusal {
        switch failure {
        case .paymentUnknown: HandoverRefusal(.paymentUnknown, "There is no such payment.")
        case .notOpen: HandoverRefusal(.notOpen, "The payment does not wait for its payer.")
        case .changed: HandoverRefusal(.changed, "The configuration no longer gives what was licensed.")
        case .erased: HandoverRefusal(.erased, "The payer's data was erased.")
        case .impossible: HandoverRefusal(.impossible, "Nothing can be given to the payer's device any more.")
        case .refused(let refusal): HandoverRefusal(.signatureRefused, refusal.reason, members: refusal.members)
        case .unavailable(let what): HandoverRefusal(.unavailable, what)
        }
    }

    // MARK: Notifications

    package func receive(
        _ request: HttpRequest,
        provider: String,
        merchant: MerchantNumber,
        account: Uuid
    ) async -> HttpResponse {
        await engine.notifications.receive(request, provider: provider, merchant: merchant, account: account)
    }

    package func address(of account: Uuid, provider: String, merchant: MerchantNumber) -> String {
        engine.notifications.address(of: account, provider: provider, merchant: merchant)
    }

    package func browserReturned(reference: String, account: Uuid, merchant: MerchantNumber) async -> StreamName? {
        await engine.notifications.browserReturned(reference: reference, account: account, merchant: merchant)
    }

    // MARK: Personal data

    package func seal(
        _ document: Json,
        paths: [JsonPath],
        customer: String?,
        payment: PaymentId,
        merchant: MerchantNumber
    ) async throws(ReadFailure) -> Json {
        let subject = PayerSubject.of(customer: customer, payment: payment.uuid, merchant: merchant)
        do throws(VaultFailure) {
            return try await vault.seal(document, paths: paths, subject: subject, merchant: merchant)
        } catch {
            throw ReadFailure(error.detail)
        }
    }

    package func seal(secrets: [String: Secret], account: Uuid, merchant: MerchantNumber) async throws(ReadFailure)
        -> Json
    {
        vault.seal(secrets: secrets, account: account, merchant: merchant)
    }

    package func keepOnce(_ value: Json, merchant: MerchantNumber) -> Json? {
        engine.once.keep(value, merchant: merchant, at: clock())
    }
}

/// Keeps who was given app parameters, a signature or an app's session.
package protocol AccessLog: Sendable {
    func record(_ what: String, _ stream: StreamName, key: String) async throws(ReadFailure)
}
