import Http
import Kernel
import Payments

/// Keys and their roles, what waits for a second person, and what administrators did.
enum AccessEndpoints {
    private static let key = "/v1/keys/{key}"
    private static let change = "/v1/changes/{change}"

    static let all: [Endpoint] = [
        .reading("listRoles", "/v1/roles", by: Api.listRoles)
            .documented(.access, "List the roles, and what each may do", "RolePage"),
        .command("createKey", "/v1/keys", .json(.newKey), scope: .admin, by: Api.createKey)
            .documented(.access, "Make a key: its token is shown once", "KeyWithToken", problems: [409])
            .atOnce,
        .reading("listKeys", "/v1/keys", scope: .audit, by: Api.listKeys)
            .documented(.access, "List the keys, the oldest first", "KeyPage"),
        .command("rotateKey", key + "/rotate", .optional(.rotation), scope: .admin, by: Api.rotateKey)
            .documented(
                .access,
                "Give a key another token: the one that it had goes on for a while",
                "KeyWithToken",
                problems: [404, 409]
            )
            .atOnce,
        .command("revokeKey", key + "/revoke", .optional(.revocation), scope: .admin, by: Api.revokeKey)
            .documented(.access, "Revoke a key for good", "Key", problems: [404, 409])
            .atOnce,
        .reading("getMerchant", "/v1/merchant", by: Api.getMerchant)
            .documented(.access, "Read what holds for the merchant as a whole", "Merchant"),
        .command("setPersons", "/v1/merchant/persons", .json(.persons), method: .put, scope: .admin, by: Api.setPersons)
            .documented(
                .access,
                "Say how many persons change routing, accounts and keys; two are needed to go back to one",
                "Merchant"
            )
            .atOnce,
        .reading("listChanges", "/v1/changes", scope: .audit, by: Api.listChanges)
            .documented(.access, "List the newest changes that were proposed", "ChangePage"),
        .command("approveChange", change + "/approve", .optional(.empty), scope: .approve, by: Api.approveChange)
            .documented(.access, "Approve what another person proposed", "Change", problems: [404, 409])
            .atOnce,
        .command("rejectChange", change + "/reject", .json(.rejection), scope: .approve, by: Api.rejectChange)
            .documented(.access, "Reject what was proposed", "Change", problems: [404, 409])
            .atOnce,
        .reading("listActs", "/v1/audit", scope: .audit, query: acts, by: Api.listActs)
            .documented(.access, "List what administrators did, the newest first", "ActPage"),
    ]

    private static let acts: [Endpoint.Parameter] =
        [
            .init("actor", Schema.text("As in key:…, the actor of an act.", atMost: Limits.identifierBytes)),
            .init(
                "kind",
                Schema.pattern("^[a-zA-Z_]{1,40}(\\.[a-zA-Z_.0-9]{1,60})?$", "As in account or key.created.v1.")
            ),
            .init("from", Schema.time), .init("before", Schema.time),
        ] + Endpoint.Parameter.page
}

extension FormSchema {
    fileprivate static let newKey = FormSchema(
        "CreateKey",
        Schema.closed(
            [
                ("name", Schema.text("Who or what holds it.", atMost: KeyForm.nameBytes)),
                ("role", Schema.words(Role.self)),
                ("scopes", Schema.list(Schema.words(Scope.self))),
                (
                    "networks",
                    Schema.list(Schema.text("As in 10.0.0.0/8 or 2001:db8::/32.", atMost: KeyForm.networkBytes))
                ),
                ("expiresAt", Schema.time), ("limit", Schema.ref("RequestLimit")),
            ],
            required: ["name"],
            "A role or scopes, and never more than the key that asks has itself."
        ),
        example: [
            "name": "shop backend", "role": "developer", "networks": ["10.0.0.0/8"],
            "limit": ["requests": 600, "seconds": 60],
        ]
    )

    fileprivate static let rotation = FormSchema(
        "RotateKey",
        Schema.closed([
            ("overlapSeconds", Schema.integer(from: 0, to: Int64(RotationForm.longestOverlap)))
        ]),
        example: ["overlapSeconds": 3600]
    )

