package import EventSourcing
package import Kernel

extension ScheduleTerms {
    package var json: Json {
        .compact([
            ("account", account.json), ("activateBy", activateBy.json), ("activation", .string(activation.rawValue)),
            ("amount", amount?.json), ("customer", customer.map(Json.string)),
            ("description", description.map(Json.string)), ("details", details), ("fallback", fallback?.json),
            ("instrument", instrument?.json), ("kind", .string(kind.rawValue)), ("mandate", mandate.json),
            ("metadata", metadata), ("policy", policy.json), ("presence", .string(presence.rawValue)),
            ("reference", reference.map(Json.string)), ("rule", rule?.json), ("runner", .string(runner.rawValue)),
        ])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var rule: ScheduleRule?
        if let stored = try fields.optionalFields("rule") { rule = try ScheduleRule(stored) }
        self.init(
            kind: try fields.word("kind"),
            runner: try fields.word("runner"),
            presence: try fields.word("presence"),
            account: try fields.uuid("account"),
            instrument: try fields.optionalId("instrument"),
            fallback: try fields.optionalId("fallback"),
            customer: try fields.optionalText("customer"),
            reference: try fields.optionalText("reference"),
            description: try fields.optionalText("description"),
            amount: try fields.optionalMoney("amount"),
            rule: rule,
            mandate: try Mandate(fields.fields("mandate")),
            activation: try fields.word("activation"),
            activateBy: try fields.time("activateBy"),
            policy: try FiringPolicy(fields.fields("policy")),
            details: try fields.value("details"),
            metadata: try fields.value("metadata")
        )
    }
}

extension Mandate {
    package var json: Json { .compact([("expiresOn", expiresOn?.json), ("minimumDays", minimumDays?.json)]) }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            expiresOn: try fields.optionalDate("expiresOn"),
            minimumDays: try fields.optionalInt("minimumDays")
        )
    }
}

extension ScheduleChange {
    package var json: Json {
        .compact([
            ("amount", amount?.json), ("details", details), ("fallback", fallback?.json),
            ("instrument", instrument?.json), ("nextDate", nextDate?.json), ("policy", policy?.json),
            ("rule", rule?.json),
        ])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var rule: ScheduleRule?
        if let stored = try fields.optionalFields("rule") { rule = try ScheduleRule(stored) }
        var policy: FiringPolicy?
        if let stored = try fields.optionalFields("policy") { policy = try FiringPolicy(stored) }
        self.init(
            amount: try fields.optionalMoney("amount"),
            instrument: try fields.optionalId("instrument"),
            fallback: try fields.optionalId("fallback"),
            rule: rule,
            nextDate: try fields.optionalDate("nextDate"),
            details: try fields.optional("details") { $0 },
            policy: policy
        )
    }
}

extension Activation {
    package var json: Json {
        .compact([
            ("instrument", instrument?.json), ("mode", .string(mode.rawValue)), ("payment", payment.json),
            ("reference", reference.map(Json.string)), ("series", series.map(Json.string)),
        ])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            payment: try fields.id("payment"),
            mode: try fields.word("mode"),
            instrument: try fields.optionalId("instrument"),
            series: try fields.optionalText("series"),
            reference: try fields.optionalText("reference")
        )
    }
}

extension ScheduleCommand {
    /// The body of the command's input, as it is stored.
    package var json: Json {
        switch self {
        case .create(let terms): terms.json
        case .activate(let activation): activation.json
        case .pause(let reason): ["reason": .string(reason)]
        case .resume(let missed): ["missed": .string(missed.rawValue)]
        case .change(let change): change.json
        case .cancel(let reason): .compact([("reason", reason.map(Json.string))])
        case .run(let ordinal, let amount, let presence):
            .compact([("amount", amount?.json), ("ordinal", ordinal?.json), ("presence", .string(presence.rawValue))])
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        let fields = Fields(json)
        switch name {
        case .create: self = .create(try ScheduleTerms(fields))
        case .activate: self = .activate(try Activation(fields))
        case .pause: self = .pause(reason: try fields.text("reason"))
        case .resume: self = .resume(try fields.word("missed"))
        case .change: self = .change(try ScheduleChange(fields))
        case .cancel: self = .cancel(reason: try fields.optionalText("reason"))
        case .run:
            self = .run(
                ordinal: try fields.optionalInt("ordinal"),
                amount: try fields.optionalMoney("amount"),
                presence: try fields.word("presence")
            )
        }
    }
}
