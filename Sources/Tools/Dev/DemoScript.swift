package import Daemon

/// One payment of every kind at every provider, made over HTTP as a backend and a payer would.
package struct DemoScript: Sendable {
    package let environment: DevEnvironment
    package let api: ApiClient
    /// Tells this run's keys from those of earlier runs.
    package let run: String

    package init(environment: DevEnvironment, api: ApiClient, run: String) {
        self.environment = environment
        self.api = api
        self.run = run
    }

    /// The providers in the order of the printed table.
    private static let scenes: [any DemoScenes.Type] = [
        EcommpayScenes.self, PortmoneScenes.self, BillScenes.self, DolyameScenes.self, SberPayScenes.self,
        WorldlineScenes.self,
    ]

    /// Plays the providers' scenes side by side; the rows come in the providers' order.
    package func all() async throws -> [DemoRow] {
        try await withThrowingTaskGroup(of: (Int, [DemoRow]).self) { group in
            for (index, scenes) in Self.scenes.enumerated() {
                group.addTask { (index, try await play(scenes)) }
            }
            var rows: [Int: [DemoRow]] = [:]
            for try await (index, played) in group { rows[index] = played }
            return rows.sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }

    private func play(_ scenes: any DemoScenes.Type) async throws -> [DemoRow] {
        try await scenes.init(
            DemoStage(sandbox: environment.sandbox, api: api, run: run, provider: scenes.provider)
        ).all()
    }
}
