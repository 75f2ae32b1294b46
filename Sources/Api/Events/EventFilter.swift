import EventSourcing
import Http
import Kernel
import Projections
import Schedules

/// Reads which events are asked for.
enum EventFilter {
    /// Bytes of a list of types at most.
    static let typesBytes = 1024

    /// The names that a list of types stands for, as in `payment.*,refund.succeeded`; `nil` for all.
    ///
    /// A word that stands for none is refused, and the known ones are named.
    static func types(_ text: String) throws(Problem) -> [String] {
        var found: Set<String> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            let named = PublicEventType.all.filter { type in
                word.hasSuffix(".*") ? type.family == word.dropLast(2) : type.name == word
            }
            guard !named.isEmpty else {
                throw Problem(
                    .wordUnknown,
                    "'\(word)' names no type of events.",
                    path: "types",
                    members: [("known", .array(PublicEventType.all.map { .string($0.name) }))]
                )
            }
            found.formUnion(named.map(\.name))
        }
        return found.sorted()
    }

    /// The stream of a resource by its id, as in `pay_…`.
    static func stream(_ text: String, _ merchant: MerchantNumber) throws(Problem) -> StreamName {
        if let id = PaymentId(text) { return StreamName(merchant, .payment, id.uuid) }
        if let id = TransferId(text) { return StreamName(merchant, .transfer, id.uuid) }
        if let id = InstrumentId(text) { return StreamName(merchant, .instrument, id.uuid) }
        if let id = ScheduleId(text) { return StreamName(merchant, .schedule, id.uuid) }
        if let id = BillBatchId(text) { return StreamName(merchant, .billBatch, id.uuid) }
        throw Problem(
            .identifierMalformed,
            "A resource is named by its id, as in pay_…, trf_…, ins_…, sch_… or bat_….",
            path: "resource"
        )
    }
}
