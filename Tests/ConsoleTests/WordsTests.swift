import Api
import Console
import EventSourcing
import Kernel
import Payments
import Projections
import Schedules
import Testing

/// Every word of the API that a page may meet has texts.
struct WordsTests {
    private static func lacking(_ words: [String: Text], _ values: [String]) -> [String] {
        values.filter { words[$0] == nil }
    }

    @Test func `each value that there is has a word`() {
        #expect(Self.lacking(Words.status, PaymentStatus.allCases.map(\.rawValue)).isEmpty)
        #expect(Set(Words.statusOrder) == Set(PaymentStatus.allCases.map(\.rawValue)))
        #expect(Self.lacking(Words.paymentMode, PaymentMode.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.method, PaymentMethod.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.payerMethod, PayerMethod.allCases.map(\.rawValue)).isEmpty)
        #expect(PageLanguage.allCases.map(\.rawValue) == Language.allCases.map(\.rawValue))
        #expect(Set(Words.methodOrder) == Set(PaymentMethod.allCases.map(\.rawValue)))
        #expect(Self.lacking(Words.operation, OperationKind.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.decline, DeclineClass.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.owner, Obligation.Owner.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.step, Obligation.Step.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.obligation, Obligation.Kind.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.openItem, OpenItem.Kind.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.schedule, ScheduleStatus.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.occurrence, OccurrenceRecord.State.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.instrument, InstrumentStatus.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.batch, BillBatch.Status.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.bill, BillWord.allCases.map(\.rawValue)).isEmpty)
        #expect(Set(Words.billOrder) == Set(BillWord.allCases.map(\.rawValue)))
        #expect(Self.lacking(Words.mode, Period.modes).isEmpty)
        #expect(Self.lacking(Words.exception, ExceptionClass.allCases.map(\.rawValue)).isEmpty)
        #expect(Set(Words.exceptionOrder) == Set(ExceptionClass.allCases.map(\.rawValue)))
        #expect(Self.lacking(Words.resolution, VerdictWord.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.webhookDisabled, WebhookDisablement.Reason.allCases.map(\.rawValue)).isEmpty)
        #expect(Set(Words.webhookOrders) == Set(WebhookConfiguration.Order.allCases.map(\.rawValue)))
        #expect(Self.lacking(Words.webhookOrder, Words.webhookOrders).isEmpty)
        #expect(Self.lacking(Words.delivery, WebhookDelivery.State.allCases.map(\.word)).isEmpty)
        #expect(Self.lacking(Words.webhookFailure, WebhookFailure.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.keyState, ApiKey.State.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.role, Role.allCases.map(\.rawValue)).isEmpty)
        #expect(Self.lacking(Words.input, InputResource.InputWord.allCases.map(\.rawValue)).isEmpty)
    }

    @Test func `each report and each of its columns has a word`() {
        #expect(Self.lacking(Words.report, Report.all.map(\.name)).isEmpty)
        #expect(Self.lacking(Words.reportHint, Report.all.map(\.name)).isEmpty)
        let columns = Set(Report.all.flatMap { $0.columns.map(\.name) })
        #expect(Self.lacking(Words.column, columns.sorted()).isEmpty)
        let moved = MovementKind.allCases.map(\.rawValue) + SettlementEntryKind.allCases.map(\.rawValue)
        #expect(Self.lacking(Words.movement, moved).isEmpty)
        #expect(
            ReportPage.standing == Set(Report.all.filter { !$0.columns.contains { $0.content == .day } }.map(\.name))
        )
        #expect(Self.lacking(Words.fact, FinanceFact.Kind.allCases.map(\.rawValue)).isEmpty)
        #expect(MovementsPage.counting == Set(Report.all.filter { !$0.facts.isEmpty }.map(\.name)))
        #expect(MovementsPage.open == Set(Report.all.filter { $0.reading == .opened }.map(\.name)))
        #expect(MovementsPage.reports == Set(Report.all.filter { !$0.counted.isEmpty }.map(\.name)))
    }

    @Test func `each event of a payment has a word`() {
        #expect(Self.lacking(Words.event, PaymentEvent.Name.allCases.map(\.rawValue)).isEmpty)
    }

    /// All lists of words, as the pages ask them.
    private static let lists = [
        Words.status, Words.mode, Words.paymentMode, Words.method, Words.operation,
        Words.operationState, Words.decline,
        Words.disputeStage, Words.verdict, Words.input, Words.resolution, Words.owner, Words.step, Words.obligation,
        Words.outcome, Words.event, Words.schedule, Words.scheduleAction, Words.scheduleActionHint, Words.period,
        Words.occurrence, Words.instrument, Words.batch, Words.bill, Words.breaker, Words.openItem, Words.flowKind,
        Words.ledgerAccount, Words.report, Words.reportHint, Words.column, Words.exception, Words.exceptionOutcome,
        Words.exceptionStep, Words.webhook, Words.webhookDisabled, Words.webhookOrder, Words.delivery,
        Words.webhookFailure, Words.keyState, Words.role, Words.change, Words.changeState,
    ]

    @Test func `no word is empty in any language, and none of Cyrillic stays Latin`() {
        for words in Self.lists {
            for (key, text) in words {
                for language in Language.allCases {
                    #expect(!text(language).isEmpty, "\(key) in \(language)")
                }
                for language in [Language.uk, .ru] {
                    let isCyrillic = text(language).unicodeScalars.contains { (0x400...0x4FF).contains($0.value) }
                    #expect(isCyrillic, "\(key) in \(language)")
                }
            }
        }
    }
}
