package import Kernel

/// How close together an account may have the questions about its payments.
///
/// Each question is a licence, a message and an answer in the log: asked every second about each waiting payment, a provider that is
/// away fills it. An account that is not live, and whose messages stay on this machine (plain `http` goes nowhere else), may ask as it
/// likes.
package enum PollFloor {
    /// Whole seconds at least, by member.
    private static let least: [(member: String, seconds: Int64)] = [
        ("pollFirstSeconds", 5), ("pollAtLeastSeconds", 5), ("pollCapSeconds", 60),
    ]

    /// The first member that is below its floor, and the floor.
    package static func fault(in settings: Json, isLive: Bool) -> (member: String, seconds: Int64)? {
        guard isLive || !staysHere(settings) else { return nil }
        return least.first { floor in settings[floor.member]?.integer.map { $0 < floor.seconds } == true }
    }

    private static func staysHere(_ settings: Json) -> Bool {
        settings.members?.members.contains { $0.value.text?.hasPrefix("http://") == true } == true
    }
}
