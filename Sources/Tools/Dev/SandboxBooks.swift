package import Daemon
import Http
package import Kernel

/// The ledger of a merchant's test accounts beside the books of the sandbox's providers.
///
/// A simulated provider imports nothing of the daemon and books what it moved by itself: two sides that were written apart. What both
/// have moved since a beginning is compared, by provider and currency.
package struct SandboxBooks: Sendable {
    /// Debits or credits of an account of the ledger, and the kinds of a provider's entries that they should be.
    private struct Side: Hashable, Sendable {
        let account: String
        let side: String
        let kinds: Set<String>
    }

    private static let sides = [
        Side(account: "authorised", side: "debit", kinds: ["hold"]),
        Side(account: "authorised", side: "credit", kinds: ["capture", "release"]),
        Side(account: "customers", side: "credit", kinds: ["charge", "capture", "refund_reverse"]),
        Side(account: "customers", side: "debit", kinds: ["refund"]),
        Side(account: "passedOn", side: "debit", kinds: ["transfer"]),
    ]

    /// Where each provider shows its books.
    private static let ledgers = [
        "ecommpay": "/sandbox/ledger", "portmone": "/portmone/sandbox/ledger", "dolyame": "/dolyame/control/ledger",
        "sberpay": "/sberpay/sandbox/ledger", "worldline": "/worldline/sandbox/ledger",
    ]
    /// So long the books may be behind the payments.
    private static let patience = Duration.seconds(20)

    /// A sum of one side, by the name of what it is.
    private typealias Sums = [String: Int64]

    private let sandbox: String
    private let api: ApiClient
    private let providers: Sums
    private let ledger: Sums
    private let entries: Int

    private init(_ sandbox: String, _ api: ApiClient, _ providers: (Sums, entries: Int), _ ledger: Sums) {
        (self.sandbox, self.api, self.ledger) = (sandbox, api, ledger)
        (self.providers, entries) = providers
    }

    /// Remembers how both stand now.
    package static func begin(at sandbox: String, _ api: ApiClient) async throws -> SandboxBooks {
        SandboxBooks(sandbox, api, try await providers(at: sandbox, api), try await ledger(api))
    }

    /// What moved by one side alone, in words, and how many entries the providers have made; the books may lag for a while.
    package func compare() async throws -> (entries: Int, differences: [String]) {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let (moved, count) = try await Self.providers(at: sandbox, api)
            let booked = try await Self.ledger(api)
            let found = Self.differences(
                moved.merging(providers) { $0 - $1 },
                booked.merging(ledger) { $0 - $1 }
            )
            if found.isEmpty || ContinuousClock.now > deadline { return (count - entries, found) }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    /// What differs between a provider's entries and the rows of the report `balance`, in words.
    package static func differences(_ provider: String, entries: [Json], balance rows: [Json]) -> [String] {
        differences(sums(provider, entries), sums(rows.filter { $0["provider"]?.text == provider }))
    }

    private static func differences(_ moved: Sums, _ booked: Sums) -> [String] {
        Set(moved.keys).union(booked.keys).filter { moved[$0] ?? 0 != booked[$0] ?? 0 }.sorted().map {
            "\($0): the sandbox moved \(moved[$0] ?? 0), the ledger says \(booked[$0] ?? 0)"
        }
    }

    private static func sums(_ provider: String, _ entries: [Json]) -> Sums {
        var sums: Sums = [:]
        // The hold that saves a card at Portmone is given back by itself and enters no books.
        for entry in entries where entry["savesOnly"] != true {
            guard let kind = entry["kind"]?.text, let currency = entry["currency"]?.text else { continue }
            for side in sides where side.kinds.contains(kind) {
                sums["\(provider) \(currency) \(side.account) \(side.side)", default: 0] +=
                    entry["amount"]?.integer ?? 0
            }
        }
        return sums
    }

    private static func sums(_ rows: [Json]) -> Sums {
        var sums: Sums = [:]
        for row in rows {
            guard let provider = row["provider"]?.text, let currency = row["currency"]?.text else { continue }
            for side in sides where row["ledgerAccount"]?.text == side.account {
                sums["\(provider) \(currency) \(side.account) \(side.side)", default: 0] += row[side.side]?.integer ?? 0
            }
        }
        return sums
    }

    private static func providers(at sandbox: String, _ api: ApiClient) async throws -> (Sums, entries: Int) {
        var all: Sums = [:]
        var count = 0
        for (provider, place) in ledgers {
            let answer = try await api.open(sandbox + place, accept: "application/json")
            guard answer.status == 200, let entries = (try? Json(answer.body))?["entries"]?.items else {
                throw ApiClient.Failure(description: "\(place): \(answer.status)")
            }
            all.merge(sums(provider, entries)) { $0 + $1 }
            count += entries.count
        }
        return (all, count)
    }

    private static func ledger(_ api: ApiClient) async throws -> Sums {
        sums(try await api.call(.get, "/v1/reports/balance?mode=test")["rows"]?.items ?? [])
    }
}
