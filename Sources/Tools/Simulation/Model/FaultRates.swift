/// How often what goes wrong, each in so many of a thousand.
package struct FaultRates: Hashable, Sendable {
    // The wire.
    package var notSent = 40
    package var lostBefore = 40
    package var lostAfter = 60
    package var brokenAnswer = 30
    package var slowCall = 40
    package var straggler = 20
    /// A refusal that nobody could foresee.
    package var refusal = 40
    package var staleQuestion = 150
    /// A question that is answered by an error; over the real wire formats alone.
    package var failedQuestion = 0
    /// A repetition under a known key that is turned away, whatever became of the first request.
    package var refusedRepetition = 200
    // Notifications.
    package var lostNotification = 150
    package var doubledNotification = 100
    package var lateNotification = 150
    package var forgedNotification = 20
    // Our own house, per call of the store.
    package var crash = 2
    package var storeAway = 2
    package var lostCommit = 3
    package var interleaving = 40
    // A payment.
    package var dashboard = 150
    package var outage = 200
    package var retriedKey = 200
    package var cancellation = 100
    package var lostTail = 200
    // A subscriber.
    package var removal = 300
    package var pause = 200

    package init() {}

    package static let usual = FaultRates()

    /// For worlds over the real wire formats, where one node lives at a time.
    package static let overRealWires: FaultRates = {
        var rates = FaultRates()
        (rates.lostAfter, rates.brokenAnswer, rates.straggler, rates.refusal) = (120, 60, 30, 60)
        (rates.refusedRepetition, rates.staleQuestion, rates.failedQuestion) = (400, 400, 100)
        (rates.crash, rates.storeAway, rates.lostCommit) = (4, 4, 6)
        (rates.cancellation, rates.retriedKey) = (300, 200)
        return rates
    }()

    /// Nothing goes wrong.
    package static let none: FaultRates = {
        var rates = FaultRates()
        (rates.notSent, rates.lostBefore, rates.lostAfter, rates.brokenAnswer) = (0, 0, 0, 0)
        (rates.slowCall, rates.straggler, rates.refusal, rates.staleQuestion) = (0, 0, 0, 0)
        (rates.lostNotification, rates.doubledNotification, rates.lateNotification) = (0, 0, 0)
        (rates.forgedNotification, rates.crash, rates.storeAway, rates.lostCommit) = (0, 0, 0, 0)
        (rates.interleaving, rates.dashboard, rates.outage, rates.retriedKey) = (0, 0, 0, 0)
        (rates.cancellation, rates.lostTail, rates.refusedRepetition) = (0, 0, 0)
        (rates.failedQuestion, rates.removal, rates.pause) = (0, 0, 0)
        return rates
    }()
}
