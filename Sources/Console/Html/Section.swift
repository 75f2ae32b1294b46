import Api

/// The parts of the console, in the order of the navigation.
enum Section: CaseIterable {
    case overview, payments, open, schedules, instruments, bills, reports, reconciliation, accounts, webhooks, keys,
        health

    var address: Address {
        switch self {
        case .overview: Address("overview")
        case .payments: Address("payments")
        case .open: Address("open")
        case .schedules: Address("schedules")
        case .instruments: Address("instruments")
        case .bills: Address("bill-batches")
        case .reports: Address("reports")
        case .reconciliation: Address("reconciliation")
        case .accounts: Address("accounts")
        case .webhooks: Address("webhooks")
        case .keys: Address("keys")
        case .health: Address("health")
        }
    }

    var title: Text {
        switch self {
        case .overview: .overview
        case .payments: .payments
        case .open: .openItems
        case .schedules: .schedules
        case .instruments: .instruments
        case .bills: .billBatches
        case .reports: .reports
        case .reconciliation: .reconciliation
        case .accounts: .accounts
        case .webhooks: .webhooks
        case .keys: .keys
        case .health: .health
        }
    }

    /// What a key must be allowed to see it.
    var scope: Scope {
        switch self {
        case .open, .keys: .audit
        case .overview, .payments, .schedules, .instruments, .bills, .reports, .reconciliation, .accounts, .webhooks,
            .health:
            .read
        }
    }

    var icon: Html {
        switch self {
        case .overview: Icon.overview
        case .payments: Icon.payments
        case .open: Icon.open
        case .schedules: Icon.schedules
        case .instruments: Icon.instruments
        case .bills: Icon.bills
        case .reports: Icon.reports
        case .reconciliation: Icon.reconciliation
        case .accounts: Icon.accounts
        case .webhooks: Icon.webhooks
        case .keys: Icon.keys
        case .health: Icon.health
        }
    }
}
