import Http
import Kernel
import Payments
import Projections
import Settlement

/// Providers' settlement files, and what does not fit of them.
enum SettlementEndpoints {
    private static let files = "/v1/settlement-files"
    private static let exceptions = "/v1/settlement-exceptions"
    private static let one = exceptions + "/{exception}"
    private static let mapping = "/v1/accounts/{account}/settlement-mapping"

    static let all: [Endpoint] = [
        .asking("importSettlementFile", files, file, scope: .finance, by: Api.importSettlement)
            .documented(
                .settlement,
                "Import a settlement file, whole or not at all",
                "SettlementFile",
                [200, 201],
                problems: []
            )
            .with {
                $0.query = [
                    .init("account", accountName, isNeeded: true), .init("from", Schema.date),
                    .init("before", Schema.date), .init("corrects", Schema.id(SettlementFileKind.prefix)),
                    .init("alone", Schema.flag),
                ]
                $0.most = .bytes(SettlementLimits.uploadBytes)
                $0.isStreamed = true
            },
        .reading(
            "listSettlementFiles",
            files,
            query: [.init("account", accountName)] + Endpoint.Parameter.page,
            by: Api.listSettlementFiles
        )
        .documented(.settlement, "List settlement files, the newest first", "SettlementFilePage"),
        .reading("getSettlementFile", files + "/{file}", by: Api.getSettlementFile)
            .documented(.settlement, "Read what a settlement file came to", "SettlementFile", problems: [404]),
        .reading("listSettlementExceptions", exceptions, query: filter, by: Api.listExceptions)
            .documented(.settlement, "List what does not fit, the oldest first", "SettlementExceptionPage"),
        .reading("getSettlementException", one, by: Api.getException)
            .documented(.settlement, "Read an exception and its history", "SettlementException", problems: [404]),
        .asking(
            "assignSettlementException",
            one + "/assign",
            .json(.assignment),
            scope: .finance,
            by: Api.assignException
        )
        .documented(.settlement, "Give an exception an owner", "SettlementException", problems: [404, 409]),
        .asking(
            "proposeSettlementResolution",
            one + "/proposals",
            .json(.exceptionProposal),
            scope: .finance,
            ids: ["verdict.file"],
            by: Api.proposeException
        )
        .documented(.settlement, "Propose how an exception is resolved", "SettlementException", problems: [404, 409]),
        .asking(
            "approveSettlementResolution",
            one + "/proposals/{proposal}/approve",
            .optional(.empty),
            scope: .approve,
            by: Api.approveException
        )
        .documented(.settlement, "Approve another person's proposal", "SettlementException", problems: [404, 409]),
        .reading("getSettlementMapping", mapping, by: Api.getMapping)
            .documented(.settlement, "Read how an account's files are read", "SettlementMapping", problems: [404]),
        .asking("keepSettlementMapping", mapping, .json(.mapping), method: .put, scope: .finance, by: Api.keepMapping)
            .documented(.settlement, "Keep how an account's files are read", "SettlementMapping", problems: [404]),
    ]

    private static let accountName = Schema.text("The account's name.", atMost: AccountConfiguration.nameCharacters)

    private static let file = Body.raw(
        "application/octet-stream",
        ["type": "string", "format": "binary"],
        "The file as the provider gave it, packed by gzip or not: as application/octet-stream, text/csv, application/x-ndjson or "
            + "application/gzip."
    )

    private static let filter: [Endpoint.Parameter] =
        [
            .init("class", Schema.words(ExceptionClass.self)), .init("account", accountName),
            .init("owner", Schema.text(atMost: Api.ownerBytes)), .init("file", Schema.id(SettlementFileKind.prefix)),
            .init("open", Schema.flag),
        ] + Endpoint.Parameter.page
}

extension FormSchema {
    fileprivate static let assignment = FormSchema(
        "AssignSettlementException",
        Schema.closed(
            [("owner", Schema.text("Who sees to it; nobody where it is left out.", atMost: Api.ownerBytes))]
        ),
        example: ["owner": "anna"]
    )

    fileprivate static let exceptionProposal = FormSchema(
        "ProposeSettlementResolution",
        Schema.closed(
            [
                (
                    "verdict",
                    Schema.closed(
                        [
                            ("is", Schema.words(VerdictName.self)), ("position", Schema.integer()),
                            ("number", Schema.integer(from: 0, to: Int64(Int16.max))),
                            ("file", Schema.id(SettlementFileKind.prefix)),
                            ("line", Schema.integer(from: 1, to: Int64(Int32.max))),
                        ],
                        required: ["is"],
                        "adjust: the books follow the file; disregard: the line counts no longer; link: with a movement's position and "
                            + "number, or with a file's line."
                    )
                ), ("reason", Schema.text(atMost: Limits.evidenceBytes)),
            ],
            required: ["verdict", "reason"]
        ),
        example: ["verdict": ["is": "adjust"], "reason": "the provider confirmed its figure"]
    )

    fileprivate static let mapping = FormSchema(
        "KeepSettlementMapping",
        SettlementSchemas.mapping,
        example: [
            "name": "registry", "format": "csv", "zone": "Europe/Kyiv", "currency": "UAH", "kind": "captured",
            "columns": ["amount": "sum", "at": "date"], "dates": "yyyy-MM-dd",
        ]
    )
}

/// The words of verdicts.
enum VerdictName: String, CaseIterable {
    case adjust, disregard, link
}
