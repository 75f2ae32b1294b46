import Kernel

/// One simulator in its place on the server, whatever its type.
struct MountedSimulator: Sendable {
    /// Paths that begin so are the simulator's, unless another one's beginning is longer.
    let paths: [String]
    let answer: @Sendable (SandboxRequest) async -> SandboxAnswer
    /// Delivers notifications and lets the time pass until the task is cancelled.
    let run: @Sendable () async -> Void
    let state: @Sendable () async -> any ProviderSimulator

    init(_ paths: [String], _ host: SimulatorHost<some ProviderSimulator>) {
        self.paths = paths
        answer = { await host.answer($0) }
        run = { await host.run() }
        state = { await host.state }
    }

    /// How much of a path is this simulator's; nothing where it is another one's.
    func claim(on path: some StringProtocol) -> Int {
        paths.reduce(0) { path.hasPrefix($1) ? max($0, $1.utf8.count) : $0 }
    }
}

/// Puts simulators in their places: with a journal each where the sandbox keeps any.
struct SimulatorYard: Sendable {
    /// The file of the first simulator's journal; the others stand beside it under a name of their own.
    let journalPath: String?
    let post: @Sendable (SandboxDelivery) async -> DeliveryReply

    /// A simulator that is brought where its journal left it; `make` gets the moment the journal began.
    func mount<Simulator: ProviderSimulator>(
        _ paths: String...,
        journal suffix: String,
        make: (Timestamp) -> Simulator
    ) throws(SandboxJournalFailure) -> MountedSimulator {
        guard let file = journalPath.map({ $0 + suffix }) else {
            let simulator = make(SimulatorHost<Simulator>.now())
            return MountedSimulator(paths, SimulatorHost(simulator, journal: nil, post: post))
        }
        let startedAt = try SandboxJournal.startOf(file)?.at ?? SimulatorHost<Simulator>.now()
        var simulator = make(startedAt)
        let fingerprint = simulator.fingerprint
        let journal = try SandboxJournal(path: file, startedAt: startedAt, fingerprint: fingerprint) {
            _ = simulator.take($0, at: $1)
        }
        return MountedSimulator(paths, SimulatorHost(simulator, journal: journal, post: post))
    }
}
