package import Http
import Kernel

/// All endpoints, in the document's order: router, authorization, limits and document follow from this list.
package enum Endpoints {
    package static let all: [Endpoint] =
        PaymentEndpoints.all + PaymentLinkEndpoints.all + TransferEndpoints.all + OperationEndpoints.all
        + EventEndpoints.all
        + WebhookEndpoints.all
        + ReportEndpoints.all
        + PeriodEndpoints.all + SettlementEndpoints.all
        + AccountEndpoints.all
        + RoutingEndpoints.order + InquiryEndpoints.all + RoutingEndpoints.rules + InstrumentEndpoints.all
        + ClockEndpoints.all + ScheduleEndpoints.all + DunningEndpoints.all + CalendarEndpoints.all
        + AccessEndpoints.all + RequestLogEndpoints.all + InboxEndpoints.all + OpenEndpoints.all
        + ServiceEndpoints.all + BillEndpoints.all

    package static let router = Router<Endpoint>(
        all.flatMap { endpoint in
            [endpoint.method, endpoint.otherMethod].compactMap(\.self).map {
                (method: $0, pattern: endpoint.pattern, route: endpoint)
            }
        }
    )

    /// Schemas that are no form's.
    static let schemas: [(String, Json)] =
        ValueSchemas.all + PaymentSchemas.all + PaymentLinkSchemas.all + AccountSchemas.all + RouteSchemas.all
        + InquirySchemas.all
        + InstrumentSchemas.all + ClockState.schemas + ScheduleSchemas.all + DunningForm.schemas + CalendarSchemas.all
        + InboxEndpoints.schemas + ServiceSchemas.all + BillSchemas.all + ReportEndpoints.schemas
        + PeriodEndpoints.schemas + SettlementSchemas.all + PublicEventSchemas.all + WebhookSchemas.all
        + AccessSchemas.all + RequestLogEndpoints.schemas + [("Input", InputResource.schema)]
}
