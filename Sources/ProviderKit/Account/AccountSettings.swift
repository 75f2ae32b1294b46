package import Kernel
package import Payments

/// The settings of an account that are not secret.
package struct AccountSettings: Hashable, Sendable {
    package let account: AccountFacts
    /// Canonical JSON by the adapter's schema.
    package let values: Json
    /// Where this daemon takes the provider's notifications for the account, an absolute URL.
    package let notificationUrl: String
    /// Where the payer's browser is sent afterwards, an absolute URL of ours; `/` and our payment reference go behind it.
    package let returnUrl: String
    /// The adapter's reading of `values`, where somebody keeps it.
    package let kept: KeptReading?

    package init(
        account: AccountFacts,
        values: Json,
        notificationUrl: String,
        returnUrl: String,
        kept: KeptReading? = nil
    ) {
        self.account = account
        self.values = values
        self.notificationUrl = notificationUrl
        self.returnUrl = returnUrl
        self.kept = kept
    }
}

/// Settings that an account can't work with: which member, and why in a stable word.
package struct SettingsFailure: Error, Hashable, Sendable {
    package let path: String
    package let reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }
}
