/// How many requests a provider takes of one account.
package struct RequestRate: Hashable, Sendable {
    /// From one message to the next.
    package let spacing: Duration
    /// So many may leave at once after a pause.
    package let burst: Int64

    /// Takes the room of a burst out of the spacing, so that no second sees more than the rate.
    package init(perSecond: Int64) {
        precondition(perSecond > 0, "a rate lets something through")
        burst = max(1, perSecond / 5)
        spacing = .seconds(1) / Int(max(1, perSecond - burst))
    }

    /// One message at a time, so far apart.
    package init(spacing: Duration) {
        self.spacing = spacing
        burst = 1
    }
}