    fileprivate static let persons = FormSchema(
        "SetPersons",
        Schema.closed([("persons", Schema.integer(from: 1, to: 2))], required: ["persons"]),
        example: ["persons": 2]
    )

    fileprivate static let rejection = FormSchema(
        "RejectChange",
        Schema.closed(
            [("reason", Schema.text("For the record.", atMost: Merchant.reasonCharacters))],
            required: ["reason"]
        ),
        example: ["reason": "the account is the wrong one"]
    )

    fileprivate static let revocation = FormSchema(
        "RevokeKey",
        Schema.closed([("reason", Schema.text("For the record.", atMost: Merchant.reasonCharacters))]),
        example: ["reason": "its holder left"]
    )
}

/// Schemas of keys, roles and acts.
enum AccessSchemas {
    static let all: [(String, Json)] = [
        ("Key", key([])), ("KeyWithToken", key([("token", Schema.text("Shown once: only a hash is kept."))])),
        ("KeyPage", Schema.page(Schema.ref("Key"))), ("Role", role), ("RolePage", Schema.page(Schema.ref("Role"))),
        ("Merchant", merchant), ("Change", change), ("ChangePage", Schema.page(Schema.ref("Change"))),
        ("RequestLimit", requestLimit), ("Act", act), ("ActPage", Schema.page(Schema.ref("Act"))),
    ]

    /// Requests in a time: a closed object where a request brings it.
    static var requestLimit: Json {
        Schema.closed(
            [
                ("requests", Schema.integer(from: 1, to: RateLimit.mostRequests)),
                ("seconds", Schema.integer(from: 1, to: RateLimit.mostSeconds)),
            ],
            required: ["requests", "seconds"],
            "So many requests at once, which come back evenly in so many seconds."
        )
    }

    private static func key(_ more: [(String, Json)]) -> Json {
        Schema.object(
            [
                ("id", Schema.uuid), ("object", ["const": "key"]), ("name", Schema.text()),
                ("role", Schema.words(Role.self)), ("scopes", Schema.list(Schema.words(Scope.self))),
                ("networks", Schema.list(Schema.text())), ("state", Schema.words(ApiKey.State.self)),
                ("createdAt", Schema.time), ("expiresAt", Schema.time), ("revokedAt", Schema.time),
                ("lastUsedAt", Schema.time), ("oldTokenUntil", Schema.time), ("limit", Schema.ref("RequestLimit")),
            ] + more,
            required: ["id", "object", "name", "scopes", "networks", "state", "createdAt"]
        )
    }

    private static var role: Json {
        Schema.object(
            [
                ("object", ["const": "role"]), ("name", Schema.words(Role.self)), ("about", Schema.text()),
                ("scopes", Schema.list(Schema.words(Scope.self))),
            ],
            required: ["object", "name", "about", "scopes"]
        )
    }

    private static var merchant: Json {
        Schema.object(
            [
                ("object", ["const": "merchant"]), ("name", Schema.text()), ("suspended", Schema.flag),
                ("persons", Schema.integer(from: 1, to: 2)), ("limit", Schema.ref("RequestLimit")),
            ],
            required: ["object", "name", "suspended", "persons"]
        )
    }

    private static var change: Json {
        Schema.object(
            [
                ("object", ["const": "change"]), ("id", Schema.uuid), ("what", Schema.free), ("by", Schema.text()),
                ("proposedAt", Schema.time), ("expiresAt", Schema.time),
                ("state", Schema.words(ProposedChange.State.self)), ("endedBy", Schema.text()),
                ("endedAt", Schema.time), ("reason", Schema.text()),
            ],
            required: ["object", "id"],
            "What waits for a second person, or how it ended; it is carried out where it is approved."
        )
    }

    private static var act: Json {
        Schema.object(
            [
                ("object", ["const": "act"]), ("kind", Schema.text("The name of the event.")), ("by", Schema.text()),
                ("at", Schema.time), ("position", Schema.integer()), ("subject", Schema.text()),
                ("id", Schema.uuid), ("data", Schema.free),
            ],
            required: ["object", "kind", "by", "at", "position", "subject", "id", "data"],
            "An event that names who made it. What is sealed in it stays sealed."
        )
    }
}
