import EventSourcing
package import Kernel

/// What was held of a payment, what was taken of it and what still can be, and what its account allows.
package struct CapturePlan: Hashable, Sendable, JsonWritable {
    package let currency: Currency
    /// Of the standing attempt, in minor units: held in total, taken of it, given back or gone.
    package let authorized: Int64
    package let captured: Int64
    package let released: Int64
    /// Captures and voids whose outcome is not known yet.
    package let underWay: Int64
    /// The most that a capture would be taken for now, within the hold.
    package let capturable: Int64
    /// The code of the refusal that a capture would meet now.
    package let refusal: String?
    /// Whether nothing more will be captured from this hold.
    package let isFinal: Bool
    package let can: Capabilities
    /// When the provider lets the hold go.
    package let until: Timestamp?

    package func write(into out: inout JsonText) {
        out.member("authorized", authorized)
        out.member("beyondHold", can.overCapture)
        out.member("capturable", capturable)
        out.member("captured", captured)
        out.member("currency", currency.code)
        out.member("final", isFinal)
        out.member("multiple", can.multipleCaptures)
        out.member("partial", can.partialCapture)
        out.member("refusal", refusal)
        out.member("released", released)
        out.member("underWay", underWay)
        out.member("until", until)
    }
}

extension Payment {
    /// The plan of a payment that is held first; `nil` where the money is taken at once, or none moves.
    package func capturePlan(_ can: Capabilities) -> CapturePlan? {
        guard terms?.mode == .authorize, let currency else { return nil }
        let sums = standing
        var free: Int64 = 0
        var refusal: String?
        do throws(Rejection) { free = try capturable(can).minor } catch { refusal = error.code }
        let isSpent = sums.held == 0 || sums.capturedFromHold > 0 && !can.multipleCaptures
        let isFinal = sums.authorized > 0 && pendingOnHold == 0 && isSpent
        return CapturePlan(
            currency: currency,
            authorized: sums.authorized,
            captured: sums.capturedFromHold,
            released: sums.released.addingClamped(sums.holdExpired),
            underWay: pendingOnHold,
            capturable: free,
            refusal: refusal,
            isFinal: isFinal,
            can: can,
            until: isFinal ? nil : holdEnd(can)
        )
    }
}
