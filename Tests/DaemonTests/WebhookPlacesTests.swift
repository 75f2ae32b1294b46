import Daemon
import EventSourcing
import Kernel
import Store
import Testing

/// Places on the wire: who may have how many, by what is due and by how quickly receivers answer.
struct WebhookPlacesTests {
    private static let start = ContinuousClock.now

    private static func endpoint(_ merchant: Int32, _ number: UInt64) -> StreamName {
        StreamName(MerchantNumber(merchant), .webhookEndpoint, Uuid(high: UInt64(merchant), low: number))
    }

    private static func at(_ tenths: Int) -> ContinuousClock.Instant { start + .milliseconds(tenths * 100) }

    private static let quick = WebhookPlaces.Answer(isFailed: false, time: .milliseconds(50))
    private static let slow = WebhookPlaces.Answer(isFailed: false, time: .seconds(14))

    /// Plays rounds of a tenth of a second: each endpoint has more due than it can send, and answers behind its time.
    ///
    /// Gives how often each was answered.
    private static func play(
        _ places: inout WebhookPlaces,
        _ receivers: [(endpoint: StreamName, tenths: Int)],
        rounds: Int
    ) -> [StreamName: Int] {
        let times = Dictionary(uniqueKeysWithValues: receivers.map { ($0.endpoint, $0.tenths) })
        let due = receivers.map { WebhookBacklog(endpoint: $0.endpoint, due: 500) }
        var answered: [StreamName: Int] = [:]
        var running: [(endpoint: StreamName, begun: Int, end: Int)] = []
        for now in 0..<rounds {
            for one in running where one.end <= now {
                let time = Duration.milliseconds((one.end - one.begun) * 100 - 50)
                let answer = WebhookPlaces.Answer(isFailed: false, time: time)
                places.end(one.endpoint, begun: at(one.begun), answer, at: at(now))
                answered[one.endpoint, default: 0] += 1
            }
            running.removeAll { $0.end <= now }
            for (name, count) in places.share(due, at: at(now)) {
                for _ in 0..<count {
                    places.begin(name, at: at(now))
                    running.append((name, now, now + (times[name] ?? 1)))
                }
            }
        }
        return answered
    }

    @Test func `what has nothing due takes no place of what has`() {
        var places = WebhookPlaces()
        let busy = Self.endpoint(1, 1)
        for round in 0..<200 {
            places.begin(busy, at: Self.at(round))
            places.end(busy, begun: Self.at(round), Self.quick, at: Self.at(round + 1))
        }
        let idle = (2..<40).map { WebhookBacklog(endpoint: Self.endpoint(1, $0), due: 0) }
        let shared = places.share(idle + [WebhookBacklog(endpoint: busy, due: 500)], at: Self.at(300))
        #expect(shared == [busy: 96])
    }

    @Test func `a quick receiver comes to many places, and a slow one to few`() {
        var places = WebhookPlaces()
        let (quick, slow) = (Self.endpoint(1, 1), Self.endpoint(2, 1))
        _ = Self.play(&places, [(quick, 1), (slow, 140)], rounds: 1200)
        #expect(places.free(of: slow) == 0)
        let shared = places.share([WebhookBacklog(endpoint: slow, due: 500)], at: Self.at(1200))
        #expect(shared.isEmpty, "its two are under way")
        var fresh = WebhookPlaces()
        let answered = Self.play(&fresh, [(quick, 1)], rounds: 200)
        #expect(answered[quick, default: 0] > 96 * 10 * 15, "\(answered)")
    }

    @Test func `many slow endpoints of one merchant leave a quick one of another its places`() {
        var places = WebhookPlaces()
        let slow = (1...20).map { (endpoint: Self.endpoint(1, $0), tenths: 140) }
        let quick = Self.endpoint(2, 1)
        let alone = Self.play(&places, [(quick, 1)], rounds: 300)[quick, default: 0]
        var crowded = WebhookPlaces()
        let beside = Self.play(&crowded, slow + [(quick, 1)], rounds: 300)[quick, default: 0]
        #expect(Double(beside) > 0.9 * Double(alone), "\(beside) of \(alone)")
        #expect(crowded.running < 200, "\(crowded.running) are under way")
    }

    @Test func `a quick endpoint beside slow ones of its own merchant goes on`() {
        var places = WebhookPlaces()
        let slow = (1...19).map { (endpoint: Self.endpoint(1, $0), tenths: 140) }
        let quick = Self.endpoint(1, 20)
        let answered = Self.play(&places, slow + [(quick, 1)], rounds: 600)
        #expect(answered[quick, default: 0] > 500, "\(answered[quick, default: 0])")
    }

    @Test func `however many merchants are slow, half of the places are left to others`() {
        var places = WebhookPlaces()
        let slow = (1...200).flatMap { merchant in
            (1...5).map { (endpoint: Self.endpoint(Int32(merchant), $0), tenths: 140) }
        }
        _ = Self.play(&places, slow, rounds: 600)
        #expect(places.running <= 450, "\(places.running)")
        let quick = Self.endpoint(999, 1)
        #expect(places.share([WebhookBacklog(endpoint: quick, due: 5)], at: Self.at(600)) == [quick: 5])
    }

    @Test func `one that failed is tried by two, and grows again when it answers`() {
        var places = WebhookPlaces()
        let one = Self.endpoint(1, 1)
        places.begin(one, at: Self.at(0))
        places.end(one, begun: Self.at(0), .init(isFailed: true, time: .milliseconds(5)), at: Self.at(1))
        #expect(places.free(of: one) == 2)
        places.begin(one, at: Self.at(1))
        places.end(one, begun: Self.at(1), Self.quick, at: Self.at(2))
        #expect(places.free(of: one) == 3)
        places.begin(one, at: Self.at(2))
        places.end(one, begun: Self.at(2), nil, at: Self.at(3))
        #expect(places.free(of: one) == 3, "what says nothing of it changes nothing")
    }

    @Test func `what was under way together narrows once`() {
        var places = WebhookPlaces()
        let one = Self.endpoint(1, 1)
        for _ in 0..<8 { places.begin(one, at: Self.at(0)) }
        for _ in 0..<8 { places.end(one, begun: Self.at(0), Self.slow, at: Self.at(140)) }
        #expect(places.free(of: one) == 4)
        #expect(places.running == 0)
        places.keep([StreamName]())
        #expect(places.free(of: one) == 8, "who was not held is begun with anew")
    }
}
