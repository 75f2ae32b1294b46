import EventSourcing
import Kernel
import Payments
import TestKit
import Testing

/// The whole table of states and commands, and of states and kinds of evidence.
struct PaymentTableTests {
    /// A payment in the status, made by commands and evidence.
    private func story(in status: PaymentStatus) throws -> Story {
        let dispute = DisputeId(Samples.uuid(0xD))
        func opened(_ stage: Dispute.Stage) -> PaymentCommand {
            .recordDispute(id: dispute, capture: nil, amount: .cents(1999), stage: stage, reason: nil)
        }
        switch status {
        case .created:
            var story = Story()
            var decision = try story.payment.decide(.create(Samples.terms(.sale)), story.context())
            decision.dispatches = []
            story.apply(decision)
            return story
        case .requiresAction: return try Story(.sale)
        case .processing: return try seeing(.sale, Samples.seen("s1", .sale, .processing))
        case .indeterminate: return try seeing(.sale, Samples.seen("s1", .sale, .ambiguous))
        case .authorized: return try seeing(.authorize, Samples.seen("a1", .authorize))
        case .partiallyCaptured:
            return try seeing(.authorize, Samples.seen("a1", .authorize), Samples.seen("c1", .capture, .succeeded, 999))
        case .captured: return try seeing(.sale, Samples.seen("s1", .sale))
        case .partiallyRefunded:
            return try seeing(.sale, Samples.seen("s1", .sale), Samples.seen("r1", .refund, .succeeded, 999))
        case .refunded: return try seeing(.sale, Samples.seen("s1", .sale), Samples.seen("r1", .refund))
        case .disputed:
            var story = try seeing(.sale, Samples.seen("s1", .sale))
            try story.command(opened(.opened))
            return story
        case .chargedBack:
            var story = try self.story(in: .disputed)
            try story.command(opened(.lost))
            return story
        case .voided:
            var story = try seeing(.authorize, Samples.seen("a1", .authorize))
            try story.command(.void(amount: nil, reason: nil))
            story.see(Samples.seen("v1", .void))
            return story
        case .released: return try seeing(.authorize, Samples.seen("a1", .authorize), Samples.seen("v1", .void))
        case .verified: return try seeing(.verify, Samples.seen("v1", .verify, .succeeded, 0))
        case .tokenized: return try seeing(.tokenize, Samples.seen("t1", .tokenize, .succeeded, nil))
        case .transferred:
            var story = Story(Samples.capabilities(transfers: [.sdk]))
            try story.command(.create(Samples.terms(.transfer, method: .sdk)))
            story.see(Samples.seen("x1", .transfer))
            return story
        case .failed: return try closed(.declined(Samples.decline))
        case .expired: return try closed(.expired)
        }
    }

    private func seeing(_ mode: PaymentMode, _ operations: ProviderOperation...) throws -> Story {
        var story = try Story(mode)
        for operation in operations { story.see(operation) }
        return story
    }

    private func closed(_ ending: AttemptEnding) throws -> Story {
        var story = try Story(.sale)
        story.observe(.attempt(.closed(ending)))
        return story
    }

    private func command(_ name: PaymentCommand.Name, _ payment: Payment) -> PaymentCommand {
        switch name {
        case .create: .create(Samples.terms(.sale))
        case .adopt:
            .adopt(
                Samples.terms(.sale),
                SeriesDebit(payment: "s-1", series: "7", amount: .cents(1999), outcome: .succeeded, at: nil)
            )
        case .confirm: .confirm(meaning: "success", code: "0")
        case .capture: .capture(amount: nil, reason: nil)
        case .void: .void(amount: nil, reason: nil)
        case .refund: .refund(amount: nil, capture: nil, reason: nil)
        case .completeDelivery: .completeDelivery()
        case .sync: .sync
        case .recordDispute:
            .recordDispute(
                id: DisputeId(Samples.uuid(0xE)),
                capture: nil,
                amount: .cents(500),
                stage: .opened,
                reason: nil
            )
        case .addEvidence: .addEvidence("statement 27")
        case .propose: .propose(.attemptDead, evidence: "e-mail", seenVersion: payment.version)
        case .approve: .approve(proposal: Samples.uuid(0xF), seenVersion: payment.version)
        }
    }

    private func evidence(_ kind: OperationKind) -> ProviderOperation {
        Samples.seen("new", kind, .succeeded, kind == .verify ? 0 : kind == .tokenize ? nil : 100, at: 500)
    }

    /// What a decision comes to, on one line.
    private func outcome(_ story: Story) -> String {
        let events = story.last.events.map(\.name.rawValue)
        let messages = story.last.dispatches.map { request in
            "ask \(request.planned.purpose.text)" + (request.planned.amount.map { " \($0)" } ?? "")
                + (request.planned.isFull ? " full" : "")
        }
        let done = events + messages
        return (done.isEmpty ? "nothing" : done.joined(separator: ", ")) + " → \(story.payment.status.rawValue)"
    }

    @Test func `the table of states and commands is as it stands in the golden file`() throws {
        var lines = ["# status × command: events and messages → status, or the refusal. UPDATE_GOLDEN=1 writes it."]
        for status in PaymentStatus.allCases {
            lines.append("")
            for name in PaymentCommand.Name.allCases {
                var story = try story(in: status)
                #expect(story.payment.status == status)
                story.wait(30)
                story.actor = Story.alice
                let command = command(name, story.payment)
                let code = refusal { () throws(Rejection) in try story.command(command) }
                lines.append("\(status.rawValue) × \(name.rawValue): \(code.map { "refused \($0)" } ?? outcome(story))")
            }
        }
        #expect(GoldenFile("payment-table.txt", source: goldenSource).difference(from: lines.lined) == nil)
    }

    @Test func `the table of states and late evidence is as it stands in the golden file`() throws {
        var lines = ["# status × success of a new provider operation: events and messages → status."]
        for status in PaymentStatus.allCases {
            lines.append("")
            for kind in OperationKind.allCases {
                var story = try story(in: status)
                story.wait(1000)
                story.see(evidence(kind))
                lines.append("\(status.rawValue) × \(kind.rawValue): \(outcome(story))")
            }
        }
        #expect(GoldenFile("payment-evidence.txt", source: goldenSource).difference(from: lines.lined) == nil)
    }

    @Test func `what every status owes is as it stands in the golden file`() throws {
        var lines = ["# status: kind, owner, next step, reason of each obligation."]
        for status in PaymentStatus.allCases {
            let owed = try story(in: status).obligations.map {
                "\($0.kind.rawValue) \($0.owner.rawValue) \($0.step.rawValue) \($0.reason)"
            }
            lines.append("\(status.rawValue): \(owed.isEmpty ? "nothing" : owed.joined(separator: "; "))")
        }
        #expect(GoldenFile("payment-obligations.txt", source: goldenSource).difference(from: lines.lined) == nil)
    }

    /// A source path one folder up, so that golden files lie in `PaymentsTests/Golden`.
    private let goldenSource = Samples.source
}

extension [String] {
    var lined: String { joined(separator: "\n") + "\n" }
}
