import Glibc
import Kernel
import Simulation
import Testing

/// A provider that does one thing and says another, at every message that we send.
///
/// Every so many cases of the table are played here; `make hostile` plays all. `TABLE_STEP=1` and
/// `TABLE_CASE=provider/scene/…` choose here, too; a part of a case may be `*`, or several values with `|` between them.
@Suite(.timeLimit(.minutes(10)))
struct HostileProviderTests {
    private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

    /// A prime that divides no dimension of the table: each value of each dimension is met with each of the others.
    private static let step = variable("TABLE_STEP").flatMap { Int($0) } ?? 31

    @Test(arguments: HostileTables.all.map(\.name))
    func `whatever a provider does and says, no charge is doubled and every difference has an owner`(_ name: String)
        async throws
    {
        let table = try #require(HostileTables.all.first { $0.name == name })
        let open = try OpenCell.all()
        let only = Self.variable("TABLE_CASE")
        var bad: [String: (count: Int, first: String)] = [:]
        let count = await table.play(step: only == nil ? Self.step : 1, only: only, isTracing: true) { one, seen in
            let parts = one.name.split(separator: "/").dropFirst().prefix(2).joined(separator: " ")
            for breach in seen.breaches where !open.contains(where: { $0.holds(breach, of: one) }) {
                bad["\(parts) \(breach.prefix { $0 != ":" })", default: (0, "\(one.name): \(breach)")].count += 1
            }
        }
        print("\(name): \(count) of \(table.count) cases")
        for (what, found) in bad.sorted(by: { $0.key < $1.key }) {
            Issue.record("\(found.count) × \(what), first \(found.first)")
        }
    }

    @Test(arguments: HostileTable.all.map(\.name))
    func `what a provider's own people do is booked, or a person's, whatever looks say`(_ provider: String) async throws
    {
        let table = try #require(HostileTable.all.first { $0.name == provider })
        let cases = table.cases.filter(\.scene.isTheirs)
        let isFollowed = table.cases.contains { $0.scene.before != .nothing }
        #expect(cases.count == (isFollowed ? HostileLook.allCases.count : 0))
        let open = try OpenCell.all()
        for one in cases {
            let breaches = await table.play(one).breaches.filter { breach in
                !open.contains { $0.holds(breach, of: one) }
            }
            #expect(breaches == [], "TABLE_CASE=\(one.name)")
        }
    }

