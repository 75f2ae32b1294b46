import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

/// Which account a payment takes that names none.
struct RoutingTests {
    private let first = RouteSamples.first
    private let second = RouteSamples.second
    private let third = RouteSamples.third

    private func order(_ accounts: Uuid...) -> Routing { Routing().after([.set(accounts, by: "", at: .epoch)]) }

    private func reasons(_ decision: RouteDecision) -> [RouteCandidate.Reason?] {
        decision.candidates.map { candidate in
            if case .passed(let reason) = candidate.verdict { reason } else { nil }
        }
    }

    @Test func `without a rule the first account of the order that fits takes the payment`() {
        let known = RouteSamples.known(
            RouteSamples.account(first, currencies: [Samples.euro]),
            RouteSamples.account(second, provider: "portmone")
        )
        let routing = order(first, second)
        func chosen(_ question: RouteQuestion) -> Uuid? {
            routing.route(question, among: known, at: Samples.noon).chosen?.id
        }
        #expect(chosen(RouteSamples.question()) == first)
        #expect(chosen(RouteSamples.question(1, Money(5, Samples.dollar))) == second)
        #expect(chosen(RouteSamples.question(provider: "portmone")) == second)
        #expect(chosen(RouteSamples.question(provider: "sberpay")) == nil)
        #expect(routing.route(RouteSamples.question(), among: [:], at: Samples.noon).chosen == nil)
    }

