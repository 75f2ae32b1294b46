import Payments

extension HostileTable {
    /// Who owns a breach that is known and not mended yet; `nil` for everything that must not be.
    ///
    /// Each entry names what it is about; it goes with its cause.
    package static func owner(of breach: String, in one: HostileCase) -> String? {
        open.first { $0.holds(one, breach) }?.about
    }

    private static let open: [(about: String, holds: @Sendable (HostileCase, String) -> Bool)] = []
}
