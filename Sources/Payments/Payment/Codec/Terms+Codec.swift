package import EventSourcing
package import Kernel

extension AccountFacts {
    package var json: Json {
        [
            "id": id.json, "mode": .string(mode.rawValue), "name": .string(name), "provider": .string(provider),
            "version": .integer(Int64(version)),
        ]
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

extension PaymentTerms {
    package var json: Json {
        .compact([
            ("adopted", adopted?.json), ("amount", amount?.json), ("country", country.map(Json.string)),
            ("customer", customer.map(Json.string)),
            ("description", description.map(Json.string)), ("details", details), ("expiresAt", expiresAt.json),
            ("instrument", instrument?.json), ("metadata", metadata), ("method", .string(method.rawValue)),
            ("mode", .string(mode.rawValue)), ("occurrence", occurrence?.json),
            ("pageLanguage", pageLanguage.map { .string($0.rawValue) }), ("paymentLink", paymentLink?.json),
            ("recurring", recurring?.json),
            ("reference", reference.map(Json.string)),
        ])
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

extension OccurrenceName {
    package var json: Json {
        .compact([
            ("ordinal", .integer(Int64(ordinal))), ("schedule", schedule.json), ("series", series.map(Json.string)),
        ])
    }

    package init?(json: Json) {
        guard let ordinal = json["ordinal"]?.integer, let id = json["schedule"]?.text.flatMap({ Uuid($0) }) else {
            return nil
        }
        self.init(schedule: id, ordinal: Int(ordinal), series: json["series"]?.text)
    }
}

extension OperationRequest {
    package var json: Json {
        .compact([
            ("actor", .string(actor)), ("amount", amount?.json), ("at", at.json),
            ("attempt", attempt.map { .integer(Int64($0)) }), ("details", details), ("id", id.json),
            ("kind", .string(kind.rawValue)), ("operator", byOperator ? true : nil),
            ("reason", reason.map(Json.string)), ("reference", .string(reference)), ("target", target?.json),
        ])
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

extension AuxiliaryRequestFact {
    package var json: Json {
        .compact([
            ("actor", .string(actor)), ("at", at.json), ("details", details), ("id", id.json),
            ("kind", .string(kind.rawValue)),
        ])
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

extension DispatchLicense {
    package var json: Json {
        .compact([
            ("account", account.json), ("accountVersion", .integer(Int64(accountVersion))),
            ("adapterVersion", .integer(Int64(adapterVersion))), ("effect", effect.json),
            ("ground", .string(ground.rawValue)), ("licensedAt", licensedAt.json), ("notBefore", notBefore.json),
            ("operation", operation?.json), ("ordinal", .integer(Int64(ordinal))), ("purpose", .string(purpose.text)),
            ("sendBefore", sendBefore.json), ("templateDigest", .string(templateDigest)),
        ])
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

extension Dispute {
    package var json: Json {
        .compact([
            ("amount", amount.json), ("answerBy", answerBy?.json), ("at", at.json), ("capture", capture.json),
            ("id", id.json), ("reason", reason.map(Json.string)), ("stage", .string(stage.rawValue)),
        ])
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

extension Resolution {
    package var json: Json {
        [
            "by": .string(by), "evidence": .string(evidence), "id": id.json,
            "seenVersion": .integer(Int64(seenVersion)),
            "verdict": verdict.json,
        ]
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

extension Resolution.Verdict {
    package var json: Json {
        switch self {
        case .succeeded(let id, let amount): ["amount": amount.json, "is": "succeeded", "operation": id.json]
        case .failed(let id): ["is": "failed", "operation": id.json]
        case .sendAgain(let id): ["is": "sendAgain", "operation": id.json]
        case .acknowledged: ["is": "acknowledged"]
        case .attemptDead: ["is": "attemptDead"]
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
