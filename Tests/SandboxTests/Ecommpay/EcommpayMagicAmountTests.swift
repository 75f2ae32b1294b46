import Kernel
import Sandbox
import Testing

/// What each magic amount leads to, with nobody clicking.
struct EcommpayMagicAmountTests {
    struct Row: Sendable {
        let magic: EcommpayMagicAmount
        let status: EcommpayPaymentStatus
        let kept: Int64
        var operation = "sale"
        var code: String?
    }

    static let rows: [Row] = [
        Row(magic: .approve, status: .success, kept: 7700, code: "0"),
        Row(magic: .noFunds, status: .decline, kept: 0, code: "10105"),
        Row(magic: .declined, status: .decline, kept: 0, code: "10000"),
        Row(magic: .doNotRetry, status: .decline, kept: 0, code: "10113"),
        Row(magic: .cardExpired, status: .decline, kept: 0, code: "10106"),
        Row(magic: .risk, status: .decline, kept: 0, code: "402"),
        Row(magic: .unknownCode, status: .decline, kept: 0, code: "77777"),
        Row(magic: .retryOpen, status: .awaitingCustomer, kept: 0, code: "10105"),
        Row(magic: .retryThenApprove, status: .success, kept: 7708, code: "0"),
        Row(magic: .challengeOpen, status: .awaiting3ds, kept: 0, code: "9999"),
        Row(magic: .challengePassed, status: .success, kept: 7711, code: "0"),
        Row(magic: .challengeFailed, status: .decline, kept: 0, code: "10104"),
        Row(magic: .clarificationOpen, status: .awaitingClarification, kept: 0),
        Row(magic: .clarified, status: .success, kept: 7721),
        Row(magic: .redirectOpen, status: .awaitingRedirect, kept: 0),
        Row(magic: .redirectPassed, status: .success, kept: 7731),
        Row(magic: .redirectFailed, status: .decline, kept: 0, code: "10000"),
        Row(magic: .customerActionOpen, status: .awaitingCustomerAction, kept: 0),
        Row(magic: .customerActionPassed, status: .success, kept: 7734),
        Row(magic: .externalProcessingOpen, status: .externalProcessing, kept: 0, code: "20899"),
        Row(magic: .externalProcessingPassed, status: .success, kept: 7736),
        Row(magic: .internalError, status: .internalError, kept: 0, code: "501"),
        Row(magic: .internalErrorThenSuccess, status: .success, kept: 7741),
        Row(magic: .externalError, status: .externalError, kept: 0, code: "501"),
        Row(magic: .declineThenSuccess, status: .success, kept: 7743),
        Row(magic: .unknownStatus, status: .unheardOf, kept: 0),
        Row(magic: .formError, status: .error, kept: 0),
        Row(magic: .expired, status: .expired, kept: 0),
        Row(magic: .duplicateCallbacks, status: .success, kept: 7760),
        Row(magic: .reorderedCallbacks, status: .success, kept: 7761),
        Row(magic: .withheldCallbacks, status: .success, kept: 7762),
        Row(magic: .wrongAmount, status: .success, kept: 7763),
        Row(magic: .forgedSignature, status: .success, kept: 7764),
        Row(magic: .lateCallbacks, status: .success, kept: 7765),
        Row(magic: .unknownStatusOnce, status: .success, kept: 7766),
        Row(magic: .slowAnswer, status: .success, kept: 7770),
        Row(magic: .lostAnswer, status: .success, kept: 7771),
        Row(magic: .errorAfter, status: .success, kept: 7772),
        Row(magic: .errorBefore, status: .success, kept: 7773),
        Row(magic: .htmlAnswer, status: .success, kept: 7774),
        Row(magic: .hugeAnswer, status: .success, kept: 7775),
        Row(magic: .followUpDeclined, status: .success, kept: 7776),
        Row(magic: .statusError, status: .success, kept: 7777),
        Row(magic: .dashboardCapture, status: .success, kept: 7780, operation: "auth"),
        Row(magic: .autoRelease, status: .cancelled, kept: 0, operation: "auth"),
        Row(magic: .dashboardRefund, status: .reversed, kept: 0),
        Row(magic: .dashboardHalfRefund, status: .partiallyRefunded, kept: 3892),
        Row(magic: .manualDecline, status: .decline, kept: 0),
    ]

