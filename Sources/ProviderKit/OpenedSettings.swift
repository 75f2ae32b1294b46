/// An account's settings as its adapter read them: opaque to everybody else, and kept with the account's version, so that
/// they are read once and not with each message.
///
/// It is no part of what settings are: two are the same whatever was read out of them.
package struct OpenedSettings: Hashable, Sendable {
    let value: any Sendable

    package init(_ value: any Sendable) { self.value = value }

    package static func == (left: OpenedSettings, right: OpenedSettings) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension AccountSettings {
    /// What the adapter read when the account was opened, or reads now.
    package func opened<Settings: Sendable>(
        _ read: (AccountSettings) throws(SettingsFailure) -> Settings
    ) throws(SettingsFailure) -> Settings {
        if let known = opened?.value as? Settings { return known }
        return try read(self)
    }

    /// The same settings, read by their adapter; unread where it can't take them, so that each use says why.
    package func read(by adapter: any Adapter) -> AccountSettings {
        guard let value = try? adapter.open(self) else { return self }
        return AccountSettings(
            account: account,
            values: values,
            notificationUrl: notificationUrl,
            returnUrl: returnUrl,
            opened: OpenedSettings(value)
        )
    }
}
