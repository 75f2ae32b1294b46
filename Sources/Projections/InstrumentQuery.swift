package import Kernel
package import Payments

/// The filter of a list of saved instruments.
package struct InstrumentQuery: Hashable, Sendable {
    package var customer: String?
    package var status: InstrumentStatus?
    package var account: Uuid?
    /// Where the page begins; `nil` for the newest.
    package var cursor: PageCursor?
    package var limit = 20

    package init() {}
}
