import Engine
import Http
import Kernel
import Testing

/// What senders without proof may cost, and that none of them uses up what a provider needs.
@Suite struct StrangerGateTests {
    private static let noon = Timestamp(seconds: 1_800_000_000)
    private static let account = Uuid(high: 1, low: 1)

    private func request(from address: String?) -> HttpRequest {
        var request = HttpRequest(method: .post, target: "/")
        request.peerAddress = address
        return request
    }

    /// How many messages without proof are looked at before one is turned away.
    private func refused(_ gate: StrangerGate, from address: String, account: Uuid = account) -> Int {
        let most = 10_000
        return (0..<most).first { _ in gate.refuse(request(from: address), account: account, at: Self.noon) != nil }
            ?? most
    }

    @Test func `an address that was refused too often is not heard, and others are`() {
        let gate = StrangerGate()
        let limits = StrangerLimits()
        #expect(gate.pause(request(from: "203.0.113.7"), account: Self.account, at: Self.noon) == nil)
        #expect(refused(gate, from: "203.0.113.7") == Int(limits.refused.burst))
        #expect(gate.pause(request(from: "203.0.113.7"), account: Self.account, at: Self.noon) != nil)
        #expect(gate.pause(request(from: "203.0.113.8"), account: Self.account, at: Self.noon) == nil)
        #expect(
            gate.pause(request(from: "203.0.113.7"), account: Self.account, at: Self.noon.adding(.seconds(1))) == nil
        )
    }

    @Test func `an address that brought a proof is always heard, whoever else stands behind it`() {
        let gate = StrangerGate()
        gate.prove(request(from: "198.51.100.1"), account: Self.account, at: Self.noon)
        _ = refused(gate, from: "198.51.100.1")
        #expect(gate.pause(request(from: "198.51.100.1"), account: Self.account, at: Self.noon) == nil)
        #expect(
            gate.pause(request(from: "198.51.100.1"), account: Self.account, at: Self.noon.adding(.seconds(86_399)))
                == nil
        )
    }

    @Test func `a proof at one account opens no other one`() {
        let gate = StrangerGate()
        let other = Uuid(high: 1, low: 2)
        gate.prove(request(from: "198.51.100.1"), account: other, at: Self.noon)
        _ = refused(gate, from: "198.51.100.1")
        #expect(gate.pause(request(from: "198.51.100.1"), account: Self.account, at: Self.noon) != nil)
        #expect(gate.pause(request(from: "198.51.100.1"), account: other, at: Self.noon) == nil)
    }

    @Test func `one line of version 6 is one sender, whatever its last half`() {
        let gate = StrangerGate()
        _ = refused(gate, from: "2001:db8:0:1::1")
        #expect(gate.pause(request(from: "2001:db8:0:1:ffff::2"), account: Self.account, at: Self.noon) != nil)
        #expect(gate.pause(request(from: "2001:db8:0:2::1"), account: Self.account, at: Self.noon) == nil)
    }

    @Test func `many addresses share what is kept of one account's strangers, and turn nobody away unheard`() {
        let gate = StrangerGate()
        let burst = Int(StrangerLimits().refusedByAccount.burst)
        let kept = (0..<burst + 100).count { number in
            let address = "203.0.\(number / 250).\(number % 250)"
            return gate.refuse(request(from: address), account: Self.account, at: Self.noon) == nil
        }
        #expect(kept == burst)
        #expect(gate.pause(request(from: "198.51.100.9"), account: Self.account, at: Self.noon) == nil)
    }

    @Test func `a hint of something of ours has room, one of nothing has a stranger's`() {
        let limits = StrangerLimits()
        for (isKnown, burst) in [(true, limits.hints.burst), (false, limits.refused.burst)] {
            let gate = StrangerGate()
            let taken = (0..<5_000).count { _ in
                gate.hint(
                    request(from: "203.0.113.7"),
                    account: Self.account,
                    events: 1,
                    isKnown: isKnown,
                    at: Self.noon
                ) == nil
            }
            #expect(taken == Int(burst))
        }
    }

    @Test func `a delivery of many events costs as many, and is heard out`() {
        let (gate, limits) = (StrangerGate(), StrangerLimits())
        func hint(_ isKnown: Bool, from address: String, events: Int, after seconds: Int64 = 0) -> Duration? {
            gate.hint(
                request(from: address),
                account: Self.account,
                events: events,
                isKnown: isKnown,
                at: Self.noon.adding(.seconds(seconds))
            )
        }
        #expect(hint(false, from: "203.0.113.7", events: 1000) == nil)
        #expect(gate.pause(request(from: "203.0.113.7"), account: Self.account, at: Self.noon) != nil)
        let owed = (1000 - limits.refusedByAccount.burst) / limits.refusedByAccount.requests
        #expect(hint(false, from: "203.0.113.8", events: 1000) != nil, "whoever else brings them")
        #expect(hint(false, from: "203.0.113.9", events: 1, after: owed - 1) != nil)
        #expect(hint(false, from: "203.0.113.10", events: 1, after: owed + 1) == nil)
        #expect(hint(true, from: "198.51.100.1", events: 1000) == nil, "what is known has places of its own")
        #expect(hint(true, from: "198.51.100.1", events: 1) != nil)
    }
}
