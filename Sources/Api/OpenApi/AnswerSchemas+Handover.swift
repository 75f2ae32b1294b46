import Kernel
import Payments

/// What answers look like that tell a payer's next step, and an account.
extension AnswerSchemas {
    static var nextAction: Json {
        Schema.object(
            [
                ("type", Schema.words(NextActionKind.self)), ("action", Schema.ref("PayerAction")),
                ("url", Schema.text("Signed and short-lived: give it to the payer's browser, never keep it.")),
                ("appParameters", Schema.text("Where an app's parameters are asked for.")), ("deadline", Schema.time),
                ("reason", Schema.text("Why nothing can be done any more, as in `handover_impossible`.")),
            ],
            required: ["type"]
        )
    }

    static var appParameters: Json {
        Schema.object(
            [("provider", Schema.text()), ("parameters", Schema.free), ("deadline", Schema.time)],
            required: ["provider", "parameters"],
            "The exact object for the SDK, made for this moment."
        )
    }

    static var account: Json {
        Schema.object(
            [
                ("id", Schema.uuid), ("object", ["type": "string", "const": "account"]),
                ("version", Schema.integer(from: 1)), ("name", Schema.text()), ("provider", Schema.text()),
                ("mode", Schema.words(AccountFacts.Mode.self)), ("settings", Schema.free),
                ("secrets", Schema.list(Schema.text("The name of a secret that the account has."))),
                ("currencies", Schema.list(Schema.ref("CurrencyCode"))), ("open", Schema.flag),
                ("notificationUrl", Schema.text("Where the provider sends this account's notifications.")),
            ],
            required: ["id", "object", "name", "provider", "mode", "settings", "open", "notificationUrl"]
        )
    }
}
