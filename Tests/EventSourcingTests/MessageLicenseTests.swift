import EventSourcing
import Kernel
import Testing

/// Licences of messages that may be said twice.
struct MessageLicenseTests {
    private let first = MessageLicense(
        effect: EffectId(Uuid(high: 1, low: 2)),
        ordinal: 1,
        templateDigest: "00",
        account: Uuid(high: 1, low: 3),
        accountVersion: 2,
        adapterVersion: 4,
        licensedAt: .epoch,
        sendBefore: Timestamp.epoch.adding(MessageLicense.window)
    )

    @Test func `each further try waits twice as long as the one before, up to the tenth`() {
        let repetition = Repetition(tries: 5, firstPause: 10)
        let pauses = [1, 2, 3, 10, 11, 40].map { repetition.pause(after: $0) }
        #expect(pauses == [10, 20, 40, 5120, 5120, 5120].map { Duration.seconds($0) })
    }

    @Test func `the next licence says the same, and its window begins behind the pause`() {
        let now = Timestamp.epoch.adding(.seconds(100))
        let repetition = Repetition(tries: 5, firstPause: 10)
        let next = first.next(at: .epoch, repetition).next(at: now, repetition)
        #expect(next.ordinal == 3 && next.effect == first.effect && next.templateDigest == first.templateDigest)
        #expect(next.licensedAt == now)
        #expect(next.sendBefore == now.adding(.seconds(20)).adding(MessageLicense.window))
    }
}
