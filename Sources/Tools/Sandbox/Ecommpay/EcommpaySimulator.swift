package import Kernel

/// The ecommpay platform as its merchants see it: Payment Page, Gate API, callbacks, Dashboard and mobile SDK.
///
/// A pure machine, written from the provider reference and not from our adapter. Requests, delivery replies and the
/// time come in; answers and callbacks to post come out. Money moves only in `ledger`, whose entries are checked
/// against each other as they are written.
package struct EcommpaySimulator: ProviderSimulator {
    package struct Configuration: Hashable, Sendable {
        package var projects: [EcommpayProject]
        package var timings = EcommpayTimings()
        /// Where the simulator is reached, without a slash at the end; part of the addresses in callbacks.
        package var address: String
        /// Makes identifiers of this run differ from those of earlier ones.
        package var startedAt: Timestamp

        package init(projects: [EcommpayProject], address: String, startedAt: Timestamp) {
            self.projects = projects
            self.address = address
            self.startedAt = startedAt
        }
    }

    /// What becomes due.
    enum Due: Hashable, Sendable {
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
    package internal(set) var faults: [EcommpayFault] = []
    package internal(set) var ledger = SandboxLedger()
    var due = DueQueue<Due>()
    /// How far the simulated clock was moved ahead by hand.
    var skew = Duration.zero

    /// The time of the input being handled.
    var now: Timestamp
    /// What the input being handled has caused so far.
    var actions: [SandboxAction] = []
    var counter: Int64 = 0
    var random: SplitMix64

    package init(_ configuration: Configuration) {
        self.configuration = configuration
        projects = Dictionary(configuration.projects.map { ($0.id, $0) }) { _, last in last }
        now = configuration.startedAt
        random = SplitMix64(seed: UInt64(bitPattern: configuration.startedAt.seconds))
    }

    var timings: EcommpayTimings { configuration.timings }

    // MARK: Inputs

    package mutating func received(_ request: SandboxRequest, at time: Timestamp) -> [SandboxAction] {
        runDue(until: simulated(time))
        actions.append(.answer(route(request)))
        return finish()
    }

    package mutating func deliveryEnded(
        _ attempt: DeliveryAttempt,
        _ reply: DeliveryReply,
        at time: Timestamp
    ) -> [SandboxAction] {
        now = max(now, simulated(time))
        callbackEnded(attempt, reply)
        return finish()
    }

    package mutating func timeReached(_ time: Timestamp) -> [SandboxAction] {
        runDue(until: simulated(time))
        return finish()
    }

    package mutating func resumed(at time: Timestamp) -> [SandboxAction] {
        now = max(now, simulated(time))
        resumeCallbacks()
        return finish()
    }

    package var nextDue: Timestamp? { due.nextDue.map { Timestamp(microseconds: $0.microseconds - skewMicroseconds) } }

    /// Looking at pages and lists changes nothing; a form address that is opened does, as does every POST.
    package func isRecorded(_ request: SandboxRequest) -> Bool {
        request.method != "GET" || request.path == "/payment"
    }

    // MARK: Inside

    private var skewMicroseconds: Int64 {
        skew.components.seconds * 1_000_000 + skew.components.attoseconds / 1_000_000_000_000
    }

    private func simulated(_ time: Timestamp) -> Timestamp { time.adding(skew) }

    private mutating func finish() -> [SandboxAction] {
        let caused = actions
        actions = []
        return caused
    }

    /// Does everything that is due until then, in order, each at its own time.
    mutating func runDue(until reached: Timestamp) {
        while let (time, element) = due.takeDue(at: reached) {
            now = max(now, time)
            switch element {
            case .finishAttempt(let key, let epoch, let step, let code):
                guard payments[key]?.epoch == epoch else { continue }
                attemptFinished(key, step, code: code)
            case .finishFollowUp(let key, let operation): followUpFinished(key, operation: operation)
            case .nextStep(let key, let epoch):
                guard payments[key]?.epoch == epoch else { continue }
                nextStepDue(key)
            case .deadline(let key, let epoch):
                guard payments[key]?.epoch == epoch else { continue }
                deadlinePassed(key)
            case .autoCapture(let key): autoCaptureDue(key)
            case .autoRelease(let key): autoReleaseDue(key)
            case .series(let id, let epoch, let amount):
                guard series[id]?.epoch == epoch else { continue }
                _ = seriesRan(id, amount: amount)
                armSeries(id)
            case .callback(let attempt): callbackDue(attempt)
            case .heldCallback(let id): heldCallbackDue(id)
            case .tokenize(let form): tokenizeDue(form)
            }
        }
        now = max(now, reached)
    }

    /// 16 digits, never the same twice, also not after a restart.
    mutating func nextOperationId() -> Int64 {
        counter += 1
        return 5_000_000_000_000_000 + configuration.startedAt.seconds % 1_000_000_000 * 1_000_000 + counter
    }

    /// The platform's name for one accepted request.
    mutating func nextRequestId() -> String {
        counter += 1
        let parts = (0..<2).map { _ in
            Hex.encode(Uuid(high: random.next(), low: random.next()).bytes + Uuid(high: 0, low: random.next()).bytes)
                .prefix(40)
        }
        let number = String(counter % 100_000_000)
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
        let index = faults.firstIndex { fault in
            fits(fault) && (fault.point == .any || fault.point == point)
                && (fault.project == nil || fault.project == key?.project)
                && (fault.paymentId == nil || fault.paymentId == key?.id)
        }
        guard let index else { return nil }
        let fault = faults[index]
        faults[index].times -= 1
        if faults[index].times <= 0 { faults.remove(at: index) }
        return fault
    }
}
