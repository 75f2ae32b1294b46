package import Kernel
package import Payments

/// The settings of an account that are not secret.
package struct AccountSettings: Hashable, Sendable {
    package let account: AccountFacts
    /// Canonical JSON by the adapter's schema.
    package let values: Json
    /// Where this daemon is reached, and the places there.
    private let publicUrl: String
    private let places: AccountPlaces
    /// The adapter's reading of `values`, where somebody keeps it.
    package let kept: KeptReading?

    package init(
        account: AccountFacts,
        values: Json,
        publicUrl: String,
        places: AccountPlaces,
        kept: KeptReading? = nil
    ) {
        self.account = account
        self.values = values
        self.publicUrl = publicUrl
        self.places = places
        self.kept = kept
    }

    package init(account: AccountFacts, values: Json, notificationUrl: String, returnUrl: String) {
        let places = AccountPlaces(notification: notificationUrl, return: returnUrl)
        self.init(account: account, values: values, publicUrl: "", places: places)
    }

    /// Where this daemon takes the provider's notifications for the account, an absolute URL.
    package var notificationUrl: String { publicUrl + places.notification }

    /// Where the payer's browser is sent afterwards, an absolute URL of ours; `/` and our payment reference go behind it.
    package var returnUrl: String { publicUrl + places.return }

    /// The same settings with another reading.
    func kept(_ reading: KeptReading) -> AccountSettings {
        AccountSettings(account: account, values: values, publicUrl: publicUrl, places: places, kept: reading)
    }
}

/// Where an account is reached behind this daemon's own address.
package struct AccountPlaces: Hashable, Sendable {
    package let notification: String
    package let `return`: String

    package init(notification: String, return: String) {
        self.notification = notification
        self.return = `return`
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
