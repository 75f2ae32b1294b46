import Kernel

/// One simulator in its place on the server, whatever its type.
struct MountedSimulator: Sendable {
    /// Paths that begin so are the simulator's.
    let path: String
    let answer: @Sendable (SandboxRequest) async -> SandboxAnswer
    /// Delivers notifications and lets the time pass until the task is cancelled.
    let run: @Sendable () async -> Void
    let state: @Sendable () async -> any ProviderSimulator

    init(_ path: String, _ host: SimulatorHost<some ProviderSimulator>) {
        self.path = path
        answer = { await host.answer($0) }
        run = { await host.run() }
        state = { await host.state }
    }

    func serves(_ path: some StringProtocol) -> Bool { path.hasPrefix(self.path) }
}

/// Puts simulators in their places: with a journal each where the sandbox keeps any.
struct SimulatorYard: Sendable {
    /// The file of the first simulator's journal; the others stand beside it under a name of their own.
    let journalPath: String?
    let post: @Sendable (SandboxDelivery) async -> DeliveryReply

    /// A simulator that lives as long as the process.
    func mount(_ path: String, _ simulator: some ProviderSimulator) -> MountedSimulator {
        MountedSimulator(path, SimulatorHost(simulator, journal: nil, post: post))
    }

    /// A simulator that is brought where its journal left it.
    ///
    /// `make` gets the moment the journal began and answers the simulator with a digest of all that decides what an input
    /// leads to: a journal of another configuration is refused.
    func mount<Simulator: ProviderSimulator>(
        _ path: String,
        journal suffix: String,
        _ make: (Timestamp) -> (Simulator, fingerprint: String)
    ) throws(SandboxJournalFailure) -> MountedSimulator {
        guard let file = journalPath.map({ $0 + suffix }) else {
            return mount(path, make(SimulatorHost<Simulator>.now()).0)
        }
        let startedAt = try SandboxJournal.startOf(file)?.at ?? SimulatorHost<Simulator>.now()
        var (simulator, fingerprint) = make(startedAt)
        let journal = try SandboxJournal(path: file, startedAt: startedAt, fingerprint: fingerprint) {
            _ = simulator.take($0, at: $1)
        }
        return MountedSimulator(path, SimulatorHost(simulator, journal: journal, post: post))
    }
}
