import Http
import Payments
import Testing

struct DispatchReasonTests {
    @Test func `stored words come back as they were`() {
        for text in [
            "", "unreachable", "unreachable: deadline", "unreachable: throttled 1 s", "unreachable: vetoed", "expired",
            "secretLost", "sender vanished", "cancelled", "stopped", "unreadable: status",
            "unreadable answer, HTTP 200",
            "vanished: 7 of capture", "money_without_operation: 5.00 EUR", "amount: 1", "plan: x", "insecure",
            "HTTP 500",
        ] {
            #expect(DispatchReason(text).text == text)
        }
    }

    @Test func `each word means what is decided by it`() {
        #expect(DispatchReason("unreachable: deadline") == .unreachable(": deadline"))
        #expect(DispatchReason("unreachable: overloaded") == .keptBack(.overloaded))
        #expect(DispatchReason("plan: account_unknown") == .misconfigured("plan: account_unknown"))
        #expect(DispatchReason("sender vanished") == .senderVanished)
        #expect(DispatchReason("unreadable: status") == .unreadable("status"))
        #expect(DispatchReason("vanished: 7") == .gap(.vanished, "7"))
        #expect(DispatchReason("amount: 7") == .other("amount: 7"))
        for kept in DispatchReason.KeptBack.allCases { #expect(NotSentReason(rawValue: kept.rawValue) != nil) }
        #expect(DispatchReason(NoAnswerReason.cancelled.rawValue) == .cancelled)
        #expect(DispatchReason(NoAnswerReason.stopped.rawValue) == .stopped)
    }

    @Test func `a refusal means the credential where its code says so`() {
        for code in Rejection.Code.allCases where code.rawValue.hasPrefix("instrument") {
            #expect(code.meaning == .credential)
        }
        #expect(Rejection.Code.mandateEnded.meaning == .credential)
        #expect(Rejection.Code.mandateTooSoon.meaning == .tooSoon)
        #expect(Rejection.Code.accountClosed.meaning == .command)
    }
}
