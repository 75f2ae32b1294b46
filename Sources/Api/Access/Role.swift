/// A right of an API key.
package enum Scope: String, Hashable, Sendable, CaseIterable {
    /// Payments, schedules, bills: to make them and to change them.
    case commands
    /// Everything that is shown without personal data.
    case read
    /// Events, raw inputs, open items, and what administrators did.
    case audit
    /// Accounts, routing, keys, clocks.
    case admin
    /// Evidence about what nobody could tell, and proposals of how it ends.
    case resolve
    /// Another person's proposals.
    case approve
    /// Settlement files, what does not fit of them, months of the books.
    case finance

    /// Keys from before a scope stood alone have it by the one that it was a part of.
    package static func held(by stored: some Collection<String>) -> Set<Scope> {
        let scopes = Set(stored.compactMap(Scope.init(rawValue:)))
        return scopes.contains(.admin) ? scopes.union([.resolve, .approve, .finance]) : scopes
    }
}

/// What a person or a program does for a merchant: a set of scopes with a name.
package enum Role: String, Hashable, Sendable, CaseIterable {
    case `operator`, approver, finance, auditor, developer, admin

    /// The table of roles.
    package var scopes: [Scope] {
        switch self {
        case .operator: [.commands, .read, .audit, .resolve]
        case .approver: [.read, .audit, .approve]
        case .finance: [.read, .finance]
        case .auditor: [.read, .audit]
        case .developer: [.commands, .read, .audit]
        case .admin: Scope.allCases
        }
    }

    /// What it is for, in a sentence.
    package var about: String {
        switch self {
        case .operator: "Runs payments by hand, and proposes how what nobody could tell ends."
        case .approver: "Approves what others proposed, and proposes nothing."
        case .finance: "Imports settlement files, resolves what does not fit, closes months; sees no personal data."
        case .auditor: "Looks at everything and changes nothing."
        case .developer: "A backend, and whoever builds it: makes payments and reads what became of them."
        case .admin: "Everything, keys and accounts included."
        }
    }
}
