/// How many requests a provider takes of one account.
package struct RequestRate: Hashable, Sendable {
    package let perSecond: Int64

    package init(perSecond: Int64) {
        precondition(perSecond > 0, "a rate lets something through")
        self.perSecond = perSecond
    }

    /// So many may leave at once after a pause.
    package var burst: Int64 { max(1, perSecond / 5) }

    /// From one message to the next: what a burst takes up is left out, so that no second sees more than the rate.
    package var spacing: Duration { .seconds(1) / Int(max(1, perSecond - burst)) }
}
