import Daemon
import Kernel

/// Transfers to another card: at Portmone, whose app pays.
extension EventTrigger {
    static let transfers: [String: Way] = [
        "transfer.created": .scene { try await $0.transfer(nil) },
        "transfer.actionRequired": .scene { try await $0.transfer(nil) },
        "transfer.processing": .never("the sandbox tells of a transfer at once whether it was made"),
        "transfer.succeeded": .scene { try await $0.transfer("approve") },
        "transfer.failed": .scene { try await $0.transfer("decline") },
        "transfer.cancelled": .never("no command cancels a transfer"),
        "transfer.expired": .never("a payer has an hour behind a transfer's end, and nobody calls it expired before"),
        "transfer.unknown": .never(silence),
        "transfer.lateSuccess": .never("it follows an expired transfer, which takes more than an hour"),
        "transfer.updated": .scene { try await $0.transfer("approve") },
    ]

    private func transfer(_ action: String?) async throws -> String {
        let scenes = PortmoneScenes(stage(PortmoneScenes.provider))
        let id = try await scenes.newTransfer("trigger")
        if let action { try await scenes.playApp(id, "trigger", action) }
        return id
    }
}
