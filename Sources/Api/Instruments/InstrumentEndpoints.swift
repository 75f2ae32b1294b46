import Http
import Kernel
import Payments

/// Saved credentials of payers.
enum InstrumentEndpoints {
    static let all: [Endpoint] = [
        .reading(
            "listInstruments",
            "/v1/instruments",
            query: [.customer, .init("status", Schema.words(InstrumentStatus.self)), .account]
                + Endpoint.Parameter.page,
            by: Api.listInstruments
        )
        .documented(.configuration, "List saved credentials, newest first", "InstrumentPage"),
        .reading("getInstrument", "/v1/instruments/{instrument}", by: Api.getInstrument)
            .documented(.configuration, "Read a saved credential", "Instrument", problems: [404]),
        .command("removeInstrument", "/v1/instruments/{instrument}", method: .delete, by: Api.removeInstrument)
            .documented(.configuration, "Remove a saved credential", "Instrument", problems: [404, 409])
            .stored(InstrumentCommand.Name.remove.rawValue, Api.removal).atOnce,
        .command("checkInstrument", "/v1/instruments/{instrument}/check", by: Api.checkInstrument)
            .documented(
                .configuration,
                "Ask the provider whether it still keeps a saved credential",
                "Instrument",
                problems: [404, 409]
            )
            .stored(InstrumentCommand.Name.check.rawValue, Api.check),
    ]
}
