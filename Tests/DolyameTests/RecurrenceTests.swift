import ProviderKit
import Schedules
import Testing

struct RecurrenceTests {
    @Test func `no schedule is taken: each order is an agreement of its own`() {
        let limits = Shop.adapter.recurrence(Shop.settings())
        #expect(limits.kinds.isEmpty && limits.runners.isEmpty && !limits.unattended)
    }
}
