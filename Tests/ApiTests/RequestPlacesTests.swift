import Api
import EventSourcing
import Testing

/// Places of requests are shared by merchants, whoever asks most.
struct RequestPlacesTests {
    private let one = MerchantNumber(1)
    private let other = MerchantNumber(2)
    private let third = MerchantNumber(3)

    @Test func `a merchant has half of the places at most`() {
        let places = RequestPlaces(4)
        #expect(places.take(one) && places.take(one) && !places.take(one))
        #expect(places.take(other) && !places.take(other))
    }

    @Test func `who was refused is next, whatever others ask meanwhile`() {
        let places = RequestPlaces(2)
        #expect(places.take(one) && places.take(other) && !places.take(third))
        for busy in [one, other] {
            places.release(busy)
            #expect(!places.take(busy), "the place is the third one's")
        }
        #expect(places.take(third))
        #expect(places.take(one) && !places.take(other), "in the order in which they were refused")
        places.release(third)
        #expect(places.take(other))
    }

    @Test func `a turn does not wait for who comes no more`() {
        let places = RequestPlaces(2)
        let now = ContinuousClock.now
        #expect(places.take(one, now: now) && places.take(other, now: now) && !places.take(third, now: now))
        places.release(one)
        #expect(!places.take(one, now: now))
        #expect(places.take(one, now: now.advanced(by: RequestPlaces.patience + .seconds(1))))
    }
}
