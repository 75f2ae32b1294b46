import Engine
import EventSourcing
import Kernel
import Testing

/// How the places on the wire are shared among accounts.
struct SendingPlacesTests {
    private func account(_ number: UInt64) -> Uuid { Uuid(high: 0xACC0, low: number) }
    private func merchant(_ number: UInt64) -> MerchantNumber { MerchantNumber(Int32(number)) }

    /// What an account gets that has more waiting than there is room for, claim after claim.
    private func fill(_ places: inout SendingPlaces, _ account: Uuid, of merchant: MerchantNumber = MerchantNumber(1))
        -> Int
    {
        var got = 0
        while let wish = places.wish, !wish.full.contains(merchant) {
            let page = min(wish.most, wish.rooms[account] ?? wish.room)
            guard page > 0 else { break }
            for _ in 0..<page { places.take(account, of: merchant) }
            got += page
        }
        return got
    }

    @Test func `one account has an eighth of the places, and gets the place back that it leaves`() {
        var places = SendingPlaces(256)
        let first = fill(&places, account(1))
        #expect(first == 32)
        #expect(places.wish?.rooms[account(1)] == 0)
        places.goOn(behind: account(1))
        #expect(places.wish?.after == account(1))
        let wasScarce = places.release(account(1), of: merchant(1))
        #expect(wasScarce, "what waits of the account is looked for at once")
        let again = fill(&places, account(1))
        #expect(again == 1)
        var quiet = SendingPlaces(256)
        quiet.take(account(2), of: merchant(1))
        let isScarce = quiet.release(account(2), of: merchant(1))
        #expect(!isScarce, "nothing of a quiet account waits for a place")
        #expect(quiet.wish?.rooms.isEmpty == true)
    }

    @Test func `however many accounts hang, the next one finds a place`() {
        var places = SendingPlaces(256)
        for number in 1...12 as ClosedRange<UInt64> {
            let got = fill(&places, account(number), of: merchant(number))
            #expect(got >= 1 && got <= 32, "account \(number) got \(got)")
            if number == 1 { #expect(got == 32) }
            guard places.wish != nil else {
                #expect(number >= 12, "full with \(number) accounts")
                return
            }
        }
    }

    @Test func `however many accounts a merchant has, half of the places are another's`() {
        var places = SendingPlaces(256)
        var got = 0
        for number in 1...100 as ClosedRange<UInt64> { got += fill(&places, account(number)) }
        #expect((128...148).contains(got), "\(got), as a page is claimed at a time")
        #expect(places.wish?.full == [merchant(1)])
        let next = fill(&places, account(500), of: merchant(2))
        #expect(next == 32)
        let isAwaited = places.release(account(1), of: merchant(1))
        #expect(isAwaited)
    }

    @Test func `a wish fits a page and the free places`() {
        var places = SendingPlaces(8)
        #expect(places.wish?.most == 4)
        #expect(places.wish?.room == 1)
        for number in 1...8 as ClosedRange<UInt64> { places.take(account(number), of: merchant(number)) }
        #expect(places.wish == nil)
        let isAwaited = places.release(account(3), of: merchant(3))
        #expect(isAwaited)
        #expect(places.wish?.most == 1)
        #expect(SendingPlaces().wish?.most == 20)
    }
}
