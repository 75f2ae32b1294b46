import Ecommpay
import Kernel
import Payments
import ProviderKit
import TestKit
import Testing

struct StatesTests {
    private func operation(
        _ id: String,
        _ kind: OperationKind,
        _ outcome: ProviderOutcome,
        _ minor: Int64 = 1999,
        at: Int64 = 0
    ) -> Fact {
        .operation(
            ProviderOperation(
                providerId: id,
                kind: kind,
                outcome: outcome,
                amount: EvidenceAmount(Shop.euro(minor)),
                createdAt: Timestamp(seconds: at)
            )
        )
    }

    private let declined = ProviderOutcome.declined(Decline(reason: .soft, code: "100", tableVersion: 1))

    @Test func `a hold, its capture and refunds follow the amounts`() {
        var view = EcommpayStates.view()
        var states: [ProviderState] = []
        for fact in [
            operation("1", .authorize, .waiting(.threeDSecure)), operation("1", .authorize, .succeeded),
            operation("2", .void, .succeeded, 499), operation("3", .capture, .succeeded, 1500),
            operation("4", .refund, .processing, 500), operation("4", .refund, .succeeded, 500),
            operation("5", .refund, .succeeded, 1000), operation("6", .refundReversal, .succeeded, 1000),
        ] {
            #expect(view.apply([fact]) == [])
            states.append(view.state)
        }
        #expect(states == [.waiting, .held, .held, .captured, .captured, .partlyReturned, .returned, .partlyReturned])
        #expect(view.authorized == 1500)
        #expect(view.captured == 1500)
        #expect(view.refunded == 500)
    }

    @Test func `a declined try in an open form is no failure and a newer try decides`() {
        let retry = Fact.attempt(.reading(.waiting(.retryInForm(attemptsLeft: nil, seconds: 600))))
        var view = EcommpayStates.view()
        _ = view.apply([operation("1", .sale, declined, at: 1), retry])
        #expect(view.state == .waiting)
        _ = view.apply([operation("2", .sale, .processing, at: 2)])
        #expect(view.state == .processing)
        _ = view.apply([operation("1", .sale, declined, at: 1), retry])
        #expect(view.state == .processing)
        _ = view.apply([operation("2", .sale, .succeeded, at: 2)])
        #expect(view.state == .captured)
    }

    @Test func `a late success after a final decline is legal`() {
        var view = EcommpayStates.view()
        _ = view.apply([operation("1", .sale, declined), .attempt(.closed(.expired))])
        #expect(view.state == .lapsed)
        #expect(view.apply([operation("2", .sale, .succeeded, at: 5)]) == [])
        #expect(view.state == .captured)
    }

    @Test func `a capture after the hold was released is contradictory`() {
        var view = EcommpayStates.view()
        _ = view.apply([operation("1", .authorize, .succeeded)])
        _ = view.apply([operation("2", .void, .succeeded)])
        #expect(view.state == .released)
        #expect(view.apply([operation("3", .capture, .succeeded)]).map(\.kind) == [.outcome])
    }

    @Test func `two claims about one operation are contradictory`() {
        var view = EcommpayStates.view()
        _ = view.apply([operation("1", .sale, .succeeded)])
        #expect(view.apply([operation("1", .sale, .succeeded, 5)]).map(\.kind) == [.amount])
        #expect(view.apply([operation("1", .sale, declined)]).contains { $0.kind == .outcome })
        #expect(view.state == .captured)
    }

    @Test func `any order of messages ends in the same sums and operations`() throws {
        let facts = [
            operation("1", .authorize, .waiting(.threeDSecure), at: 1), operation("1", .authorize, .processing, at: 1),
            operation("1", .authorize, .succeeded, at: 1), operation("2", .capture, .processing, 1500, at: 2),
            operation("2", .capture, .succeeded, 1500, at: 2), operation("3", .refund, declined, 300, at: 3),
            operation("4", .refund, .succeeded, 200, at: 4), operation("4", .refund, .processing, 200, at: 4),
        ]
        try forAll(runs: 200, seed: 5) { random in
            var view = EcommpayStates.view()
            for fact in (facts + facts.shuffled(using: &random).prefix(3)).shuffled(using: &random) {
                _ = view.apply([fact])
            }
            #expect(view.state == .partlyReturned)
            #expect([view.authorized, view.captured, view.refunded] == [1999, 1500, 200])
            #expect(view.operations.count == 4)
        }
    }

    @Test func `every state has a word and every word a state`() {
        let words = Set(ProviderState.allCases.map(ProviderReading.init))
        #expect(words == Set(ProviderReading.allCases))
        for word in ProviderReading.allCases { #expect(ProviderReading(word.state) == word) }
    }

    /// With `UPDATE_GOLDEN=1` the document's diagram is written instead of compared.
    @Test func `the diagram in the document is the adapter's`() throws {
        let source = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        let path = source.joined(separator: "/") + "/docs/providers/ecommpay.md"
        let document = String(decoding: try FileBytes.read(path), as: UTF8.self)
        let parts = document.split(separator: "```mermaid\n", maxSplits: 1, omittingEmptySubsequences: false)
        let tail = try #require(parts.count == 2 ? parts[1].firstRange(of: "```") : nil)
        let diagram = Shop.adapter.states.mermaid
        if environment("UPDATE_GOLDEN") == "1" {
            let text = "\(parts[0])```mermaid\n\(diagram)\(parts[1][tail.lowerBound...])"
            try FileBytes.write(Array(text.utf8), to: path)
        } else {
            let shown = String(parts[1][..<tail.lowerBound])
            #expect(shown == diagram)
        }
    }
}
