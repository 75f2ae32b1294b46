import EventSourcing
import Kernel
import Payments
import Testing

struct ArrivalsStreamTests {
    private let account = Uuid(high: 1, low: 2)

    @Test func `an account and its arrivals have different stream ids`() {
        let arrivals = StreamName.arrivals(MerchantNumber(1), account: account)
        #expect(arrivals.kind == .arrivals && arrivals.id != account)
        #expect(arrivals == .arrivals(MerchantNumber(1), account: account))
        #expect(arrivals.id != StreamName.arrivals(MerchantNumber(1), account: Uuid(high: 1, low: 3)).id)
    }
}
