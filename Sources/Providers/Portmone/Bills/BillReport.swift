package import Kernel

/// What one object of an answer, or of an app's report, says about one bill.
package struct BillReport: Hashable, Sendable {
    package let billId: String?
    /// The provider's word; empty where it says nothing.
    package let status: String
    package let amount: Money?
    package let paid: Money?
    package let commission: Money?
    package let authCode: String?
    package let receiptUrl: String?
    package let contractNumber: String?
    package let payDate: String?
    package let payeeName: String?
    package let errorCode: String?
    package let errorText: String?
    /// The payer's bank wants 3-D Secure before anything is paid.
    package let needsThreeDSecure: Bool

    /// Reads either spelling: of `payBillsSdk` (`commission`, `pdfUrl`) and of the SDK's `UBill`.
    package init(_ json: Json) {
        let row = Row(json)
        billId = row.text("billid", "requestedbillid")
        status = row.statusText ?? ""
        amount = Amounts.read(row.amountText, Amounts.hryvnia)
        paid = Amounts.read(row.text("paidamount"), Amounts.hryvnia)
        commission = Amounts.read(row.text("commission", "commissionamount"), Amounts.hryvnia)
        authCode = row.authCode
        receiptUrl = row.text("pdfurl", "reciepturl")
        contractNumber = row.text("contractnumber")
        payDate = row.text("paydatetime", "paydate")
        payeeName = row.text("payeename")
        errorCode = row.errorCode
        errorText = row.errorText
        needsThreeDSecure = row.needsThreeDSecure && (row.errorCode ?? "0") == "0"
    }

    /// What became of the bill, by this report alone.
    package var outcome: BillOutcome {
        switch RowStatus(rawValue: status) {
        case .paid?: .paid
        case .held?: .held
        case .returned?: .refunded
        case .cancelled?: .cancelled
        case .rejected?: .failed
        case .created?: needsThreeDSecure ? .requiresAction : unfinished
        case nil:
            // A word that nobody knows is no failure, whatever stands beside it.
            if needsThreeDSecure { .requiresAction } else { status.isEmpty ? unfinished : .unknown }
        }
    }

    /// Not paid and a reason given: the reason counts.
    private var unfinished: BillOutcome { errorText == nil ? .unknown : .failed }
}

/// What became of one bill.
package enum BillOutcome: String, Hashable, Sendable, CaseIterable {
    case paid, held, refunded, cancelled
    case requiresAction = "requires_action"
    case failed, unknown

    /// Of several reports about one bill the strongest counts.
    package var rank: Int {
        switch self {
        case .paid: 6
        case .held: 5
        case .refunded: 4
        case .cancelled: 3
        case .requiresAction: 2
        case .failed: 1
        case .unknown: 0
        }
    }

    /// Whether the bill may be asked for again: only where it is known to be unpaid.
    package var mayBeRepeated: Bool {
        switch self {
        case .failed, .cancelled: true
        case .paid, .held, .refunded, .requiresAction, .unknown: false
        }
    }
}
