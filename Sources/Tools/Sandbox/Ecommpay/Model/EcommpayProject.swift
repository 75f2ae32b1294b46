package import Kernel

/// A merchant's project at the simulated platform: its credentials and the settings that support would make.
package struct EcommpayProject: Hashable, Sendable {
    /// Which refunds the platform turns into reversals.
    package enum Reversals: String, Hashable, Sendable, CaseIterable {
        /// The whole amount, before the end of the UTC day of the payment.
        case sameDayInFull = "same_day_in_full"
        case never
        case always
    }

    /// How often a hold can be captured.
    package enum Captures: String, Hashable, Sendable, CaseIterable {
        /// One capture; what it leaves of the hold is released with it.
        case single
        case several
    }

    package let id: Int64
    package let secret: Secret
    /// Where callbacks go that have no address of their own.
    package var callbackUrl: String?
    package var reversals = Reversals.sameDayInFull
    package var captures = Captures.single
    /// The word for a cancelled payment: both spellings are in use.
    package var cancelWord = EcommpayPaymentStatus.cancelled
    /// Whether the form offers another try after a decline.
    package var offersRetries = true
    /// Whether a successful payment gives the card's token.
    package var givesTokens = true
    /// Whether callbacks write `/` as `\/`.
    package var escapesSlashes = false
    /// Whether a callback with status `processing` announces each capture, cancel and refund.
    package var announcesProcessing = false
    /// Captures a hold by itself after this time.
    package var capturesAfter: Duration?
    /// Releases a hold by itself after this time.
    package var releasesAfter: Duration?

    package init(id: Int64, secret: Secret, callbackUrl: String? = nil) {
        self.id = id
        self.secret = secret
        self.callbackUrl = callbackUrl
    }
}

/// How long things take; the documented waits are divided by `speed`.
package struct EcommpayTimings: SimulatorTimings {
    /// From accepting a request, or a payer's click, to its outcome.
    package var execution = Duration.milliseconds(150)
    /// From an outcome to its callback.
    package var callback = Duration.zero
    /// Divides retry gaps, form time-outs, clarification time and automatic capture and release.
    package var speed: Int64 = 1

    package init() {}
}

/// The documented limits of the platform.
package enum EcommpayLimits {
    /// Tries in one form.
    package static let attempts = 5
    /// The time for all of them.
    package static let attemptsWindow = Duration.seconds(600)
    /// How long a challenge or a redirect may take.
    package static let challengeWindow = Duration.seconds(900)
    /// How long the platform waits for clarification data.
    package static let clarificationWindow = Duration.seconds(1800)
    /// A deadline further ahead than this is ignored.
    package static let bestBeforeAhead = Duration.seconds(30 * 86_400)
    /// The largest amount of one operation, in minor units.
    package static let amountMinor: Int64 = 999_999_999_999
    /// The longest text of an identifier, in characters.
    package static let identifierCharacters = 255
    /// The longest delay a request may ask for its callbacks.
    package static let callbackDelay = Duration.seconds(600)
    /// Ended deliveries that stay in the log.
    package static let deliveriesKept = 20_000
}
