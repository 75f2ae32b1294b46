package import EventSourcing
package import Kernel

extension ScheduleTerms: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("account", account)
        out.member("activateBy", activateBy)
        out.member("activation", activation)
        out.member("amount", amount)
        out.member("customer", customer)
        out.member("description", description)
        out.member("details", details)
        out.member("fallback", fallback)
        out.member("instrument", instrument)
        out.member("kind", kind)
        out.member("mandate", mandate)
        out.member("metadata", metadata)
        out.member("policy", policy)
        out.member("presence", presence)
        out.member("reference", reference)
        out.member("rule", rule)
        out.member("runner", runner)
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

extension Mandate: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("expiresOn", expiresOn)
        out.member("minimumDays", minimumDays)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            expiresOn: try fields.optionalDate("expiresOn"),
            minimumDays: try fields.optionalInt("minimumDays")
        )
    }
}

extension ScheduleChange: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("amount", amount)
        out.member("details", details)
        out.member("fallback", fallback)
        out.member("instrument", instrument)
        out.member("nextDate", nextDate)
        out.member("policy", policy)
        out.member("rule", rule)
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

extension Activation: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("instrument", instrument)
        out.member("mode", mode)
        out.member("payment", payment)
        out.member("reference", reference)
        out.member("series", series)
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
    package func write(into out: inout JsonText) {
        switch self {
        case .create(let terms): terms.write(into: &out)
        case .activate(let activation): activation.write(into: &out)
        case .pause(let reason): out.member("reason", reason)
        case .resume(let missed): out.member("missed", missed)
        case .change(let change): change.write(into: &out)
        case .cancel(let reason): out.member("reason", reason)
        case .run(let ordinal, let amount, let presence):
            out.member("amount", amount)
            out.member("ordinal", ordinal)
            out.member("presence", presence)
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
