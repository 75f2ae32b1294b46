package import EventSourcing
package import Kernel

extension RouteDecision {
    package var json: Json {
        .compact([
            ("accountMode", .string(accountMode.rawValue)), ("at", at.json),
            ("candidates", .array(candidates.map(\.json))), ("cause", cause.json), ("fallback", fallback.json),
            ("lastResort", isLastResort ? true : nil), ("question", question.json), ("rule", rule.map(Json.string)),
            ("rulesNumber", .integer(Int64(rulesNumber))), ("routingVersion", .integer(Int64(routingVersion))),
            (
                "skipped",
                .array(skipped.map { ["part": .string($0.part.rawValue), "rule": .string($0.rule)] })
            ),
        ])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var candidates: [RouteCandidate] = []
        for item in try fields.list("candidates") { candidates.append(try RouteCandidate(item)) }
        var skipped: [Skipped] = []
        for fields in try fields.list("skipped") {
            skipped.append(Skipped(rule: try fields.text("rule"), part: try fields.word("part")))
        }
        self.init(
            cause: try Cause(fields.fields("cause")),
            at: try fields.time("at"),
            routingVersion: try fields.int32("routingVersion"),
            rulesNumber: try fields.int("rulesNumber"),
            question: try RouteQuestion(fields.fields("question")),
            accountMode: try fields.word("accountMode"),
            skipped: skipped,
            rule: try fields.optionalText("rule"),
            candidates: candidates,
            isLastResort: fields.member("lastResort")?.flag ?? false,
            fallback: try FallbackPolicy(fields.fields("fallback"))
        )
    }
}

extension RouteDecision.Cause {
    package var json: Json {
        switch self {
        case .created: ["is": "created"]
        case .fallback(let number, let proof, let decline):
            [
                "after": .integer(Int64(number)), "decline": decline.json, "is": "fallback",
                "proof": .string(proof.rawValue),
            ]
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "created": self = .created
        case "fallback":
            self = .fallback(
                after: try fields.int("after"),
                try fields.word("proof"),
                try Decline(fields.fields("decline"))
            )
        default: throw CodecFailure("is")
        }
    }
}

extension RouteQuestion {
    package var json: Json {
        .compact([
            ("accountMode", accountMode.map { .string($0.rawValue) }), ("amount", amount?.json),
            ("country", country.map(Json.string)), ("customer", customer.map(Json.string)),
            ("method", .string(method.rawValue)), ("mode", .string(mode.rawValue)), ("payment", payment.json),
            ("provider", provider.map(Json.string)),
        ])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            payment: try fields.id("payment"),
            mode: try fields.word("mode"),
            method: try fields.word("method"),
            amount: try fields.optionalMoney("amount"),
            country: try fields.optionalText("country"),
            customer: try fields.optionalText("customer"),
            provider: try fields.optionalText("provider"),
            accountMode: try fields.optional("accountMode") { $0.text.flatMap { AccountFacts.Mode(rawValue: $0) } }
        )
    }
}

extension RouteCandidate {
    package var json: Json {
        let reason: Reason? = if case .passed(let reason) = verdict { reason } else { nil }
        return .compact([
            ("account", account.json), ("facts", facts?.json), ("reason", reason.map { .string($0.rawValue) }),
            ("verdict", .string(word)), ("weight", weight.map { .integer(Int64($0)) }),
        ])
    }

    private var word: String {
        switch verdict {
        case .chosen: "chosen"
        case .available: "available"
        case .passed: "passed"
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        let verdict: Verdict
        switch try fields.text("verdict") {
        case "chosen": verdict = .chosen
        case "available": verdict = .available
        case "passed": verdict = .passed(try fields.word("reason"))
        default: throw CodecFailure("verdict")
        }
        self.init(
            account: try fields.uuid("account"),
            facts: fields.has("facts") ? try AccountFacts(fields.fields("facts")) : nil,
            weight: try fields.optionalInt("weight"),
            verdict: verdict
        )
    }
}
