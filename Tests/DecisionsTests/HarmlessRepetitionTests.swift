import Decisions
import EventSourcing
import Kernel
import Payments
import Schedules
import Testing

/// What may be said twice, as the end of a series: its licences are judged, too.
struct HarmlessRepetitionTests {
    private let effect = Uuid(high: 0xEFFE, low: 1)
    private let start = Timestamp(seconds: 1_800_000_000)

    /// What the book says of a request to end a series whose answers were these, each with its licence.
    private func series(
        _ outcomes: [SeriesOutcome],
        marks: [Int32],
        unsent: Set<Uuid> = []
    ) throws -> [LicenseBreach.Rule] {
        let stream = StreamName(MerchantNumber(1), .schedule, Uuid(high: 1, low: 2))
        var book = LicenseBook(stream)
        var position: Int64 = 0
        func take(_ event: ScheduleEvent, cause: UInt64) throws {
            position += 1
            try book.take(
                RecordedEvent(
                    stream: stream,
                    version: Int32(position),
                    position: position,
                    type: event.draft.type,
                    cause: Uuid(high: 0xCA, low: cause),
                    recordedAt: start,
                    data: event.draft.data
                )
            )
        }
        for (number, outcome) in outcomes.enumerated() {
            let ordinal = Int32(number) + 1
            let license = SeriesLicense(
                .cancel,
                MessageLicense(
                    effect: EffectId(effect),
                    ordinal: ordinal,
                    templateDigest: "aa",
                    account: Uuid(high: 0xACC0, low: 1),
                    accountVersion: 1,
                    adapterVersion: 1,
                    licensedAt: start,
                    sendBefore: start.adding(.seconds(600))
                )
            )
            try take(.requestLicensed(license), cause: 0)
            try take(
                .requestObserved(EffectId(effect), ordinal: ordinal, outcome, at: start),
                cause: UInt64(ordinal)
            )
        }
        let set = marks.map { ordinal in
            SendingMark(stream: stream, effect: effect, ordinal: ordinal, fence: 1, at: start)
        }
        let needed = Set(book.doubtful(set)).intersection(unsent)
        return book.breaches(
            marks: set,
            rows: [],
            closed: [],
            terms: [],
            marked: .epoch,
            unsent: needed,
            now: start
        )
        .map(\.rule)
    }

    @Test func `what does no harm twice is repeated only while nobody knows, and needs its mark`() throws {
        let lost = SeriesOutcome.unknown(reason: "deadline")
        #expect(try series([lost, lost, .done], marks: [1, 2, 3]).isEmpty)
        #expect(try series([.done, .done], marks: [1, 2]) == [.groundless])
        #expect(try series([lost, .done], marks: [2]) == [.unmarked])
        #expect(try series([.done], marks: []) == [.unmarked])
        // The input tells that the first message never left.
        #expect(try series([lost, .done], marks: [2], unsent: [Uuid(high: 0xCA, low: 1)]).isEmpty)
    }
}