    /// Cases that were bad once.
    @Test(arguments: [
        // The answer to a charge is lost, and the repetition under its key is refused: the charge was made.
        "worldline/charge/done/403-html/repeated/truth", "worldline/charge/done/404-json/repeated/truth",
        "worldline/charge/done/409-html/repeated/truth",
        // A gateway's page turns a first sending away, and the provider had done it.
        "worldline/charge/done/403-html/first/lag", "worldline/hold/done/422-json/first/error",
        "dolyame/commit/done/403-html/first/lag", "sberpay/charge/done/404-html/first/truth",
        // A refused follow-up was done: it is ours, or where that is not sure a person's.
        "ecommpay/capture/done/422-json/first/truth", "ecommpay/capture/otherAmount/422-json/first/truth",
        "sberpay-totals/refund-part/done/404-json/first/truth", "portmone/return-part/twice/400-json/first/truth",
        // A refund vanishes, a hold shows again.
        "worldline/refund/undone/400-html/first/absent", "ecommpay/cancel/undone/404-json/first/truth",
        // The order is over another amount, and money is with it.
        "sberpay/charge/otherAmount/400-json/repeated/truth",
        // A whole list in words that nobody knows was a proof of absence: a second refund.
        "portmone/return/twice/429-json/first/unheard", "portmone/capture/done/404-empty/repeated/unheard",
        // A refused follow-up was done, and the look lags as long as it may, or can't be read.
        "ecommpay/refund/otherAmount/invalid-3001/first/lag", "sberpay/refund/otherAmount/code-5/first/lag",
        "worldline/refund-part/otherAmount/409-json/first/lag", "sberpay-totals/refund/twice/code-5/first/garbled",
        "worldline/void/done/property-400/first/unheard", "portmone/return/done/400-json/first/garbled",
        // A void is answered with success, and the hold stands.
        "portmone/reject/nothing/success/first/truth", "dolyame/cancel/nothing/success/first/truth",
        // Nobody can read how much was paid for a bill: turnover had the sum that was asked for, the tally none, and no person
        // was told.
        "portmone-bills/several/otherAmount/amounts-absent/first/truth",
        "portmone-bills/one/done/amounts-unreadable/first/truth",
        "portmone-bills/one/undone/amounts-absent/first/truth",
        // A bill was paid two times, the answer says so, and one of them was booked.
        "portmone-bills/several/twice/success/first/truth", "portmone-bills/one/twice/more/first/truth",
        // We asked for the payment, the payer paid in the step, and the app says that it failed.
        "portmone-bills/step/done/step/first/refused", "portmone-bills/step/twice/step/first/refused",
        // A page was paid before looks showed it, and so its repetition was refused.
        "portmone/save-card-paid/done/409-json/repeated/absent", "portmone/page-hold-paid/done/code-2/repeated/lag",
        // The same where relayed wallets are cleared up by looks.
        "portmone/page-paid/done/400-json/repeated/lag", "portmone/page-paid/otherAmount/code-2/repeated/absent",
        "portmone/page-paid/undone/409-json/repeated/lag",
        // A check or the saving of a card took money.
        "sberpay/verify-paid/otherAmount/success/first/truth",
        "sberpay-totals/tokenize-paid/otherAmount/lost/first/bare",
        "portmone/save-card-paid/otherAmount/success/first/lag",
        "portmone-sdk/save-card/otherAmount/success/first/bare",
    ])
    func `a case that was bad once is good`(_ name: String) async throws {
        let table = try #require(HostileTables.all.first { $0.name == name.prefix { $0 != "/" } })
        var breaches: [String] = []
        #expect(await table.play(step: 1, only: name) { breaches += $1.breaches } == 1)
        #expect(breaches == [], "TABLE_CASE=\(name)")
    }

    /// A message about bills or a series: what it must stand, and one case of each sort that is dear.
    @Test(arguments: [
        "portmone-bills/renewed/done/lost/first/truth", "portmone-bills/several/some/fewer/first/truth",
        "portmone-bills/calls/done/403-html/repeated/truth", "portmone-bills/several/done/credentials-1/first/truth",
        "portmone-bills/step/done/step/first/truth", "portmone-bills/app/done/success/first/truth",
        "portmone-bills/priced/done/lost/first/garbled",
        "ecommpay-series/cancel/nothing/403-html/first/truth", "ecommpay-series/cancel/undone/success/first/truth",
        "ecommpay-series/update/otherAmount/success/first/truth", "ecommpay-series/debit/done/422-json/repeated/lag",
        "ecommpay-series/told/twice/success/first/truth", "ecommpay-series/told/otherAmount/unreadable/first/error",
    ])
    func `a message that belongs to no payment is held to the ledger, too`(_ name: String) async throws {
        try await `a case that was bad once is good`(name)
    }

    @Test func `the tables of bills and series have every truth, answer, turn and look in each of their scenes`() {
        let bills = HostileBillTable().cases
        let series = HostileSeriesTable().cases
        #expect(Set(bills.map(\.name)).count == bills.count && bills.count > 1000)
        #expect(Set(series.map(\.name)).count == series.count && series.count > 1000)
        #expect(Set(bills.map(\.scene)).count == HostileBillScene.allCases.count)
        #expect(Set(bills.map(\.truth)).count == HostileBillTruth.allCases.count)
        #expect(Set(series.map(\.scene)).count == HostileSeriesScene.allCases.count)
        #expect(Set(series.map(\.truth)).count == HostileTruth.allCases.count)
    }

    @Test func `the table has every kind of message, truth, answer, turn and look at every provider`() {
        for (_, tables) in Dictionary(grouping: HostileTable.all, by: \.provider) {
            let cases = tables.flatMap(\.cases)
            #expect(cases.count > 4000)
            #expect(Set(cases.map(\.name)).count == cases.count)
            #expect(Set(cases.map(\.truth)).count == HostileTruth.allCases.count)
            #expect(Set(cases.map(\.turn)).count == HostileTurn.allCases.count)
            #expect(Set(cases.map(\.look)).count == HostileLook.allCases.count)
        }
    }
}
