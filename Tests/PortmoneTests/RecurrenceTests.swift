import Kernel
import Portmone
import ProviderKit
import Schedules
import Testing

struct RecurrenceTests {
    @Test func `a series is taken only where each of its payments is confirmed by its payer`() {
        let limits = Shop.adapter.recurrence(Shop.settings())
        #expect(!limits.unattended && limits.runners == [.paystream] && limits.kinds == Set(ScheduleKind.allCases))
        #expect(Shop.adapter.recurrence(Shop.settings([("methods", ["sdk"])])).kinds.isEmpty)
    }
}
