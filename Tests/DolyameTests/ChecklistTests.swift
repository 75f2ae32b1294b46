import Conformance
import Dolyame
import Http
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

/// The checklist of new adapters, held against one that is whole.
struct ChecklistTests {
    private func sample(paid: [UInt8] = Shop.order("committed"), details: Json = Shop.plain)
        -> AdapterChecklist.Sample
    {
        var notification = HttpRequest(
            method: .post,
            target: "/",
            body: Array("{\"id\":\"a\",\"status\":\"new\"}".utf8)
        )
        notification.peerAddress = "91.194.226.250"
        return AdapterChecklist.Sample(
            adapter: Shop.adapter,
            settings: Shop.settings(),
            secrets: ["password": Secret("p"), "clientCertificate": Secret("c"), "clientKey": Secret("k")],
            terms: Shop.terms(details: details),
            order: ProviderOrder(id: Shop.reference, handover: ["link": "https://form.example/1"]),
            paid: paid,
            notification: notification,
            now: Shop.now
        )
    }

    @Test func `an adapter that is whole leaves no line open`() {
        #expect(AdapterChecklist(sample()).missing == [])
    }

    @Test func `a refused payment and an answer without money are lines`() {
        #expect(
            AdapterChecklist(sample(details: [:])).missing.contains { $0.hasPrefix("Details: the sample is refused") }
        )
        let waiting = AdapterChecklist(sample(paid: Shop.order("new"))).missing
        #expect(waiting == ["Messages: the answer for a paid payment tells of no money"])
    }
}
