import Http
import Kernel

/// A provider as a drill needs it: the account it pays by, and where its ledger is read.
enum CrashShop: String, Hashable, Sendable, CaseIterable {
    case ecommpay, portmone, dolyame, sberpay, worldline
    /// Portmone's bulk payment of bills.
    case bills
    /// Two accounts at ecommpay, of which the second follows where the first declines.
    case routes

    /// What a stage got before its first daemon died.
    struct Ground {
        var instrument: String?
        var bills: Stage.BillSource?
    }

    /// Adds the accounts beside ecommpay's, which every stage has, and saves the cards that flows pay by.
    func equip(_ stage: Stage, _ daemon: DaemonProcess) async throws -> Ground {
        switch self {
        case .ecommpay: return Ground()
        case .routes: try await stage.addFallback(daemon, gate: stage.sandbox)
        case .portmone:
            let settings: Json = [
                "absenceSeconds": 2, "applePayMerchantId": "merchant.example", "refundAbsenceSeconds": 2,
                "walletMode": "relay",
            ]
            try await stage.addPortmone(daemon, settings)
            return Ground(instrument: try await stage.saveCard(daemon).instrument)
        case .dolyame: try await stage.addDolyame(daemon)
        case .sberpay:
            for dialect in ["ecom", "legacy"] { try await stage.addSberPay(daemon, dialect) }
            let first = try await stage.sberPay(daemon, "saved", 1500)
            try await stage.press(daemon, first, ["save"])
            return Ground(instrument: try await stage.savedInstrument(daemon, first))
        case .worldline:
            try await stage.addWorldline(daemon)
            return Ground(instrument: try await stage.savedWorldlineCard(daemon, "saved"))
        case .bills:
            let brisk: Json = ["perCall": 2, "callsInFlight": 1, "spacingMs": 0]
            return Ground(bills: try await stage.addBills(daemon, brisk))
        }
        return Ground()
    }

    /// As accounts name it.
    var provider: String {
        switch self {
        case .ecommpay, .routes: "ecommpay"
        case .portmone, .bills: "portmone"
        case .dolyame, .sberpay, .worldline: rawValue
        }
    }

    /// Where the provider shows its books.
    var ledgerPath: String {
        switch self {
        case .ecommpay, .routes: "/sandbox/ledger"
        case .portmone, .bills: "/portmone/sandbox/ledger"
        case .dolyame: "/dolyame/control/ledger"
        case .sberpay: "/sberpay/sandbox/ledger"
        case .worldline: "/worldline/sandbox/ledger"
        }
    }

    private func ledgerPath(of name: String) -> String {
        switch self {
        case .ecommpay, .routes: "\(ledgerPath)?project=\(Stage.project)&payment_id=\(name)"
        case .worldline: "\(ledgerPath)?reference=\(name)"
        case .portmone, .bills, .dolyame, .sberpay: "\(ledgerPath)?payment_id=\(name)"
        }
    }

    /// What the provider moved under this name, each entry as `kind amount`.
    func ledger(_ stage: Stage, _ name: String) async throws -> [String] {
        let entries = try await stage.control(ledgerPath(of: name))["entries"]?.items ?? []
        return entries.map { "\($0["kind"]?.text ?? "?") \($0["amount"]?.integer ?? 0)" }
    }
}
