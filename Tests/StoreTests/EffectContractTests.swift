import EventSourcing
import Kernel
import TestKit
import Testing

/// What both stores promise about effects: claim, mark, observe, recover.
struct EffectContractTests {
    @Test(arguments: StoreKind.allCases)
    func `an effect is claimed by one sender, marked, and observed`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let planned = effect(1, now: try await store.now())
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: [.create(planned)])])
            let claimed = try await store.claimEffects(owner: "a", lease: .seconds(15))
            #expect(claimed.map(\.effect) == [planned])
            #expect(try await store.claimEffects(owner: "b", lease: .seconds(15)).isEmpty)
            let lease = claimed[0].lease
            let stranger = EffectLease(stream: lease.stream, id: lease.id, fence: lease.fence + 1)
            #expect(try await store.markSending([stranger, lease], margin: .seconds(5)) == [false, true])
            #expect(try await store.markSending([lease], margin: .seconds(5)) == [true])
            #expect(try await store.reclaimEffects() == 0)
            try await store.observe([(lease, input(20, for: stream(1), kind: .answer))])
            #expect(try await store.lostEffects(grace: .seconds(-3600), limit: 10).isEmpty)
            #expect(try await store.markSending([lease], margin: .seconds(5)) == [false])
            let mail = try await store.claimMail(owner: "a", lease: .seconds(15))
            #expect(try await store.undecided(mail, limit: 10)[0].map(\.id) == [inputId(20)])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `who licensed a message marks it without a claim, as long as nobody has claimed it`(_ kind: StoreKind)
        async throws
    {
        try await withStore(kind) { store async throws in
            let now = try await store.now()
            let planned = [
                effect(1, now: now), effect(2, now: now),
                effect(3, now: now, notBefore: .seconds(300)), effect(4, now: now, sendBefore: .seconds(4)),
            ]
            let made = try await store.commit([
                unit(stream(1), input: 1, base: 0, effects: [.create(planned[0]), .revoke(inputId(9))]),
                unit(stream(2), input: 2, base: 0, effects: planned.dropFirst().map { .create($0) }),
            ])
            let ready = made.flatMap { outcome in
                if case .committed(_, _, _, let ready) = outcome { ready } else { [] as [LeasedEffect] }
            }
            #expect(
                ready.map(\.effect) == planned
                    && ready.map(\.lease.stream) == [stream(1)] + [StreamName](repeating: stream(2), count: 3)
            )
            #expect(Set(ready.map(\.lease.fence)).count == 4)
            let mark = { (number: Int) async throws(StoreFailure) -> Bool in
                try await store.markSending([ready[number].lease], margin: .seconds(5))[0]
            }
            #expect(try await mark(0))
            #expect(try await mark(0), "asked again")
            #expect(try await mark(2) == false, "it is for later")
            #expect(try await mark(3) == false, "it may expire before the mark is there")
            let claimed = try await store.claimEffects(owner: "a", lease: .zero)
            #expect(Set(claimed.map(\.effect.id)) == [planned[1].id, planned[3].id])
            #expect(try await mark(1) == false, "another one has claimed it")
            #expect(try await store.reclaimEffects() == 2)
            #expect(try await mark(1) == false, "whoever licensed it has no word in it any more")
            #expect(try await store.markSending([claimed[0].lease], margin: .seconds(5)) == [false], "nor its claimer")
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a message whose answer is decided at once is answered, under its own claim alone`(_ kind: StoreKind)
        async throws
    {
        try await withStore(kind) { store async throws in
            let now = try await store.now()
            let planned = (1...3).map { effect(UInt64($0), now: now) }
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: planned.map { .create($0) })])
            let leases = try await store.claimEffects(owner: "a", lease: .seconds(15)).map(\.lease)
            _ = try await store.markSending(leases, margin: .seconds(5))
            func lost() async throws -> Set<Uuid> {
                Set(try await store.lostEffects(grace: .seconds(-3600), limit: 10).map(\.lease.id))
            }
            func answer(_ lease: EffectLease, _ base: Int32, _ changes: [EffectChange] = []) async throws {
                let unit = unit(stream(1), input: 10 + UInt64(base), base: base, answers: lease, effects: changes)
                let outcome = try await store.commit([unit])[0]
                guard case .committed = outcome else {
                    Issue.record("\(outcome)")
                    return
                }
            }
            let stale = EffectLease(stream: stream(1), id: leases[0].id, fence: leases[0].fence - 1)
            try await answer(stale, 1)
            #expect(try await lost() == Set(planned.map(\.id)))
            try await answer(leases[0], 2)
            #expect(try await lost() == Set(leases.dropFirst().map(\.id)))
            // What its decision makes of the row comes behind the answer; who revokes what is answered changes nothing.
            try await answer(leases[1], 3, [.revoke(leases[1].id)])
            try await answer(
                leases[2],
                4,
                [.resend(leases[2].id, ordinal: 2, notBefore: now, sendBefore: now.adding(.seconds(60)))]
            )
            #expect(try await lost().isEmpty)
            #expect(try await store.expiredEffects(limit: 10).isEmpty)
            let next = try await store.claimEffects(owner: "a", lease: .seconds(15))
            #expect(next.map(\.lease.id) == [leases[2].id])
            // Nothing of a decision that does not stand.
            let mark = next[0].lease
            _ = try await store.markSending([mark], margin: .seconds(5))
            _ = try await store.commit([unit(stream(1), input: 30, base: 2, answers: mark)])
            #expect(try await lost() == [mark.id])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `only what is ready and inside its window is claimed`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let now = try await store.now()
            let effects = [
                effect(1, now: now, notBefore: .seconds(60)),
                effect(2, now: now, notBefore: .seconds(-60), sendBefore: .seconds(-1)),
                effect(3, now: now, notBefore: .seconds(-60)),
            ]
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: effects.map { .create($0) })])
            let claimed = try await store.claimEffects(owner: "a", lease: .seconds(15))
            #expect(claimed.map(\.effect.id) == [effects[2].id])
            let expired = try await store.expiredEffects(limit: 10)
            #expect(expired.map(\.lease.id) == [effects[1].id])
            try await store.observe([(expired[0].lease, input(20, for: stream(1), kind: .answer))])
            #expect(try await store.expiredEffects(limit: 10).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a lease that is given back is ready at once under the same licence, and its holder can't mark it`(
        _ kind: StoreKind
    ) async throws {
        try await withStore(kind) { store async throws in
            let planned = [effect(1, now: try await store.now()), effect(2, now: try await store.now())]
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: planned.map { .create($0) })])
            let first = try await store.claimEffects(owner: "a", lease: .seconds(15)).map(\.lease)
            #expect(try await store.markSending([first[1]], margin: .seconds(5)) == [true])
            let stranger = EffectLease(stream: first[0].stream, id: first[0].id, fence: first[0].fence + 99)
            try await store.giveBack([stranger])
            #expect(try await store.claimEffects(owner: "b", lease: .seconds(15)).isEmpty)
            try await store.giveBack(first)
            let second = try await store.claimEffects(owner: "b", lease: .seconds(15))
            #expect(second.map(\.lease.id) == [first[0].id])
            #expect(second.map(\.effect.ordinal) == [1])
            #expect(second.allSatisfy { $0.lease.fence > first[0].fence })
            #expect(try await store.markSending([first[0]], margin: .seconds(5)) == [false])
            #expect(try await store.markSending(second.map(\.lease), margin: .seconds(5)) == [true])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a lease that was never marked is given back when its lease ends`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let planned = effect(1, now: try await store.now())
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: [.create(planned)])])
            let first = try await store.claimEffects(owner: "a", lease: .zero)[0]
            #expect(try await store.markSending([first.lease], margin: .zero) == [false])
            #expect(try await store.reclaimEffects() == 1)
            let second = try await store.claimEffects(owner: "b", lease: .seconds(15))[0]
            #expect(second.lease.fence > first.lease.fence)
            #expect(try await store.markSending([first.lease], margin: .zero) == [false])
            #expect(try await store.markSending([second.lease], margin: .zero) == [true])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a sender that vanished after the mark is lost, and its late answer still counts`(
        _ kind: StoreKind
    ) async throws {
        try await withStore(kind) { store async throws in
            let planned = effect(1, now: try await store.now())
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: [.create(planned)])])
            let lease = try await store.claimEffects(owner: "a", lease: .seconds(15))[0].lease
            _ = try await store.markSending([lease], margin: .seconds(5))
            #expect(try await store.lostEffects(grace: .zero, limit: 10).isEmpty)
            let lost = try await store.lostEffects(grace: .seconds(-3600), limit: 10)
            #expect(lost == [LostEffect(lease: lease, ordinal: 1, account: planned.account)])
            let stale = EffectLease(stream: lease.stream, id: lease.id, fence: lease.fence - 1)
            try await store.observe([(stale, input(20, for: stream(1), kind: .answer))])
            #expect(try await store.input(inputId(20), merchant: merchant) != nil)
            #expect(try await store.lostEffects(grace: .seconds(-3600), limit: 10).count == 1)
            try await store.observe([(lease, input(21, for: stream(1), kind: .answer))])
            try await store.observe([(lease, input(21, for: stream(1), kind: .answer))])
            #expect(try await store.lostEffects(grace: .seconds(-3600), limit: 10).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `that nothing left is heard from the lease's holder alone, and what came back from anybody`(
        _ kind: StoreKind
    ) async throws {
        try await withStore(kind) { store async throws in
            let planned = (1...3).map { [now = try await store.now()] in effect(UInt64($0), now: now) }
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: planned.map { .create($0) })])
            let old = try await store.claimEffects(owner: "a", lease: .zero).map(\.lease)
            #expect(try await store.reclaimEffects() == 3)
            let new = try await store.claimEffects(owner: "b", lease: .seconds(15)).map(\.lease)
            #expect(try await store.markSending([new[0]], margin: .seconds(5)) == [true])
            let word = AnswerName.notSent.rawValue
            try await store.observe([(old[0], input(20, for: stream(1), kind: .answer, name: word))])
            #expect(try await store.input(inputId(20), merchant: stream(1).merchant) == nil)
            #expect(try await store.markSending([new[0]], margin: .seconds(5)) == [true])
            // Among others it is left out, and they keep their order.
            try await store.observe([
                (old[0], input(21, for: stream(1), kind: .answer, name: AnswerName.noAnswer.rawValue)),
                (old[1], input(22, for: stream(1), kind: .answer, name: word)),
                (new[2], input(23, for: stream(1), kind: .answer, name: word)),
                (new[0], input(24, for: stream(1), kind: .answer)),
            ])
            let mail = try await store.claimMail(owner: "a", lease: .seconds(15))
            let heard = try await store.undecided(mail, limit: 10)[0].map(\.id)
            #expect(heard == [inputId(21), inputId(23), inputId(24)])
            #expect(try await store.markSending(new, margin: .seconds(5)) == [false, true, false])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a removed effect is gone, whatever its state`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let planned = effect(1, now: try await store.now())
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: [.create(planned)])])
            let lease = try await store.claimEffects(owner: "a", lease: .seconds(15))[0].lease
            _ = try await store.commit([unit(stream(1), input: 2, base: 1, effects: [.remove(planned.id)])])
            #expect(try await store.markSending([lease], margin: .zero) == [false])
            #expect(try await store.claimEffects(owner: "a", lease: .zero).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a revoked effect expires unless its message may be on the wire`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let now = try await store.now()
            func revoke(_ number: UInt64, base: Int32) async throws {
                let change = EffectChange.revoke(effect(number, now: now).id)
                _ = try await store.commit([unit(stream(1), input: 10 + number, base: base, effects: [change])])
            }
            let waiting = [effect(1, now: now), effect(2, now: now), effect(3, now: now, notBefore: .seconds(60))]
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: waiting.map { .create($0) })])
            let claimed = try await store.claimEffects(owner: "a", lease: .seconds(15)).map(\.lease)
            let marked = try #require(claimed.first { $0.id == waiting[0].id })
            let unmarked = try #require(claimed.first { $0.id == waiting[1].id })
            #expect(try await store.markSending([marked], margin: .seconds(5)) == [true])
            for (base, number) in [1, 2, 3].enumerated() { try await revoke(UInt64(number), base: Int32(base) + 1) }
            #expect(try await store.markSending([unmarked], margin: .seconds(5)) == [false])
            #expect(try await store.markSending([marked], margin: .seconds(5)) == [true])
            let expired = try await store.expiredEffects(limit: 10)
            #expect(Set(expired.map(\.lease.id)) == [waiting[1].id, waiting[2].id])
            #expect(expired.allSatisfy { $0.ordinal == 1 && $0.lease.fence > marked.fence })
            #expect(try await store.claimEffects(owner: "b", lease: .seconds(15)).isEmpty)
            for lost in expired { try await store.observe([(lost.lease, input(20, for: stream(1), kind: .answer))]) }
            #expect(try await store.expiredEffects(limit: 10).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a resend is ready under the next licence and out of reach of older leases`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let now = try await store.now()
            let planned = effect(1, now: now)
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: [.create(planned)])])
            let old = try await store.claimEffects(owner: "a", lease: .seconds(15))[0].lease
            _ = try await store.markSending([old], margin: .zero)
            let until = now.adding(.seconds(900))
            let again = EffectChange.resend(planned.id, ordinal: 2, notBefore: now, sendBefore: until)
            _ = try await store.commit([unit(stream(1), input: 2, base: 1, effects: [again])])
            try await store.observe([(old, input(20, for: stream(1), kind: .answer))])
            #expect(try await store.markSending([old], margin: .zero) == [false])
            let next = try await store.claimEffects(owner: "a", lease: .seconds(15))
            #expect(next.map(\.effect.ordinal) == [2])
            #expect(next.map(\.effect.template) == [planned.template])
            #expect(next.map(\.effect.sendBefore) == [until])
            #expect(next.allSatisfy { $0.lease.fence > old.fence })
        }
    }

    @Test(arguments: StoreKind.allCases, [Duration.seconds(15), .seconds(5)])
    func `the mark renews a lease that is no longer than the provider's deadline`(
        _ kind: StoreKind,
        _ time: Duration
    ) async throws {
        try await withStore(kind) { store async throws in
            let planned = effect(1, now: try await store.now(), deadline: .seconds(15))
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: [.create(planned)])])
            let lease = try #require(try await store.claimEffects(owner: "a", lease: time).first).lease
            #expect(try await store.markSending([lease], margin: .seconds(5)) == [true])
            // A negative grace looks ahead: at the end of the deadline it is not lost, past the margin behind it it is.
            #expect(try await store.lostEffects(grace: .seconds(-15), limit: 10).isEmpty)
            #expect(try await store.lostEffects(grace: .milliseconds(-20_001), limit: 10).map(\.lease) == [lease])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a lease is shared among the accounts that have something ready, within their rooms`(_ kind: StoreKind)
        async throws
    {
        try await withStore(kind) { store async throws in
            let now = try await store.now()
            // The first account has all the oldest.
            let planned = (1...60 as ClosedRange<UInt64>).map { number in
                let account: UInt64 = number <= 50 ? 1 : number <= 55 ? 2 : 3
                return effect(number, now: now, notBefore: .milliseconds(Int(number) - 1000), account: account)
            }
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: planned.map { .create($0) })])
            func claim(_ wish: EffectWish) async throws -> [UInt64] {
                try await store.claimEffects(owner: "a", lease: .seconds(15), wish).map(\.effect.id.low).sorted()
            }
            let (one, two, three) = (planned[0].account, planned[50].account, planned[55].account)
            #expect(try await claim(EffectWish(most: 6, room: 20)) == [1, 2, 51, 52, 56, 57])
            #expect(try await claim(EffectWish(most: 20, room: 1, rooms: [one: 3, two: 0])) == [3, 4, 5, 58])
            #expect(try await claim(EffectWish(most: 1, room: 20, after: one)) == [53])
            #expect(try await claim(EffectWish(most: 1, room: 20, after: two)) == [59])
            #expect(try await claim(EffectWish(most: 1, room: 20, after: three)) == [6])
            #expect(try await claim(EffectWish(most: 20, room: 20, full: [stream(1).merchant])) == [])
            #expect(try await claim(EffectWish(most: 1, room: 20, full: [MerchantNumber(77)], after: three)) == [7])
            #expect(try await claim(.any) == Array(8...24) + [54, 55, 60])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a rate gives back what may not leave yet, and no node is faster than all together`(
        _ kind: StoreKind
    ) async throws {
        try await withStore(kind) { store async throws in
            let now = try await store.now()
            let planned = (1...5).map { effect(UInt64($0), now: now) }
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, effects: planned.map { .create($0) })])
            let claimed = try await store.claimEffects(owner: "a", lease: .seconds(15))
            try #require(claimed.count == 5)
            let account = claimed[0].effect.account
            let hour = Duration.seconds(3600)
            let first = try await store.pace(
                claimed.prefix(4).map(\.lease),
                account: account,
                spacing: hour,
                burst: 2
            )
            #expect(first == [true, true, false, false])
            let second = try await store.pace([claimed[4].lease], account: account, spacing: hour, burst: 2)
            #expect(second == [false])
            // Given back, not ready before its turn, and no longer in the hands of its claimer.
            #expect(try await store.claimEffects(owner: "b", lease: .seconds(15)).isEmpty)
            let marks = try await store.markSending(claimed.map(\.lease), margin: .seconds(5))
            #expect(marks == [true, true, false, false, false])
            let other = Uuid(high: 77, low: 7)
            #expect(try await store.pace([claimed[0].lease], account: other, spacing: hour, burst: 1) == [true])
        }
    }
}
