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

    @Test(arguments: HostileTable.all.map(\.name))
    func `whatever a provider does and says, no charge is doubled and every difference has an owner`(_ provider: String)
        async throws
    {
        let table = try #require(HostileTable.all.first { $0.name == provider })
        let open = try OpenCell.all()
        let only = Self.variable("TABLE_CASE")
        let cases = table.cases.enumerated().filter { place, one in
            only.map { one.matches($0) } ?? (place % Self.step == 0)
        }
        var bad: [String: (count: Int, first: String)] = [:]
        for (_, one) in cases {
            let seen = await table.play(one)
            if cases.count == 1 { for line in seen.trace { print(line) } }
            for breach in seen.breaches where !open.contains(where: { $0.holds(breach, of: one) }) {
                let word = breach.prefix { $0 != ":" }
                bad["\(one.scene.name) \(one.truth.rawValue) \(word)", default: (0, "\(one.name): \(breach)")].count +=
                    1
            }
        }
        print("\(provider): \(cases.count) of \(table.cases.count) cases")
        for (name, found) in bad.sorted(by: { $0.key < $1.key }) {
            Issue.record("\(found.count) × \(name), first \(found.first)")
        }
    }

    @Test(arguments: HostileTable.all.map(\.name))
    func `what a provider's own people do is booked, or a person's, whatever looks say`(_ provider: String) async throws
    {
        let table = try #require(HostileTable.all.first { $0.name == provider })
        let cases = table.cases.filter(\.scene.isTheirs)
        #expect(cases.count == HostileLook.allCases.count)
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
    ])
    func `a case that was bad once is good`(_ name: String) async throws {
        let provider = name.prefix { $0 != "/" }
        let table = try #require(HostileTable.all.first { $0.name == provider })
        let one = try #require(table.cases.first { $0.name == name })
        #expect(await table.play(one).breaches == [], "TABLE_CASE=\(name)")
    }

    @Test func `the table has every kind of message, truth, answer, turn and look at every provider`() {
        for table in HostileTable.all {
            let cases = table.cases
            #expect(cases.count > 4000)
            #expect(Set(cases.map(\.name)).count == cases.count)
            #expect(Set(cases.map(\.truth)).count == HostileTruth.allCases.count)
            #expect(Set(cases.map(\.turn)).count == HostileTurn.allCases.count)
            #expect(Set(cases.map(\.look)).count == HostileLook.allCases.count)
        }
    }
}
