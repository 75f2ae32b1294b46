package import EventSourcing
package import Kernel
package import Payments
import Schedules

/// Something that is unresolved and no payment's, with who owes the next step.
package struct OpenItem: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case bill
        /// A batch of bills that stands still.
        case batch
        /// A message that pays bills, or one that asks what bills cost.
        case chunk, price
        /// A credential that its provider may still know.
        case removal
        /// A change or an end that the provider that runs a schedule was asked for.
        case series
        /// A verified notification of an order that the log does not know.
        case arrival
        /// An input that could not be decided.
        case input
        /// An endpoint of webhooks that is sent nothing, though nobody of its merchant asked for that.
        case webhook
    }

    /// Of a name; what names it may have been chosen by anybody.
    package static let nameCharacters = 100

    package let kind: Kind
    /// As people name it, cut where it is long.
    package let name: String
    package let owner: Obligation.Owner
    package let nextStep: Obligation.Step
    package let reason: String
    /// More about the reason, for people; and what it is about, where that is another thing than its name says.
    package let detail: String?
    package let about: String?
    package let since: Timestamp?
    /// When the next step is due or its chance is over; `nil` where time decides nothing.
    package let deadline: Timestamp?

    package init(
        kind: Kind,
        name: String,
        owner: Obligation.Owner,
        nextStep: Obligation.Step,
        reason: String,
        since: Timestamp?,
        deadline: Timestamp? = nil,
        detail: String? = nil,
        about: String? = nil
    ) {
        self.kind = kind
        self.name = name.count > Self.nameCharacters ? name.prefix(Self.nameCharacters - 1) + "…" : name
        self.owner = owner
        self.nextStep = nextStep
        self.reason = reason
        self.since = since
        self.deadline = deadline
        self.detail = detail
        self.about = about
    }

    /// A stream as the API names it, or its kind and its id where the API has no name for it.
    package static func name(of kind: StreamKind?, _ id: Uuid) -> String {
        switch kind {
        case .payment?: PaymentId(id).text
        case .transfer?: TransferId(id).text
        case .instrument?: InstrumentId(id).text
        case .schedule?: ScheduleId(id).text
        case .billBatch?: BillBatchId(id).text
        case .bill?: "bill/\(id)"
        case .chunk?: "chunk/\(id)"
        case .account?: "account/\(id)"
        case .routing?: "routing/\(id)"
        case .webhookEndpoint?: "webhookEndpoint/\(id)"
        case .merchant?: "merchant/\(id)"
        case .arrivals?: "arrivals/\(id)"
        case .paymentLink?: PaymentLinkId(id).text
        case nil: "\(id)"
        }
    }

    package var needsOperator: Bool { owner == .operator }

    package var json: Json {
        .compact([
            ("about", about.map(Json.string)), ("deadline", deadline?.json), ("detail", detail.map(Json.string)),
            ("id", .string(name)), ("kind", .string(kind.rawValue)),
            ("nextStep", .string(nextStep.rawValue)),
            ("object", "openMatter"), ("owner", .string(owner.rawValue)), ("reason", .string(reason)),
            ("since", since?.json),
        ])
    }
}
