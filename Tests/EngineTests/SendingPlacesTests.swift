import Engine
import EventSourcing
import Kernel
import Testing

/// How the places on the wire are shared among accounts.
struct SendingPlacesTests {
    private func account(_ number: UInt64) -> Uuid { Uuid(high: 0xACC0, low: number) }
    private func merchant(_ number: UInt64) -> MerchantNumber { MerchantNumber(Int32(number)) }

    /// What an account gets that has more waiting than there is room for, claim after claim.
    private func fill(_ places: inout SendingPlaces, _ account: UInt64, of merchant: UInt64 = 1) -> Int {
        var got = 0
        while let wish = places.claim(), !wish.full.contains(self.merchant(merchant)) {
            let page = min(wish.most, wish.rooms[self.account(account)] ?? wish.room)
            places.claimed(messages(page, account, merchant), wish)
            guard page > 0 else { break }
            for _ in 0..<page { places.take(self.account(account), of: self.merchant(merchant)) }
            got += page
        }
        return got
    }

    /// A claim that finds nothing.
    private func claimNothing(_ places: inout SendingPlaces) throws { places.claimed([], try claim(&places)) }

    @Test func `one account has an eighth of the places, and gets the place back that it leaves`() throws {
        var places = SendingPlaces(256)
        let first = fill(&places, 1)
        #expect(first == 32)
        let wish = try claim(&places)
        #expect(wish.rooms[account(1)] == 0 && wish.after == account(1))
        let wasScarce = places.release(account(1), of: merchant(1))
        #expect(wasScarce, "what waits of the account is looked for at once")
        let again = fill(&places, 1)
        #expect(again == 1)
        var quiet = SendingPlaces(256)
        quiet.take(account(2), of: merchant(1))
        let isScarce = quiet.release(account(2), of: merchant(1))
        #expect(!isScarce, "nothing of a quiet account waits for a place")
        let rooms = try claim(&quiet).rooms
        #expect(rooms.isEmpty)
    }

    @Test func `an account whose messages all began is looked for no more often than others`() throws {
        var places = SendingPlaces(256)
        _ = places.admit(messages(20, 1))
        for _ in 0..<20 { places.take(account(1), of: merchant(1)) }
        let isAwaited = places.release(account(1), of: merchant(1))
        #expect(!isAwaited, "nothing of it waits")
        places.putBehind(messages(1, 1))
        let isLeft = places.release(account(1), of: merchant(1))
        #expect(isLeft)
    }

