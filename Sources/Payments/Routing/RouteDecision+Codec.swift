package import EventSourcing
package import Kernel

extension RouteDecision: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("accountMode", accountMode)
        out.member("at", at)
        out.member("candidates", candidates)
        out.member("cause", cause)
        out.member("fallback", fallback)
        out.member("lastResort", isLastResort ? true : nil)
        out.member("question", question)
        out.member("routingVersion", routingVersion)
        out.member("rule", rule)
        out.member("rulesNumber", rulesNumber)
        out.member("skipped", .array(skipped.map { ["part": .string($0.part.rawValue), "rule": .string($0.rule)] }))
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

extension RouteDecision.Cause: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .created: out.member("is", "created")
        case .fallback(let number, let proof, let decline):
            out.member("after", number)
            out.member("decline", decline)
            out.member("is", "fallback")
            out.member("proof", proof)
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

extension RouteQuestion: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("accountMode", accountMode)
        out.member("amount", amount)
        out.member("country", country)
        out.member("customer", customer)
        out.member("method", method)
        out.member("mode", mode)
        out.member("payment", payment)
        out.member("provider", provider)
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

extension RouteCandidate: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("account", account)
        out.member("facts", facts)
        if case .passed(let reason) = verdict { out.member("reason", reason) }
        out.member("verdict", word)
        out.member("weight", weight)
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
