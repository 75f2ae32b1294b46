package import Kernel
package import Payments

/// One object of an answer, or of an app's report, about one bill.
package struct BillReport: Hashable, Sendable {
    package let billId: String?
    /// The provider's word; empty where it says nothing.
    package let status: String
    package let amount: Money?
    package private(set) var paid: Money?
    package private(set) var commission: Money?
    /// The provider's name for the payment of the bill, where it has one.
    package let payment: String?
    package let authCode: String?
    package let receiptUrl: String?
    package let contractNumber: String?
    package let payDate: String?
    package let payeeName: String?
    package let errorCode: String?
    package let errorText: String?
    /// The payer's bank wants 3-D Secure before anything is paid.
    package let needsThreeDSecure: Bool
    /// The members that the payer's device needs for that, by names of ours; sealed where the answer was.
    package let handover: Json

    /// Reads either spelling: of `payBillsSdk` (`commission`, `pdfUrl`) and of the SDK's `UBill`.
    package init(_ json: Json) {
        let row = Row(json)
        billId = row.text("billid", "requestedbillid")
        status = row.statusText ?? ""
        amount = Amounts.read(row.amountText, Amounts.hryvnia)
        paid = Amounts.read(row.text("paidamount"), Amounts.hryvnia)
        commission = Amounts.read(row.text("commission", "commissionamount"), Amounts.hryvnia)
        payment = row.text("transactionid")
        authCode = row.authCode
        receiptUrl = row.text("pdfurl", "reciepturl")
        contractNumber = row.text("contractnumber")
        payDate = row.text("paydatetime", "paydate")
        payeeName = row.text("payeename")
        errorCode = row.errorCode
        errorText = row.errorText
        needsThreeDSecure = row.needsThreeDSecure && (row.errorCode ?? "0") == "0"
        handover = .compact([
            ("acsUrl", row.value("actionmpi")), ("md", row.value("md")), ("paReq", row.value("pareq")),
            ("termUrl", row.value("termurl")),
        ])
    }

    /// The same with what another payment of the bill took; nobody knows the sum where one of the two is not told.
    func adding(_ other: BillReport) -> BillReport {
        func sum(_ one: Money?, _ two: Money?) -> Money? { one.flatMap { one in two.flatMap { try? one.adding($0) } } }
        var both = self
        both.paid = sum(paid, other.paid)
        both.commission = sum(commission, other.commission)
        return both
    }

    /// The fate of the bill, by this report alone.
    package var outcome: BillOutcome {
        switch StatusTable(rawValue: status) {
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
