package import EventSourcing
package import Kernel

extension AccountFacts: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("id", id)
        out.member("mode", mode)
        out.member("name", name)
        out.member("provider", provider)
        out.member("version", version)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            id: try fields.uuid("id"),
            name: try fields.text("name"),
            provider: try fields.text("provider"),
            mode: try fields.word("mode"),
            version: try fields.int32("version")
        )
    }
}

extension PaymentTerms: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("adopted", adopted)
        out.member("amount", amount)
        out.member("country", country)
        out.member("customer", customer)
        out.member("description", description)
        out.member("details", details)
        out.member("expiresAt", expiresAt)
        out.member("instrument", instrument)
        out.member("metadata", metadata)
        out.member("method", method)
        out.member("mode", mode)
        out.member("occurrence", occurrence)
        out.member("pageLanguage", pageLanguage)
        out.member("paymentLink", paymentLink)
        out.member("recurring", recurring)
        out.member("reference", reference)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        let occurrence = try fields.optional("occurrence", OccurrenceName.init(json:))
        self.init(
            mode: try fields.word("mode"),
            method: try fields.word("method"),
            amount: try fields.optionalMoney("amount"),
            reference: try fields.optionalText("reference"),
            description: try fields.optionalText("description"),
            customer: try fields.optionalText("customer"),
            instrument: try fields.optionalId("instrument"),
            expiresAt: try fields.time("expiresAt"),
            details: try fields.value("details"),
            metadata: try fields.value("metadata"),
            recurring: fields.has("recurring") ? try RecurringTerms(fields.fields("recurring")) : nil,
            occurrence: occurrence,
            country: try fields.optionalText("country"),
            adopted: try fields.optional("adopted", AdoptedDebit.init(json:)),
            paymentLink: try fields.optionalId("paymentLink"),
            pageLanguage: try fields.optionalWord("pageLanguage")
        )
    }
}

extension OccurrenceName: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("ordinal", ordinal)
        out.member("schedule", schedule)
        out.member("series", series)
    }

    package init?(json: Json) {
        guard let ordinal = json["ordinal"]?.integer, let id = json["schedule"]?.text.flatMap({ Uuid($0) }) else {
            return nil
        }
        self.init(schedule: id, ordinal: Int(ordinal), series: json["series"]?.text)
    }
}

extension OperationRequest: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("actor", actor)
        out.member("amount", amount)
        out.member("at", at)
        out.member("attempt", attempt)
        out.member("details", details)
        out.member("id", id)
        out.member("kind", kind)
        out.member("operator", byOperator ? true : nil)
        out.member("reason", reason)
        out.member("reference", reference)
        out.member("target", target)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            id: try fields.id("id"),
            kind: try fields.word("kind"),
            amount: try fields.optionalMoney("amount"),
            target: try fields.optionalId("target"),
            reference: try fields.text("reference"),
            actor: try fields.text("actor"),
            reason: try fields.optionalText("reason"),
            at: try fields.time("at"),
            details: fields.member("details"),
            attempt: try fields.optionalInt("attempt"),
            byOperator: fields.member("operator")?.flag == true
        )
    }
}

extension AuxiliaryRequestFact: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("actor", actor)
        out.member("at", at)
        out.member("details", details)
        out.member("id", id)
        out.member("kind", kind)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            id: try fields.id("id"),
            kind: try fields.word("kind"),
            actor: try fields.text("actor"),
            details: fields.member("details"),
            at: try fields.time("at")
        )
    }
}

extension DispatchPurpose {
    package var text: String {
        switch self {
        case .handover: "handover"
        case .query: "query"
        case .operation(let kind): kind.rawValue
        case .auxiliary(let kind): kind.rawValue
        }
    }

    package init?(text: String) {
        switch text {
        case "handover": self = .handover
        case "query": self = .query
        default:
            if let kind = OperationKind(rawValue: text) {
                self = .operation(kind)
            } else if let kind = AuxiliaryKind(rawValue: text) {
                self = .auxiliary(kind)
            } else {
                return nil
            }
        }
    }
}

extension DispatchLicense: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("account", account)
        out.member("accountVersion", accountVersion)
        out.member("adapterVersion", adapterVersion)
        out.member("effect", effect)
        out.member("ground", ground)
        out.member("licensedAt", licensedAt)
        out.member("notBefore", notBefore)
        out.member("operation", operation)
        out.member("ordinal", ordinal)
        out.member("purpose", purpose.text)
        out.member("sendBefore", sendBefore)
        out.member("templateDigest", templateDigest)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        guard let purpose = DispatchPurpose(text: try fields.text("purpose")) else { throw CodecFailure("purpose") }
        self.init(
            effect: try fields.id("effect"),
            purpose: purpose,
            operation: try fields.optionalId("operation"),
            ordinal: try fields.int32("ordinal"),
            ground: try fields.word("ground"),
            templateDigest: try fields.text("templateDigest"),
            account: try fields.uuid("account"),
            accountVersion: try fields.int32("accountVersion"),
            adapterVersion: try fields.int("adapterVersion"),
            licensedAt: try fields.time("licensedAt"),
            notBefore: try fields.time("notBefore"),
            sendBefore: try fields.time("sendBefore")
        )
    }
}

extension Dispute: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("amount", amount)
        out.member("answerBy", answerBy)
        out.member("at", at)
        out.member("capture", capture)
        out.member("id", id)
        out.member("reason", reason)
        out.member("stage", stage)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            id: try fields.id("id"),
            capture: try fields.id("capture"),
            amount: try fields.money("amount"),
            stage: try fields.word("stage"),
            reason: try fields.optionalText("reason"),
            at: try fields.time("at"),
            answerBy: try fields.optionalTime("answerBy")
        )
    }
}

extension Resolution: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("by", by)
        out.member("evidence", evidence)
        out.member("id", id)
        out.member("seenVersion", seenVersion)
        out.member("verdict", verdict)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            id: try fields.uuid("id"),
            verdict: try Verdict(fields.fields("verdict")),
            evidence: try fields.text("evidence"),
            by: try fields.text("by"),
            seenVersion: try fields.int32("seenVersion")
        )
    }
}

extension Resolution.Verdict: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .succeeded(let id, let amount):
            out.member("amount", amount)
            out.member("is", "succeeded")
            out.member("operation", id)
        case .failed(let id):
            out.member("is", "failed")
            out.member("operation", id)
        case .sendAgain(let id):
            out.member("is", "sendAgain")
            out.member("operation", id)
        case .acknowledged: out.member("is", "acknowledged")
        case .attemptDead: out.member("is", "attemptDead")
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "succeeded": self = .succeeded(try fields.id("operation"), try fields.money("amount"))
        case "failed": self = .failed(try fields.id("operation"))
        case "sendAgain": self = .sendAgain(try fields.id("operation"))
        case "acknowledged": self = .acknowledged
        case "attemptDead": self = .attemptDead
        default: throw CodecFailure("is")
        }
    }
}
