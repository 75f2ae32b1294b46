import Engine
import EventSourcing
import Kernel
import Testing

/// How the places on the wire are shared among accounts.
struct SendingPlacesTests {
    private func account(_ number: UInt64) -> Uuid { Uuid(high: 0xACC0, low: number) }

    /// What an account gets that has more waiting than there is room for, claim after claim.
    private func fill(_ places: inout SendingPlaces, _ account: Uuid) -> Int {
        var got = 0
        while let wish = places.wish {
            let page = min(wish.most, wish.rooms[account] ?? wish.room)
            guard page > 0 else { break }
            for _ in 0..<page { places.take(account) }
            got += page
        }
        return got
    }

    @Test func `one account has an eighth of the places, and gets the place back that it leaves`() {
        var places = SendingPlaces(256)
        let first = fill(&places, account(1))
        #expect(first == 32)
        #expect(places.wish?.rooms[account(1)] == 0)
        #expect(places.wish?.after == account(1))
        let wasScarce = places.leave(account(1))
        #expect(wasScarce, "what waits of the account is looked for at once")
        let again = fill(&places, account(1))
        #expect(again == 1)
        var quiet = SendingPlaces(256)
        quiet.take(account(2))
        let isScarce = quiet.leave(account(2))
        #expect(!isScarce, "nothing of a quiet account waits for a place")
        #expect(quiet.wish?.rooms.isEmpty == true)
    }

    @Test func `however many accounts hang, the next one finds a place`() {
        var places = SendingPlaces(256)
        for number in 1...12 as ClosedRange<UInt64> {
            let got = fill(&places, account(number))
            #expect(got >= 1 && got <= 32, "account \(number) got \(got)")
            if number == 1 { #expect(got == 32) }
            guard places.wish != nil else {
                #expect(number >= 12, "full with \(number) accounts")
                return
            }
        }
    }

    @Test func `a wish fits a page and the free places`() {
        var places = SendingPlaces(8)
        #expect(places.wish?.most == 4)
        #expect(places.wish?.room == 1)
        for number in 1...8 as ClosedRange<UInt64> { places.take(account(number)) }
        #expect(places.wish == nil)
        let isAwaited = places.leave(account(3))
        #expect(isAwaited)
        #expect(places.wish?.most == 1)
        #expect(SendingPlaces().wish?.most == 20)
    }
}
