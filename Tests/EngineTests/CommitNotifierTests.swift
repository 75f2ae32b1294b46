import Engine
import EventSourcing
import Kernel
import Testing

struct CommitNotifierTests {
    private let stream = StreamName(MerchantNumber(1), .payment, Uuid(high: 5, low: 1))
    private static let long = Duration.seconds(60)

    @Test func `what is committed while a reader looks is not waited for`() async {
        let notifier = CommitNotifier()
        let begun = ContinuousClock.now
        let found: Int? = await notifier.wait(for: stream, past: 1, atMost: Self.long) {
            notifier.committed(stream, version: 2, position: 2)
            return nil
        }
        #expect(found == nil, "the look came too early for it")
        #expect(begun.duration(to: .now) < Self.long / 2)
    }

    @Test func `a reader that finds it does not wait, and one that finds nothing waits for its time`() async {
        let notifier = CommitNotifier()
        #expect(await notifier.wait(for: stream, past: 1, atMost: Self.long) { 7 } == 7)
        let found: Int? = await notifier.wait(for: stream, past: 1, atMost: .milliseconds(1)) {
            notifier.committed(stream, version: 1, position: 1)
            return nil
        }
        #expect(found == nil)
    }
}
