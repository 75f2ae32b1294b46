package import Kernel
package import Payments

/// An account's settings as its adapter reads them: a closed schema, each member with its type.
package protocol AccountReading: Hashable, Sendable {
    /// Reads the closed schema; the failure names the member.
    init(reading json: Json, in mode: AccountFacts.Mode) throws(SchemaFailure)
}

extension AccountReading {
    package init(_ json: Json, in mode: AccountFacts.Mode) throws(SettingsFailure) {
        do throws(SchemaFailure) { try self.init(reading: json, in: mode) } catch {
            throw SettingsFailure(path: error.path, reason: error.reason)
        }
    }

    /// The account's settings as they were read with its version, where somebody kept them, or else read now.
    package static func of(_ account: AccountSettings) throws(SettingsFailure) -> Self {
        // An account belongs to one provider, and so its reading to one type: another one is read anew.
        if let kept = account.kept?.reading as? Self { return kept }
        return try Self(account.values, in: account.account.mode)
    }

    /// The same for a request that is being planned.
    package static func planning(_ account: AccountSettings) throws(PlanFailure) -> Self {
        do throws(SettingsFailure) { return try of(account) } catch { throw PlanFailure(settings: error) }
    }
}

/// The reading that is kept with an account's version, so that settings are read once and not with each message.
///
/// It is no part of what settings are: two are the same whatever was read out of them.
package struct KeptReading: Hashable, Sendable {
    fileprivate let reading: any AccountReading

    package static func == (left: KeptReading, right: KeptReading) -> Bool { true }

    package func hash(into hasher: inout Hasher) {}
}

extension AccountSettings {
    /// The same settings, read by their adapter; unread where it can't take them, so that each use says why.
    package func read(by adapter: any Adapter) -> AccountSettings {
        guard let reading = try? adapter.settings.init(values, in: account.mode) else { return self }
        return kept(KeptReading(reading: reading))
    }
}

extension PlanFailure {
    package init(settings failure: SettingsFailure) {
        self.init(code: "account_settings_invalid", path: failure.path, detail: failure.reason)
    }
}
