package import Engine
package import EventSourcing
import Kernel
package import ProviderKit

/// Takes commands; the engine's intake, or what a test puts in its place.
package protocol CommandPort: Sendable {
    func take(_ input: InputRecord, macs: [[UInt8]]) async -> CommandResult
}

/// Renders what the payer's device needs; the engine's renderer, or what a test puts in its place.
package protocol HandoverPort: Sendable {
    func render(_ stream: StreamName, _ history: [RecordedEvent]?) async throws(HandoverFailure) -> RenderedHandover
    func sign(_ text: String, _ stream: StreamName, _ history: [RecordedEvent]?) async throws(HandoverFailure) -> String
}

extension CommandIntake: CommandPort {}
extension HandoverRenderer: HandoverPort {}
