import Http
import Kernel
import Projections
import Testing

/// Reports as they are asked for.
struct ReportRouteTests {
    @Test func `a merchant makes one report at a time`() async throws {
        try await ApiHarness.run { api throws in
            api.switches.areReportsHeld = true
            async let first = api.get("/v1/reports/turnover").status
            async let second = api.get("/v1/reports/balance").status
            // One of the two is refused while the other is being made.
            try await Task.sleep(for: .milliseconds(100))
            api.switches.areReportsHeld = false
            #expect(try await [first, second].sorted() == [200, 429])
            for report in Report.all {
                #expect(try await api.get("/v1/reports/\(report.name)").status == 200, "its place is free again")
            }
        }
    }
}
