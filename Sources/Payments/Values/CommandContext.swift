package import Kernel

/// Everything that a decision of the small aggregates may look at beside the state and the command.
///
/// It is recorded with the decision.
package struct CommandContext: Hashable, Sendable {
    package let now: Timestamp
    /// Id of the input: names of new things derive from it.
    package let input: Uuid
    package let actor: Actor

    package init(now: Timestamp, input: Uuid, actor: Actor) {
        self.now = now
        self.input = input
        self.actor = actor
    }
}