    @Test func `every reason to pass an account over is told`() {
        let ids = (1...8).map { Samples.uuid(UInt64($0)) }
        var known = RouteSamples.known(
            RouteSamples.account(ids[1], isOpen: false),
            RouteSamples.account(ids[2], .test),
            RouteSamples.account(ids[3], provider: "portmone"),
            RouteSamples.account(ids[4], currencies: [Samples.dollar]),
            RouteSamples.account(ids[5], methods: [.sdk]),
            RouteSamples.account(ids[6]),
            RouteSamples.account(ids[7])
        )
        known[ids[0]] = nil
        var routing = Routing().after([.set(ids, by: "", at: .epoch)])
        routing = RouteSamples.opened(ids[6], routing)
        let decision = routing.route(RouteSamples.question(provider: "ecommpay"), among: known, at: Samples.noon)
        #expect(
            reasons(decision) == [
                .unknown, .closed, .otherAccountMode, .otherProvider, .currencyNotTaken, .methodNotOffered,
                .breakerOpen, nil,
            ]
        )
        #expect(decision.chosen?.id == ids[7])
    }

    @Test func `the first rule whose every part holds decides, and the parts that failed are told`() {
        var routing = Routing().after([.rulesSet(RouteSamples.rules, number: 4, by: "root", at: .epoch)])
        routing.evolve(.set([second], by: "", at: .epoch))
        let fits = RouteSamples.question(country: "DE", customer: "vip-1")
        #expect(routing.route(fits, among: RouteSamples.three, at: Samples.noon).rule == "euro")
        let misses: [(RouteQuestion, RouteCondition.Part)] = [
            (RouteSamples.question(1, nil, country: "DE", customer: "vip-1"), .currency),
            (RouteSamples.question(country: "FR", customer: "vip-1"), .country),
            (RouteSamples.question(1, .cents(99), country: "DE", customer: "vip-1"), .amount),
            (RouteSamples.question(1, .cents(5000), country: "DE", customer: "vip-1"), .amount),
            (RouteSamples.question(1, Money(200, Samples.dollar), country: "DE", customer: "vip-1"), .amount),
            (RouteSamples.question(method: .wallet, country: "DE", customer: "vip-1"), .method),
            (RouteSamples.question(country: "DE", customer: "other"), .customer),
            (RouteSamples.question(country: "DE"), .customer),
        ]
        for (question, part) in misses {
            let decision = routing.route(question, among: RouteSamples.three, at: Samples.noon)
            #expect(decision.skipped == [RouteDecision.Skipped(rule: "euro", part: part)])
            #expect(decision.rule == "rest" && decision.chosen?.id == third && decision.rulesNumber == 4)
        }
    }

    @Test func `a rule whose accounts all fail does not hand the payment on to the plain order`() {
        var routing = RouteSamples.sharing([(first, 1)])
        routing.evolve(.set([second], by: "", at: .epoch))
        let decision = routing.route(
            RouteSamples.question(),
            among: RouteSamples.known(RouteSamples.account(second)),
            at: Samples.noon
        )
        #expect(decision.chosen == nil && decision.rule == "all")
    }

    // MARK: Modes

    @Test func `test money never takes a live account, and live money never a test one`() {
        let known = RouteSamples.known(RouteSamples.account(first, .test), RouteSamples.account(second, .live))
        let routing = order(first, second)
        func chosen(_ mode: AccountFacts.Mode?) -> Uuid? {
            routing.route(RouteSamples.question(accountMode: mode), among: known, at: Samples.noon).chosen?.id
        }
        #expect(chosen(.test) == first && chosen(.live) == second && chosen(.liveAutoCancel) == nil)
        #expect(chosen(nil) == second, "live money where any live account is routed")
        #expect(
            order(first).route(RouteSamples.question(), among: known, at: Samples.noon).chosen?.id == first,
            "test money where none is"
        )
    }

    @Test func `live money is not routed to a test account when the live one is closed`() {
        let known = RouteSamples.known(
            RouteSamples.account(first, .test),
            RouteSamples.account(second, .live, isOpen: false)
        )
        #expect(order(first, second).route(RouteSamples.question(), among: known, at: Samples.noon).chosen == nil)
    }

    // MARK: Shares

    @Test func `a payment draws the same account every time`() throws {
        let routing = RouteSamples.sharing([(first, 3), (second, 2), (third, 1)])
        try forAll(seed: 1) { random in
            let question = RouteSamples.question(random.next() >> 8)
            let once = routing.route(question, among: RouteSamples.three, at: Samples.noon)
            #expect(once == routing.route(question, among: RouteSamples.three, at: Samples.noon))
            #expect(Set(once.candidates.map(\.account)) == [first, second, third])
        }
    }

    @Test func `shares converge to the weights, also without an account that is down`() {
        let routing = RouteSamples.sharing([(first, 50), (second, 30), (third, 20)])
        let down = RouteSamples.opened(first, routing)
        var counts: [Uuid: Int] = [:]
        var without: [Uuid: Int] = [:]
        let payments = 20_000
        for number in 0..<payments {
            let question = RouteSamples.question(UInt64(number))
            if let id = routing.route(question, among: RouteSamples.three, at: Samples.noon).chosen?.id {
                counts[id, default: 0] += 1
            }
            if let id = down.route(question, among: RouteSamples.three, at: Samples.noon).chosen?.id {
                without[id, default: 0] += 1
            }
        }
        // Four standard deviations of a share of one half are 1.4 % of 20 000 payments.
        func isNear(_ count: Int?, _ percent: Int) -> Bool { abs((count ?? 0) * 100 / payments - percent) <= 1 }
        #expect(isNear(counts[first], 50) && isNear(counts[second], 30) && isNear(counts[third], 20))
        #expect(without[first] == nil && isNear(without[second], 60) && isNear(without[third], 40))
    }

    @Test func `an account without a weight takes nothing by share`() {
        let routing = RouteSamples.sharing([(first, 0), (second, 1)], then: [third])
        for number in 0..<100 {
            let decision = routing.route(RouteSamples.question(UInt64(number)), among: RouteSamples.three, at: .epoch)
            #expect(decision.chosen?.id == second && reasons(decision) == [nil, .noShare, nil])
        }
    }

    // MARK: Health

    @Test func `an open breaker is passed over until its pause is over, and then few payments try it`() {
        let routing = RouteSamples.opened(first, RouteSamples.sharing([(first, 1)], then: [second]))
        func chosen(_ number: UInt64, _ seconds: Int64) -> Uuid? {
            routing.route(
                RouteSamples.question(number),
                among: RouteSamples.three,
                at: Samples.noon.adding(.seconds(seconds))
            ).chosen?.id
        }
        #expect((0..<200).allSatisfy { chosen($0, 29) == second })
        let probes = (0..<2000).filter { chosen(UInt64($0), 30) == first }.count
        #expect((140...260).contains(probes), "a tenth, not \(probes) of 2000")
    }

    @Test func `where breakers alone speak against every account the first of them takes the payment all the same`() {
        var routing = RouteSamples.opened(first, RouteSamples.sharing([(first, 1)], then: [second]))
        routing = RouteSamples.opened(second, routing)
        let decision = routing.route(RouteSamples.question(), among: RouteSamples.three, at: Samples.noon)
        #expect(decision.chosen?.id == first && decision.isLastResort)
        let closed = RouteSamples.known(
            RouteSamples.account(first, isOpen: false),
            RouteSamples.account(second, currencies: [Samples.dollar])
        )
        #expect(routing.route(RouteSamples.question(), among: closed, at: Samples.noon).chosen == nil)
    }

    // MARK: The stream

    @Test func `the same order and the same rules twice are a success with nothing to record`() throws {
        let routing = Routing().after([
            .set([first], by: "", at: .epoch), .rulesSet(RouteSamples.rules, number: 1, by: "", at: .epoch),
        ])
        #expect(try routing.decide(.set([first]), Samples.context()).isEmpty)
        #expect(try routing.decide(.setRules(RouteSamples.rules, seen: 1), Samples.context()).isEmpty)
    }

    @Test func `rules that somebody else changed meanwhile are refused`() throws {
        let routing = Routing().after([.rulesSet(RouteSamples.rules, number: 1, by: "", at: .epoch)])
        let other = RouteRules(rules: [])
        #expect(refuses(routing, .setRules(other, seen: 0)) == "routing_stale")
        let events = try routing.decide(.setRules(other, seen: 1), Samples.context())
        #expect(
            Routing().after([.rulesSet(RouteSamples.rules, number: 1, by: "", at: .epoch)] + events).rulesNumber == 2
        )
    }

    @Test func `rules that make no sense are refused, naming the place`() {
        func rule(_ to: [RouteShare], when: RouteCondition = RouteCondition(), then: [Uuid] = []) -> RouteRules {
            RouteRules(rules: [RouteRule(name: "r", when: when, to: to, then: then)])
        }
        let share = RouteShare(account: first, weight: 1)
        let refused: [RouteRules] = [
            rule([]), rule([RouteShare(account: first, weight: 0)]), rule([RouteShare(account: first, weight: 1001)]),
            rule([share, share]), rule([share], then: [first]), rule([share], when: RouteCondition(currencies: [])),
            rule([share], when: RouteCondition(countries: ["de"])),
            rule([share], when: RouteCondition(amount: AmountRange(currency: Samples.euro, from: 5, below: 5))),
            RouteRules(rules: [], breaker: breaker(failures: 0)),
            RouteRules(rules: Array(repeating: RouteSamples.rules.rules[0], count: 2)),
        ]
        for rules in refused { #expect(refuses(Routing(), .setRules(rules, seen: nil)) == "routing_invalid") }
        #expect(refuses(Routing(), .setRules(rule([share]), seen: nil)) == nil)
        #expect(refuses(Routing(), .set([first, first])) == "routing_invalid")
        let many = (0...Routing.accountsPerMerchant).map { Samples.uuid(UInt64($0)) }
        #expect(refuses(Routing(), .set(many)) == "routing_invalid")
    }

    private func breaker(failures: Int) -> BreakerPolicy {
        BreakerPolicy(
            failures: failures,
            percent: 50,
            window: .seconds(1),
            pause: .seconds(1),
            probePercent: 1,
            successes: 1
        )
    }

    private func refuses(_ routing: Routing, _ command: RoutingCommand) -> String? {
        refusal { () throws(Rejection) in try routing.decide(command, Samples.context()) }
    }

    @Test func `commands and decisions survive their stored form`() throws {
        let commands: [RoutingCommand] = [
            .set([first, second]), .setRules(RouteSamples.rules, seen: 3), .setRules(RouteSamples.rules, seen: nil),
            .report(first, RouteSamples.failing), .probe(second),
        ]
        for command in commands { #expect(try RoutingCommand(name: command.name, command.json) == command) }
        #expect(Set(commands.map(\.name)).count == RoutingCommand.Name.allCases.count)
        let routing = RouteSamples.opened(first, RouteSamples.sharing([(first, 1), (second, 0)]))
        let decision = routing.route(
            RouteSamples.question(country: "DE", customer: "c", accountMode: .live),
            among: RouteSamples.three,
            at: Samples.noon
        )
        #expect(try RouteDecision(Fields(decision.json)) == decision)
        let reference = RouteReference(decision)
        #expect(try RouteReference(Fields(reference.json)) == reference)
    }

    // MARK: The table

    @Test func `the table of rules and payments is the golden one`() {
        let routing = RouteSamples.opened(
            second,
            Routing().after([
                .rulesSet(RouteSamples.rules, number: 1, by: "root", at: .epoch), .set([third], by: "", at: .epoch),
            ])
        )
        let amounts: [Money?] = [nil, .cents(50), .cents(1999), Money(1999, Samples.dollar)]
        var lines: [String] = []
        for amount in amounts {
            for country in [nil, "DE", "FR"] {
                for customer in ["vip-1", "c-2"] {
                    for method in [PaymentMethod.hosted, .wallet] {
                        let question = RouteSamples.question(
                            7,
                            amount,
                            method: method,
                            country: country,
                            customer: customer
                        )
                        let decision = routing.route(question, among: RouteSamples.three, at: Samples.noon)
                        lines.append(line(question, decision))
                    }
                }
            }
        }
        let golden = GoldenFile("routing-table.txt", source: Samples.source)
        #expect(golden.difference(from: lines.joined(separator: "\n") + "\n") == nil)
    }

    private func line(_ question: RouteQuestion, _ decision: RouteDecision) -> String {
        let asked = [
            question.amount.map { "\($0)" } ?? "-", question.country ?? "-", question.customer ?? "-",
            question.method.rawValue,
        ]
        let candidates = decision.candidates.map { candidate in
            let name = candidate.facts?.name ?? "?"
            return switch candidate.verdict {
            case .chosen: "\(name) chosen"
            case .available: "\(name) available"
            case .passed(let reason): "\(name) \(reason.rawValue)"
            }
        }
        let skipped = decision.skipped.map { " (not \($0.rule): \($0.part.rawValue))" }.joined()
        let chosen = candidates.joined(separator: ", ")
        return "\(asked.joined(separator: " ")) → \(decision.rule ?? "order")\(skipped): \(chosen)"
    }
}