    @Test func `however many accounts hang, the next one finds a place`() {
        var places = SendingPlaces(256)
        for number in 1...12 as ClosedRange<UInt64> {
            let got = fill(&places, number, of: number)
            #expect(got >= 1 && got <= 32, "account \(number) got \(got)")
            if number == 1 { #expect(got == 32) }
            let isFull = places.claim() == nil
            guard !isFull else {
                #expect(number >= 12, "full with \(number) accounts")
                return
            }
        }
    }

    @Test func `however many accounts a merchant has, half of the places are another's`() throws {
        var places = SendingPlaces(256)
        var got = 0
        for number in 1...100 as ClosedRange<UInt64> { got += fill(&places, number) }
        #expect((128...148).contains(got), "\(got), as a page is claimed at a time")
        let full = try claim(&places).full
        #expect(full == [merchant(1)])
        let next = fill(&places, 500, of: 2)
        #expect(next == 32)
        let isAwaited = places.release(account(1), of: merchant(1))
        #expect(isAwaited)
    }

    @Test func `a wish fits a page and the free places`() throws {
        var places = SendingPlaces(8)
        let wish = try claim(&places)
        #expect(wish.most == 4 && wish.room == 1)
        for number in 1...8 as ClosedRange<UInt64> { places.take(account(number), of: merchant(number)) }
        let none = places.claim()
        #expect(none == nil)
        let isAwaited = places.release(account(3), of: merchant(3))
        #expect(isAwaited)
        let one = try claim(&places)
        #expect(one.most == 1)
        var standard = SendingPlaces()
        let page = try claim(&standard)
        #expect(page.most == 20)
    }

    /// Messages of a merchant's account.
    private func messages(_ count: Int, _ account: UInt64, _ merchant: UInt64 = 1) -> [LeasedEffect] {
        (0..<count).map { number in
            let id = Uuid(high: account, low: UInt64(number))
            let effect = NewEffect(
                id: id,
                account: self.account(account),
                ordinal: 1,
                template: [],
                notBefore: .epoch,
                sendBefore: .epoch,
                deadline: .seconds(1)
            )
            let stream = StreamName(self.merchant(merchant), .payment, id)
            return LeasedEffect(
                lease: EffectLease(stream: stream, id: id, fence: 1),
                effect: effect,
                leaseUntil: .epoch
            )
        }
    }

    private func claim(_ places: inout SendingPlaces) throws -> EffectWish {
        let wish = places.claim()
        return try #require(wish)
    }

    @Test func `what is licensed begins as far as its account and its merchant have places`() throws {
        var places = SendingPlaces(256)
        let begun = places.admit(messages(60, 1) + messages(1, 2, 2))
        #expect(begun == messages(32, 1) + messages(1, 2, 2), "an eighth of the places, and the other account's own")
        #expect(places.room(account(1)) == 32, "looking takes no place")
        var full = SendingPlaces(256)
        for number in 3...100 as ClosedRange<UInt64> { _ = fill(&full, number) }
        try claimNothing(&full)
        let refused = full.admit(messages(1, 101))
        #expect(refused.isEmpty, "its merchant has its half")
        let others = full.admit(messages(1, 2, 2))
        #expect(others.count == 1)
    }

    @Test func `what is licensed waits behind older messages of its account, and behind no other account's`() throws {
        var places = SendingPlaces(256)
        _ = places.admit(messages(33, 1))
        let overtaking = places.admit(messages(1, 1))
        #expect(overtaking.isEmpty, "the thirty-third waits")
        let other = places.admit(messages(1, 2))
        #expect(other.count == 1)
        // A claim that had no room for the account says nothing about it, nor does one that got as many as it had.
        for _ in 0..<32 { places.take(account(1), of: merchant(1)) }
        try claimNothing(&places)
        _ = places.release(account(1), of: merchant(1))
        let still = places.admit(messages(1, 1))
        #expect(still.isEmpty)
        let one = try claim(&places)
        #expect(one.rooms[account(1)] == 1)
        places.claimed(messages(1, 1), one)
        let more = places.admit(messages(1, 1))
        #expect(more.isEmpty, "as many as there was room for")
        try claimNothing(&places)
        let free = places.admit(messages(1, 1))
        #expect(free.count == 1, "none was left")
    }

    @Test func `nothing begins without a claim while a claim left messages, or none could be made`() throws {
        var places = SendingPlaces(256)
        let wish = try claim(&places)
        places.claimed(messages(10, 1) + messages(10, 2), wish)
        let after = try claim(&places).after
        #expect(after == account(2))
        let behind = places.admit(messages(1, 3))
        #expect(behind.isEmpty)
        places.claimed(messages(3, 1), wish)
        let free = places.admit(messages(1, 3))
        #expect(free.count == 1, "that was all there was")

        var full = SendingPlaces(8)
        for number in 1...8 as ClosedRange<UInt64> { full.take(account(number), of: merchant(number)) }
        let none = full.claim()
        #expect(none == nil)
        _ = full.release(account(1), of: merchant(1))
        let early = full.admit(messages(1, 9, 9))
        #expect(early.isEmpty, "older ones may wait for the place")
        try claimNothing(&full)
        let late = full.admit(messages(1, 9, 9))
        #expect(late.count == 1)
    }
}
