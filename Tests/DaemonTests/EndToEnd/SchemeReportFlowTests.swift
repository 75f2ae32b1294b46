import Http
import Kernel
import SystemKit
import TestKit
import Testing

/// The turnover by the scheme of the card, as it comes out of real lifecycles: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SchemeReportFlowTests {
    @Test func `movements know the card's scheme, and a log of before it is read as it was written`() async throws {
        try await Stage.run("schemes") { stage, daemon in
            let sold = try await stage.paid(daemon, "sold", 7700)
            try await stage.call(daemon, .post, "/v1/payments/\(sold)/refund", ["amount": Stage.euros(700)], key: "r")
            try await stage.booked("captured", 1)
            try await stage.booked("refunded", 1)
            let rows = try await stage.report(daemon, "schemes")
            let row = try #require(rows.first)
            let scheme = try #require(row["scheme"]?.text)
            #expect(rows.count == 1 && ["visa", "mastercard"].contains(scheme), "\(rows)")
            #expect(row["captured"] == 7700 && row["refunded"] == 700 && row["net"] == 7000)
            let words = ["report", "schemes", "--mode", "test", "--format"]
            #expect(try Json(text: try await stage.command(words + ["json"]))["rows"]?.items == rows)
            let csv = try await stage.command(words + ["csv"])
            #expect(csv.contains("scheme") && csv.contains(",\(scheme),"), "\(csv)")
            let book = try await stage.exchange(daemon, .get, "/v1/reports/schemes?mode=test&format=xlsx")
            #expect(book.status == 200 && Array(book.body.prefix(2)) == Array("PK".utf8))
            let between = try await stage.report(daemon, "schemes", "&compare=0")
            #expect(between.allSatisfy { $0["scheme"]?.text == scheme } && between.count == 2, "\(between)")
            for view in ["paystream.movements", "reporting.movements"] {
                let told = try await stage.text(
                    "SELECT DISTINCT coalesce(scheme, '-') FROM \(view) WHERE movement = 'captured'"
                )
                #expect(told == scheme, "\(view)")
            }

            // As a program of before wrote it.
            try await stage.execute(
                """
                UPDATE paystream.event SET data = (data::jsonb - 'scheme')::json WHERE type = 'payment.method_reported.v1'
                """
            )
            try await stage.execute(
                """
                UPDATE paystream.event SET data = (data::jsonb #- '{fact,scheme}')::json WHERE type = 'payment.instrument_saved.v1'
                """
            )
            try await stage.command(["projections", "rebuild", "--fresh", "--swap", "movement"])
            let before = try await stage.report(daemon, "schemes")
            #expect(before.map { $0["scheme"] } == [""] && before.first?["net"] == 7000, "\(before)")
            try await stage.verifyViews()
        }
    }

    @Test(arguments: ["sberpay", "worldline", "portmone"])
    func `other providers name it in their answers, too`(_ provider: String) async throws {
        try await Stage.run("schemes\(provider)") { stage, daemon in
            let sold: String
            switch provider {
            case "sberpay":
                try await stage.addSberPay(daemon, "ecom")
                sold = try await stage.sberPay(daemon, "sold", 19900, at: "ecom")
                try await stage.press(daemon, sold, ["approve"])
            case "worldline":
                try await stage.addWorldline(daemon)
                sold = try await stage.worldline(daemon, "sold", 1000)
                try await stage.pressWorldline(daemon, sold, ["approve"])
            default:
                try await stage.addPortmone(daemon)
                sold = try await stage.portmone(daemon, "sold", 1000)
                try await stage.press(daemon, sold, ["approve"])
            }
            try await stage.wait(daemon, sold, for: "captured")
            try await stage.booked("captured", 1)
            let scheme = try await stage.text(
                "SELECT coalesce(scheme, '-') FROM paystream.movements WHERE movement = 'captured'"
            )
            #expect(["mir", "visa", "mastercard"].contains(scheme), "\(scheme)")
        }
    }
}
