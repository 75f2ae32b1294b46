import Crypto
import Kernel

/// The ecommpay platform as its merchants see it: Payment Page, Gate API, callbacks, Dashboard and mobile SDK.
///
/// A pure machine, written from the provider reference and not from our adapter. Requests, delivery replies and the
/// time come in; answers and callbacks to post come out. Money moves only in `ledger`, whose entries are checked
/// against each other as they are written.
package struct EcommpaySimulator: ProviderSimulator {
    package typealias Configuration = SimulatorConfiguration<EcommpayProject, EcommpayTimings>

    package enum Due: Hashable, Sendable {
        /// The try of this epoch ends as the step says.
        case finishAttempt(EcommpayPaymentKey, epoch: Int, step: EcommpayStep, code: String)
        case finishFollowUp(EcommpayPaymentKey, operation: Int64)
        case nextStep(EcommpayPaymentKey, epoch: Int)
        /// The payer took too long.
        case deadline(EcommpayPaymentKey, epoch: Int)
        case autoCapture(EcommpayPaymentKey)
        case autoRelease(EcommpayPaymentKey)
        case callback(DeliveryAttempt)
        /// A callback that waited for the next one goes alone.
        case heldCallback(Int64)
        case tokenize(form: String)
        /// A date of the series' calendar has come.
        case series(Int64, epoch: Int, amount: Int64?)
    }

    package var core: SimulatorCore<Due, EcommpayFault>
    package let configuration: Configuration
    package internal(set) var projects: [Int64: EcommpayProject]
    package internal(set) var payments: [EcommpayPaymentKey: EcommpayPayment] = [:]
    /// The payments in the order they were made.
    package internal(set) var paymentOrder: [EcommpayPaymentKey] = []
    var forms: [String: EcommpayForm] = [:]
    var formOfPayment: [EcommpayPaymentKey: String] = [:]
    var paymentOfRequest: [String: EcommpayPaymentKey] = [:]
    var refundIds: Set<EcommpayPaymentKey> = []
    var series: [Int64: EcommpaySeries] = [:]
    package internal(set) var callbacks = EcommpayCallbackLog()

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        projects = Dictionary(configuration.merchants.map { ($0.id, $0) }) { _, last in last }
        core = SimulatorCore(startedAt: configuration.startedAt, seed: configuration.startedAt.seconds)
    }

    var timings: EcommpayTimings { configuration.timings }

    package var fingerprint: String {
        var text = "\(timings)"
        for project in configuration.merchants {
            let seal = Hmac.sha256(key: project.secret, Array("project \(project.id)".utf8))
            text += "|\(Hex.encode(seal))|\(project)"
        }
        return Hex.encode(Hmac.sha256(key: Secret("fingerprint"), Array(text.utf8)))
    }

    /// Looking at pages and lists changes nothing; a form address that is opened does, as does every POST.
    package func isRecorded(_ request: SandboxRequest) -> Bool {
        request.method != "GET" || request.path == "/payment"
    }

    package mutating func happen(_ element: Due) {
        switch element {
        case .finishAttempt(let key, let epoch, let step, let code):
            if payments[key]?.epoch == epoch { attemptFinished(key, step, code: code) }
        case .finishFollowUp(let key, let operation): followUpFinished(key, operation: operation)
        case .nextStep(let key, let epoch): if payments[key]?.epoch == epoch { nextStepDue(key) }
        case .deadline(let key, let epoch): if payments[key]?.epoch == epoch { deadlinePassed(key) }
        case .autoCapture(let key): autoCaptureDue(key)
        case .autoRelease(let key): autoReleaseDue(key)
        case .series(let id, let epoch, let amount):
            guard series[id]?.epoch == epoch else { return }
            _ = seriesRan(id, amount: amount)
            armSeries(id)
        case .callback(let attempt): callbackDue(attempt)
        case .heldCallback(let id): heldCallbackDue(id)
        case .tokenize(let form): tokenizeDue(form)
        }
    }

    /// 16 digits, never the same twice, also not after a restart.
    mutating func nextOperationId() -> Int64 {
        5_000_000_000_000_000 + configuration.startedAt.seconds % 1_000_000_000 * 1_000_000 + core.count()
    }

    /// The platform's name for one accepted request.
    mutating func nextRequestId() -> String {
        let count = core.count()
        let parts = (0..<2).map { _ in
            Hex.encode(
                Uuid(high: core.random.next(), low: core.random.next()).bytes
                    + Uuid(high: 0, low: core.random.next()).bytes
            )
            .prefix(40)
        }
        let number = String(count % 100_000_000)
        return "\(parts[0])-\(parts[1])-\(String(repeating: "0", count: 8 - number.count))\(number)"
    }

    func owner(_ key: EcommpayPaymentKey) -> SandboxLedger.Owner {
        SandboxLedger.Owner(account: String(key.project), payment: key.id)
    }

    /// Takes the fault that strikes here, if one does; each strikes as often as it was asked to.
    mutating func takeFault(
        at point: EcommpayFault.Point,
        of key: EcommpayPaymentKey?,
        where fits: (EcommpayFault) -> Bool
    ) -> EcommpayFault? {
        takeFault { fault in
            fits(fault) && (fault.point == .any || fault.point == point)
                && (fault.project == nil || fault.project == key?.project)
                && (fault.paymentId == nil || fault.paymentId == key?.id)
        }
    }
}
