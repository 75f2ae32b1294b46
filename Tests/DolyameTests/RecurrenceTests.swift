import ProviderKit
import Testing

struct RecurrenceTests {
    @Test func `no schedule is taken: each order is an agreement of its own`() {
        let adapter: any Adapter = Shop.adapter
        #expect(adapter.recurring == nil && adapter.series == nil)
    }
}
