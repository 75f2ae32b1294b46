import Kernel
import Sandbox
import TestKit
import Testing

/// Money is neither made nor lost, whatever happens in whatever order.
struct SandboxLedgerTests {
    @Test func `any order of anything keeps the ledger sound and the statuses true to it`() throws {
        try forAll(runs: 300, seed: 20_260_302) { random in
            var driver = SimulatorDriver { project in
                project.captures = Bool.random(using: &random) ? .single : .several
                project.reversals = EcommpayProject.Reversals.allCases.randomElement(using: &random) ?? .never
            }
            let ids = ["a", "b"]
            for id in ids {
                let operation = Bool.random(using: &random) ? "sale" : "auth"
                driver.open(id, amount: Int64.random(in: 1...7000, using: &random), [("operation_type", operation)])
            }
            for _ in 0..<40 {
                anything(ids.randomElement(using: &random) ?? "a", &driver, &random)
                for id in ids { try check(id, driver) }
            }
        }
    }

    private func anything(_ id: String, _ driver: inout SimulatorDriver, _ random: inout SplitMix64) {
        let amount = Int64.random(in: 1...3000, using: &random)
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1:
            let step = EcommpayStep.allCases.randomElement(using: &random) ?? .approve
            driver.play(id, step.rawValue)
        case 2: driver.gate("card/capture", id, [SimulatorDriver.sum(amount)])
        case 3: driver.gate("card/cancel", id, Bool.random(using: &random) ? [] : [SimulatorDriver.sum(amount)])
        case 4: driver.gate("refund", id, [SimulatorDriver.sum(amount, refundId: "r\(amount % 7)")])
        case 5:
            let actions = ["capture", "cancel", "refund", "auto_release", "refund_reverse", "manual_decline"]
            let body = Json.compact([("action", .string(actions.randomElement(using: &random) ?? "refund"))])
            driver.send("POST", "/sandbox/payments/42/\(id)/dashboard", body: body.compactBytes)
        case 6:
            driver.replies.append([.status(500), .noAnswer, .status(200)].randomElement(using: &random) ?? .noAnswer)
        default: driver.pass(.milliseconds(Int64.random(in: 0...400, using: &random)))
        }
    }

    private struct Broken: Error { let what: String }

    private func check(_ id: String, _ driver: SimulatorDriver) throws {
        let totals = driver.totals(id)
        guard totals.isSound else { throw Broken(what: "\(id) is unsound: \(totals)") }
        guard let payment = driver.payment(id) else {
            guard totals.held == 0, totals.captured == 0 else { throw Broken(what: "money without a payment") }
            return
        }
        // What the operations say is what the entries say.
        func sum(_ types: [EcommpayOperationType]) -> Int64 {
            payment.operations.filter { types.contains($0.type) && $0.status == .success }
                .reduce(0) { $0 + $1.amount.minor }
        }
        let hasManualChange = payment.operations.contains { $0.type == .manualChange && $0.status != .processing }
        guard sum([.sale, .capture]) == totals.captured, sum([.auth]) == totals.held else {
            throw Broken(what: "operations and entries differ: \(totals)")
        }
        if !hasManualChange {
            guard sum([.refund, .reversal]) - sum([.refundReverse]) == totals.refunded else {
                throw Broken(what: "refunds differ: \(totals)")
            }
        }
        switch payment.rest {
        case .refunded, .reversed: guard totals.kept == 0 else { throw Broken(what: "refunded but kept") }
        case .awaitingCapture: guard totals.reserved > 0 else { throw Broken(what: "nothing to capture") }
        case .cancelled, .canceled: guard totals.reserved == 0 else { throw Broken(what: "cancelled but held") }
        case .success: guard totals.kept > 0 else { throw Broken(what: "success without money") }
        case .partiallyRefunded, .partiallyReversed:
            guard totals.kept > 0, totals.refunded > 0 else { throw Broken(what: "not partially refunded") }
        case .processing, .externalProcessing, .awaiting3ds, .awaitingRedirect, .awaitingCustomer,
            .awaitingCustomerAction, .awaitingClarification, .decline, .error, .internalError, .externalError,
            .expired, .unheardOf:
            guard totals.kept == 0 else { throw Broken(what: "money in \(payment.rest)") }
        }
    }

    @Test func `the same inputs give the same state, actions and identifiers`() {
        func run() -> (SimulatorDriver, [SandboxDelivery]) {
            var driver = SimulatorDriver()
            driver.paid("a", operation: "auth")
            driver.gate("card/capture", "a", [SimulatorDriver.sum(5)])
            driver.open("b", amount: EcommpayMagicAmount.challengePassed.minor)
            driver.settle()
            return (driver, driver.posted)
        }
        let first = run()
        let second = run()
        #expect(first.1 == second.1)
        #expect(first.0.simulator.payments == second.0.simulator.payments)
        #expect(first.0.simulator.ledger == second.0.simulator.ledger)
    }
}
