/// Why no further chunk is made for now.
package enum BillTrouble: String, Hashable, Sendable, CaseIterable {
    /// The provider does not take the user's credentials any more: new ones are needed.
    case credentialsStale = "credentials_stale"
    /// The provider refused a whole message.
    case refused = "provider_refused"
    /// Several messages in a row got no answer that can be read.
    case unanswered = "provider_unanswered"
    /// The bills could not be priced.
    case unpriced = "not_priced"
    /// The log lost its newest part, and what was paid then nobody here knows.
    case logRestored = "log_restored"
}
