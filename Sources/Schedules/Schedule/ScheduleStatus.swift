package import Kernel

/// Where a schedule stands.
package enum ScheduleStatus: String, Hashable, Sendable, CaseIterable {
    /// Nothing was said yet. Goes to `registered` by a command.
    case unregistered
    /// Waits for the first customer-present payment.
    ///
    /// Goes to `active` when that payment activates it, to `cancelled` by a command or the provider, and to `expired` at its
    /// deadline.
    case registered
    /// Charges what is due.
    ///
    /// Goes to `paused` by a command or the dunning policy, to `cancelled` by those or the provider, to `completed` when
    /// nothing is open and the rule has nothing more, and to `expired` when the mandate is over.
    case active
    /// Starts nothing; what is under way still comes to its end.
    ///
    /// Goes to `active` when somebody resumes it, and to `cancelled` by a command or the provider.
    case paused
    /// Every occurrence is behind it. The end.
    case completed
    /// A command, the dunning policy or the provider ended it. The end.
    case cancelled
    /// Never activated in time, or past its mandate. The end.
    case expired

    package var isOver: Bool {
        switch self {
        case .completed, .cancelled, .expired: true
        case .unregistered, .registered, .active, .paused: false
        }
    }
}

/// Why a schedule does not go on.
package struct StatusCause: Hashable, Sendable {
    package let reason: String?
    /// `nil` where it came to its end by itself.
    package let by: String?
    package let at: Timestamp
}
