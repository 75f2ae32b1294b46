import EventSourcing
import Kernel
import TestKit
import Testing

struct StreamNameTests {
    private func name(_ merchant: Int32, _ kind: StreamKind, _ low: UInt64) -> StreamName {
        StreamName(MerchantNumber(merchant), kind, Uuid(high: 0, low: low))
    }

    @Test func `rows are locked in the order of merchant and id, whatever the kind`() {
        let sorted = [name(1, .transfer, 1), name(1, .payment, 2), name(2, .payment, 1)]
        var random = SplitMix64(seed: 13)
        #expect(sorted.shuffled(using: &random).sorted() == sorted)
    }

    /// PostgreSQL compares `uuid` values as unsigned bytes; a different order here would deadlock.
    @Test func `ids are ordered as the database orders them`() throws {
        try forAll(runs: 200, seed: 1) { random in
            let (one, two) = (Uuid(high: random.next(), low: 0), Uuid(high: random.next(), low: 0))
            #expect((one < two) == one.bytes.lexicographicallyPrecedes(two.bytes))
        }
        #expect(
            Uuid(high: 1 << 63, low: 0) > Uuid(high: 1, low: 0) && Uuid(high: 0, low: 1 << 63) > Uuid(high: 0, low: 1)
        )
    }

    @Test func `a name is written with merchant, kind and id`() {
        #expect(name(7, .payment, 1).description == "7/payment/00000000-0000-0000-0000-000000000001")
    }
}
