import EventSourcing
import Kernel
import TestKit
import Testing

/// What both stores promise about mailboxes, timers and the SQL entrance.
struct WorkQueueContractTests {
    @Test(arguments: StoreKind.allCases)
    func `a mailbox is claimed by one worker and worked off in order`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            _ = try await store.admit([3, 1, 2].map { input($0, for: stream(1)) })
            let leases = try await store.claimMail(owner: "a", lease: .seconds(15))
            #expect(leases.map(\.stream) == [stream(1)])
            #expect(leases.map(\.attempts) == [0])
            #expect(try await store.claimMail(owner: "b", lease: .seconds(15)).isEmpty)
            let waiting = try await store.undecided(leases, limit: 2)
            #expect(waiting == [[input(3, for: stream(1)), input(1, for: stream(1))]])
            #expect(try await store.commit([admitted(leases[0], input: inputId(3), base: 0)])[0].isCommitted)
            let rest = try await store.undecided(leases, limit: 10)
            #expect(rest.map { $0.map(\.id) } == [[inputId(1), inputId(2)]])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a mailbox tells whether inputs of these names wait in it from before another one`(_ kind: StoreKind)
        async throws
    {
        try await withStore(kind) { store async throws in
            #expect(try await !store.awaits(stream(1), ["payment.test"], before: nil))
            _ = try await store.admit([input(1, for: stream(1))])
            _ = try await store.admit([input(2, for: stream(2))])
            _ = try await store.admit([input(3, for: stream(1), name: "payment.late")])
            let names = ["payment.other", "payment.test"]
            #expect(try await store.awaits(stream(1), names, before: nil))
            #expect(try await store.awaits(stream(1), names, before: inputId(99)), "one that nobody admitted")
            #expect(try await store.awaits(stream(1), names, before: inputId(2)))
            #expect(try await !store.awaits(stream(1), ["payment.late"], before: inputId(2)), "it came later")
            #expect(try await !store.awaits(stream(1), names, before: inputId(1)), "its own is none")
            #expect(try await !store.awaits(stream(1), ["payment.other"], before: nil))
            #expect(try await !store.awaits(stream(3), names, before: nil))
            #expect(try await !store.awaits(stream(1, of: MerchantNumber(8)), names, before: nil))
            for lease in try await store.claimMail(owner: "a", lease: .seconds(15)) where lease.stream == stream(1) {
                _ = try await store.commit([admitted(lease, input: inputId(1), base: 0)])
                try await store.quarantine(inputId(3), lease: lease, reason: "a test")
            }
            #expect(try await !store.awaits(stream(1), names + ["payment.late"], before: nil))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a lease goes round the merchants, behind the one that was served last`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let (flood, one, other) = (MerchantNumber(3), MerchantNumber(7), MerchantNumber(9))
            _ = try await store.admit((1...100).map { input($0, for: stream($0, of: flood)) })
            _ = try await store.admit(
                [(200, one), (201, one), (202, other)].map { input($0, for: stream($0, of: $1)) }
            )
            let first = try await store.claimMail(owner: "a", lease: .seconds(15), done: [], after: MerchantNumber(0))
            #expect(first.count == MailLease.page)
            #expect(first.count { $0.stream.merchant == flood } == MailLease.page - 3, "what the others leave")
            #expect(first.count { $0.stream.merchant == one } == 2 && first.count { $0.stream.merchant == other } == 1)
            try await store.release(first, after: .zero)
            let next = try await store.claimMail(owner: "a", lease: .seconds(15), done: [], after: one)
            #expect(next.first?.stream.merchant == other && next.count == MailLease.page)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `an expired lease is claimed again and fences its first holder out`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            _ = try await store.admit([input(1, for: stream(1)), input(2, for: stream(1))])
            let first = try await store.claimMail(owner: "a", lease: .zero)[0]
            let second = try await store.claimMail(owner: "b", lease: .seconds(15))[0]
            #expect(second.attempts == 1)
            #expect(second.fence > first.fence)
            #expect(try await store.undecided([first], limit: 10) == [[]])
            #expect(try await store.commit([admitted(first, input: inputId(1), base: 0)]) == [.fenced])
            try await store.release([first], after: .zero)
            #expect(try await store.claimMail(owner: "c", lease: .seconds(15)).isEmpty)
            #expect(try await store.commit([admitted(second, input: inputId(1), base: 0)])[0].isCommitted)
            #expect(try await store.commit([admitted(second, input: inputId(1), base: 0)]) == [.duplicate(version: 1)])
            #expect(try await store.commit([admitted(second, input: inputId(7), base: 1)]) == [.fenced])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `progress resets the attempts and an emptied mailbox is gone`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            _ = try await store.admit([input(1, for: stream(1)), input(2, for: stream(1))])
            _ = try await store.claimMail(owner: "a", lease: .zero)
            let lease = try await store.claimMail(owner: "a", lease: .seconds(15))[0]
            _ = try await store.commit([admitted(lease, input: inputId(1), base: 0)])
            try await store.release([lease], after: .zero)
            let next = try await store.claimMail(owner: "a", lease: .zero)[0]
            #expect(next.attempts == 0)
            _ = try await store.commit([admitted(next, input: inputId(2), base: 1)])
            #expect(try await store.claimMail(owner: "a", lease: .zero).isEmpty)
            _ = try await store.admit([input(3, for: stream(1))])
            let later = try await store.claimMail(owner: "a", lease: .zero)
            #expect(later.map(\.attempts) == [0])
            #expect(later.allSatisfy { $0.fence > next.fence })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `what is held against a mailbox stays until there is progress`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            _ = try await store.admit([input(1, for: stream(1)), input(2, for: stream(1))])
            let stale = try await store.claimMail(owner: "a", lease: .zero)[0]
            let lease = try await store.claimMail(owner: "a", lease: .seconds(15))[0]
            try await store.suspect([MailLease(stream: lease.stream, fence: lease.fence, attempts: 3)])
            try await store.suspect([MailLease(stream: stale.stream, fence: stale.fence, attempts: 7)])
            try await store.release([lease], after: .zero)
            let next = try await store.claimMail(owner: "a", lease: .zero)[0]
            #expect(next.attempts == 3, "a mailbox that is given back keeps what is held against it")
            try await store.quarantine(inputId(1), lease: next, reason: "enough")
            try await store.release([next], after: .zero)
            #expect(try await store.claimMail(owner: "a", lease: .zero).map(\.attempts) == [0])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a released mailbox waits for its delay`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            _ = try await store.admit([input(1, for: stream(1))])
            let leases = try await store.claimMail(owner: "a", lease: .seconds(15))
            try await store.release(leases, after: .seconds(60))
            #expect(try await store.claimMail(owner: "a", lease: .seconds(15)).isEmpty)
            try await store.release(leases, after: .zero)
            #expect(try await store.claimMail(owner: "a", lease: .seconds(15)).count == 1)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a poison input leaves its mailbox and its stream goes on`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            _ = try await store.admit([input(1, for: stream(1)), input(2, for: stream(1))])
            let stale = try await store.claimMail(owner: "a", lease: .zero)[0]
            let lease = try await store.claimMail(owner: "a", lease: .seconds(15))[0]
            try await store.quarantine(inputId(1), lease: stale, reason: "stale")
            #expect(try await store.undecided([lease], limit: 10)[0].count == 2)
            try await store.quarantine(inputId(1), lease: lease, reason: "it breaks the decider")
            #expect(try await store.undecided([lease], limit: 10)[0].map(\.id) == [inputId(2)])
            #expect(try await store.commit([admitted(lease, input: inputId(2), base: 0)])[0].isCommitted)
            #expect(try await store.claimMail(owner: "a", lease: .zero).isEmpty)
            #expect(try await store.input(inputId(1), merchant: merchant) != nil)
            #expect(try await store.admit([input(1, for: stream(1))]) == [false])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `timers are replaced by every decision and fire once`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let now = try await store.now()
            let (early, late) = (now.adding(.seconds(-20)), now.adding(.seconds(-10)))
            let timers = Timers(machine: late, business: early)
            _ = try await store.commit([
                unit(stream(1), input: 1, base: 0, timers: timers),
                unit(stream(2), input: 2, base: 0, timers: Timers(machine: now.adding(.seconds(3600)), business: nil)),
            ])
            let due = try await store.dueTimers(limit: 10)
            let business = DueTimer(stream: stream(1), clock: .business, at: early)
            let machine = DueTimer(stream: stream(1), clock: .machine, at: late)
            #expect(due == [business, machine])
            #expect(try await store.dueTimers(limit: 1) == [business])
            try await store.fire([(business, input(10, for: stream(1), kind: .timer))])
            try await store.fire([(business, input(11, for: stream(1), kind: .timer))])
            #expect(try await store.dueTimers(limit: 10) == [machine])
            #expect(try await store.input(inputId(11), merchant: merchant) == nil)
            let lease = try await store.claimMail(owner: "a", lease: .seconds(15))[0]
            #expect(try await store.undecided([lease], limit: 10)[0].map(\.id) == [inputId(10)])
            _ = try await store.commit([admitted(lease, input: inputId(10), base: 1)])
            #expect(try await store.dueTimers(limit: 10).isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases, [DueTimer.Clock.machine, .business])
    func `a moment that was armed again behind its turn comes once more as another timer`(
        _ kind: StoreKind,
        _ clock: DueTimer.Clock
    ) async throws {
        try await withStore(kind) { store async throws in
            let moment = try await store.now().adding(.seconds(-600))
            let timers = Timers(
                machine: clock == .machine ? moment : nil,
                business: clock == .business ? moment : nil
            )
            let turn = input(10, for: stream(1), kind: .timer)
            _ = try await store.commit([unit(stream(1), input: 1, base: 0, timers: timers)])
            let first = try await store.dueTimers(limit: 10)
            #expect(first.map(\.at) == [moment])
            try await store.fire([(first[0], turn)])
            #expect(try await store.dueTimers(limit: 10).isEmpty)
            let lease = try await store.claimMail(owner: "a", lease: .seconds(15))[0]
            _ = try await store.commit([admitted(lease, input: turn.id, base: 1, timers: timers)])
            try await store.fire([(first[0], turn)])
            #expect(try await store.dueTimers(limit: 10).map(\.at) == [moment.adding(.seconds(60))])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `where more timers are due than a page holds, it goes round the merchants`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let now = try await store.now()
            let (flood, one, other) = (MerchantNumber(3), MerchantNumber(7), MerchantNumber(9))
            func armed(_ number: UInt64, of merchant: MerchantNumber, _ timers: Timers) -> CommitUnit {
                unit(stream(number, of: merchant), input: number, base: 0, timers: timers)
            }
            _ = try await store.commit(
                (1...30).map { number in
                    armed(number, of: flood, Timers(machine: now.adding(.seconds(-3600 + Int(number))), business: nil))
                }
            )
            let late = Timers(machine: now.adding(.seconds(-20)), business: now.adding(.seconds(-10)))
            _ = try await store.commit([
                armed(101, of: one, late),
                armed(102, of: other, Timers(machine: nil, business: now.adding(.seconds(-5)))),
                armed(103, of: other, Timers(machine: now.adding(.seconds(3600)), business: nil)),
            ])
            let all = try await store.dueTimers(limit: 200)
            #expect(all.count == 33 && all.map(\.at) == all.map(\.at).sorted(), "what fits comes in its order")
            let page = try await store.dueTimers(limit: 20)
            #expect(page.count == 20)
            #expect(
                Set(page.filter { $0.stream.merchant == flood }) == Set(all.prefix(17)),
                "what the others leave, the oldest"
            )
            #expect(page.count { $0.stream.merchant == one } == 2 && page.count { $0.stream.merchant == other } == 1)
            let next = try await store.dueTimers(limit: 2, after: one)
            #expect(next.map(\.stream.merchant) == [other, flood])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `both timers of a stream may fire in one call, and a moved one does not`(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let past = try await store.now().adding(.seconds(-10))
            let armed = Timers(machine: past, business: past)
            _ = try await store.commit([
                unit(stream(1), input: 1, base: 0, timers: armed), unit(stream(2), input: 2, base: 0, timers: armed),
            ])
            let stale = DueTimer(stream: stream(2), clock: .machine, at: past.adding(.seconds(-1)))
            try await store.fire([
                (DueTimer(stream: stream(1), clock: .machine, at: past), input(10, for: stream(1), kind: .timer)),
                (DueTimer(stream: stream(1), clock: .business, at: past), input(11, for: stream(1), kind: .timer)),
                (stale, input(12, for: stream(2), kind: .timer)),
            ])
            #expect(Set(try await store.dueTimers(limit: 10).map(\.stream)) == [stream(2)])
            #expect(try await store.input(inputId(12), merchant: merchant) == nil)
            let leases = try await store.claimMail(owner: "a", lease: .seconds(15))
            #expect(try await store.undecided(leases, limit: 10).map(\.count) == [2])
        }
    }
}