    @Test func `every magic amount leads where the table says, just by opening the form`() {
        #expect(Set(EcommpayMagicAmountTests.rows.map(\.magic)) == Set(EcommpayMagicAmount.allCases))
        for row in EcommpayMagicAmountTests.rows {
            var driver = SimulatorDriver()
            driver.open("p", amount: row.magic.minor, [("operation_type", row.operation)])
            driver.settle()
            let payment = driver.payment("p")
            #expect(payment?.status == row.status, "\(row.magic)")
            #expect(driver.totals("p").kept == row.kept, "\(row.magic)")
            if let code = row.code { #expect(payment?.operations.last?.code == code, "\(row.magic)") }
        }
    }

    @Test func `ordinary amounts are not magic`() {
        for minor: Int64 in [1, 77, 1999, 7699, 7709, 7800, 17_699, 100_000] {
            #expect(EcommpayMagicAmount(Money(minor, SimulatorDriver.euro)) == nil, "\(minor)")
        }
        #expect(EcommpayMagicAmount(Money(1_237_711, SimulatorDriver.euro)) == .challengePassed)
    }

    @Test func `callbacks come twice, out of order, late or never, as the amount says`() {
        var twice = SimulatorDriver()
        twice.paid("p", amount: EcommpayMagicAmount.duplicateCallbacks.minor)
        #expect(twice.posted.count == 2)
        #expect(twice.posted[0].body == twice.posted[1].body)

        var swapped = SimulatorDriver()
        swapped.paid("p", amount: EcommpayMagicAmount.reorderedCallbacks.minor)
        #expect(
            swapped.story("p") == ["success | sale success", "awaiting 3ds result | sale awaiting 3ds result"]
        )

        var never = SimulatorDriver()
        never.paid("p", amount: EcommpayMagicAmount.withheldCallbacks.minor)
        never.pass(.seconds(86_400))
        #expect(never.posted.isEmpty)
        let id = never.simulator.callbacks.inOrder.first?.id ?? 0
        never.send("POST", "/sandbox/callbacks/\(id)/send")
        #expect(never.story("p") == ["success | sale success"], "a withheld callback can be sent by hand")

        var late = SimulatorDriver()
        late.open("p", amount: EcommpayMagicAmount.lateCallbacks.minor)
        late.pass(.seconds(3))
        #expect(late.posted.isEmpty)
        late.pass(.seconds(1))
        #expect(late.posted.count == 1)
    }

    @Test func `callbacks lie about the amount, the status or their origin, as the amount says`() throws {
        func only(_ magic: EcommpayMagicAmount) throws -> Json {
            var driver = SimulatorDriver()
            driver.paid("p", amount: magic.minor)
            return try Json(try #require(driver.posted.last).body)
        }
        let wrong = try only(.wrongAmount)
        #expect(wrong.at("operation", "sum_initial", "amount") == 7863)
        #expect(EcommpaySignature.check(wrong, key: SimulatorDriver.secret) == nil)
        #expect(EcommpaySignature.check(try only(.forgedSignature), key: SimulatorDriver.secret) == .mismatch)
        let unknown = try only(.unknownStatusOnce)
        #expect(unknown.at("payment", "status") == "quantum settlement")
        #expect(EcommpaySignature.check(unknown, key: SimulatorDriver.secret) == nil)
    }

    @Test func `the first refund meets the fault of the amount, and the effect is as the fault says`() {
        func refund(_ magic: EcommpayMagicAmount) -> (answer: SandboxAnswer, driver: SimulatorDriver) {
            var driver = SimulatorDriver()
            driver.paid("p", amount: magic.minor)
            let answer = driver.gate("refund", "p", [SimulatorDriver.sum(magic.minor, refundId: "r")])
            driver.settle()
            return (answer, driver)
        }
        #expect(refund(.slowAnswer).answer.delay == .seconds(3))
        #expect(refund(.lostAnswer).answer.fate == .lost)
        #expect(refund(.errorAfter).answer.status == 500)
        #expect(refund(.htmlAnswer).answer.html.hasPrefix("<!DOCTYPE html>"))
        #expect(refund(.hugeAnswer).answer.body == .filler(EcommpayFault.hugeBytes))
        for magic: EcommpayMagicAmount in [.slowAnswer, .lostAnswer, .errorAfter, .htmlAnswer, .hugeAnswer] {
            var driver = refund(magic).driver
            #expect(driver.totals("p").refunded == magic.minor, "\(magic)")
            let again = driver.gate("refund", "p", [SimulatorDriver.sum(magic.minor, refundId: "r")])
            #expect(again.code == "3230", "\(magic): the effect is known, and the fault is over")
        }
        var untouched = refund(.errorBefore)
        #expect(untouched.answer.status == 500)
        #expect(untouched.driver.totals("p").refunded == 0)
        let again = untouched.driver.gate("refund", "p", [SimulatorDriver.sum(7773, refundId: "r")])
        #expect(again.status == 200)
        let declined = refund(.followUpDeclined)
        #expect(declined.driver.story("p").last == "success | reversal decline")
        #expect(declined.driver.totals("p").refunded == 0)
        var status = SimulatorDriver()
        status.paid("p", amount: EcommpayMagicAmount.statusError.minor)
        #expect((0..<4).map { _ in status.gate("status", "p").status } == [500, 500, 500, 200])
    }
}
