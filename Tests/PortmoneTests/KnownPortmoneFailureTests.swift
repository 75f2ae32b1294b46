import Kernel
import Payments
import Portmone
import ProviderKit
import Testing

/// What Portmone's words hide, as its reference tells.
struct KnownPortmoneFailureTests {
    private func operations(_ facts: [Fact]) -> [ProviderOperation] {
        facts.compactMap { if case .operation(let operation) = $0 { operation } else { nil } }
    }

    @Test func `portmone: the history tells a released hold from a decline, PAYED stays, and a refund is another row`()
    {
        let rejected = Shop.row("REJECTED")
        var declined = PortmoneStates.view()
        _ = declined.apply(Shop.query([rejected], Shop.context(.authorize)))
        #expect(declined.state == .declined)
        let held = [Shop.seen(.authorize)]
        var released = PortmoneStates.view()
        _ = released.apply([.operation(held[0])])
        _ = released.apply(Shop.query([rejected], Shop.context(.authorize, known: held)))
        #expect(released.state == .released)
        var paid = PortmoneStates.view()
        let rows = [Shop.row("PAYED", "50"), Shop.row("RETURN", "-9", id: "502")]
        for told in [[rows[0]], rows, rows.reversed(), [rows[0]]] { _ = paid.apply(Shop.query(told)) }
        #expect([paid.captured, paid.refunded] == [5000, 900])
    }
}
