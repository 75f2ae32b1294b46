package import EventSourcing
package import Kernel
package import Payments

/// The filter of a list of payments.
package struct PaymentQuery: Hashable, Sendable {
    /// Payments or transfers; `nil` for both.
    package let kind: StreamKind?
    package var status: PaymentStatus?
    package var reference: String?
    package var customer: String?
    package var account: Uuid?
    package var createdFrom: Timestamp?
    package var createdBefore: Timestamp?
    /// Only payments that someone still owes something.
    package var hasObligations = false
    /// Only payments with an obligation that an operator must meet.
    package var needsOperator = false
    /// Only payments with an open dispute.
    package var isDisputed = false
    /// Where the page begins; `nil` for the newest.
    package var cursor: PageCursor?
    package var limit = 20

    package init(_ kind: StreamKind?) { self.kind = kind }
}
