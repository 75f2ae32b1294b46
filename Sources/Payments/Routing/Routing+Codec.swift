package import EventSourcing
package import Kernel

extension RoutingEvent {
    package func write(into out: inout JsonText) {
        switch self {
        case .set(let accounts, let actor, let at):
            out.member("accounts", accounts.map(\.description))
            out.member("at", at)
            out.member("by", actor)
        case .rulesSet(let rules, let number, let actor, let at):
            out.member("at", at)
            out.member("by", actor)
            out.member("number", number)
            out.member("rules", rules)
        case .breakerChanged(let account, .opened(let seen, let until, let trip), let at):
            out.member("account", account)
            out.member("at", at)
            out.member("seen", seen)
            out.member("trip", trip)
            out.member("until", until)
        case .breakerChanged(let account, .halfOpened, let at):
            out.member("account", account)
            out.member("at", at)
        case .breakerChanged(let account, .closed(let seen), let at):
            out.member("account", account)
            out.member("at", at)
            out.member("seen", seen)
        }
    }

    /// Reads the payload of a stored event.
    package init(_ name: Name, _ fields: Fields) throws(CodecFailure) {
        let at = try fields.time("at")
        switch name {
        case .set: self = .set(try fields.accounts("accounts"), by: try fields.text("by"), at: at)
        case .rulesSet:
            self = .rulesSet(
                try RouteRules(fields.fields("rules")),
                number: try fields.int("number"),
                by: try fields.text("by"),
                at: at
            )
        case .breakerOpened:
            let change = BreakerChange.opened(
                try ProviderOutcomes(fields.fields("seen")),
                until: try fields.time("until"),
                trip: try fields.int("trip")
            )
            self = .breakerChanged(try fields.uuid("account"), change, at: at)
        case .breakerHalfOpened: self = .breakerChanged(try fields.uuid("account"), .halfOpened, at: at)
        case .breakerClosed:
            let change = BreakerChange.closed(try ProviderOutcomes(fields.fields("seen")))
            self = .breakerChanged(try fields.uuid("account"), change, at: at)
        }
    }
}

extension RoutingCommand {
    package func write(into out: inout JsonText) {
        switch self {
        case .set(let accounts): out.member("accounts", accounts.map(\.description))
        case .setRules(let rules, let seen):
            out.member("rules", rules)
            out.member("seen", seen)
        case .report(let account, let seen):
            out.member("account", account)
            out.member("seen", seen)
        case .probe(let account): out.member("account", account)
        }
    }

    /// Reads a stored command.
    package init(name: Name, _ json: Json) throws(CodecFailure) {
        let fields = Fields(json)
        switch name {
        case .set: self = .set(try fields.accounts("accounts"))
        case .setRules:
            self = .setRules(try RouteRules(fields.fields("rules")), seen: try fields.optionalInt("seen"))
        case .report: self = .report(try fields.uuid("account"), try ProviderOutcomes(fields.fields("seen")))
        case .probe: self = .probe(try fields.uuid("account"))
        }
    }
}

extension RouteRules: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("breaker", breaker)
        out.member("rules", rules)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var rules: [RouteRule] = []
        for item in try fields.items("rules") { rules.append(try RouteRule(Fields(item))) }
        self.init(rules: rules, breaker: try BreakerPolicy(fields.fields("breaker")))
    }
}

extension RouteRule: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("fallback", fallback)
        out.member("name", name)
        out.member("then", then.map(\.description))
        out.member("to", listing: to, isAlwaysShown: true) { target, out in
            out.member("account", target.account)
            out.member("weight", target.weight)
        }
        out.member("when", when)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var shares: [RouteShare] = []
        for item in try fields.items("to") {
            let share = Fields(item)
            shares.append(RouteShare(account: try share.uuid("account"), weight: try share.int("weight")))
        }
        self.init(
            name: try fields.text("name"),
            when: try RouteCondition(fields.fields("when")),
            to: shares,
            then: try fields.accounts("then"),
            fallback: try FallbackPolicy(fields.fields("fallback"))
        )
    }
}

extension RouteCondition: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("amount", amount)
        out.member("countries", countries?.sortedWords { $0 })
        out.member("currencies", currencies?.sortedWords(\.code))
        out.member("customers", customers?.sortedWords { $0 })
        out.member("methods", methods?.sortedWords(\.rawValue))
        out.member("modes", modes?.sortedWords(\.rawValue))
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            currencies: try fields.words("currencies") { Currency($0) },
            countries: try fields.words("countries") { $0 },
            amount: fields.has("amount") ? try AmountRange(fields.fields("amount")) : nil,
            modes: try fields.words("modes") { PaymentMode(rawValue: $0) },
            methods: try fields.words("methods") { PaymentMethod(rawValue: $0) },
            customers: try fields.words("customers") { $0 }
        )
    }
}

extension AmountRange: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("below", below)
        out.member("currency", currency.code)
        out.member("from", from)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        guard let currency = Currency(try fields.text("currency")) else { throw CodecFailure("currency") }
        self.init(
            currency: currency,
            from: try fields.optional("from", \.integer),
            below: try fields.optional("below", \.integer)
        )
    }
}

extension FallbackPolicy: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("attempts", attempts)
        out.member("on", words)
    }

    /// The classes after which another account is tried, in the order of their bytes.
    package var words: Json { classes.sortedWords(\.rawValue) }

    package init(_ fields: Fields) throws(CodecFailure) {
        let classes = try fields.words("on") { DeclineClass(rawValue: $0) }
        self.init(classes: classes ?? [], attempts: try fields.int("attempts"))
    }
}

extension BreakerPolicy: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("failures", failures)
        out.member("pauseSeconds", pause.components.seconds)
        out.member("percent", percent)
        out.member("probePercent", probePercent)
        out.member("successes", successes)
        out.member("windowSeconds", window.components.seconds)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            failures: try fields.int("failures"),
            percent: try fields.int("percent"),
            window: .seconds(try fields.integer("windowSeconds")),
            pause: .seconds(try fields.integer("pauseSeconds")),
            probePercent: try fields.int("probePercent"),
            successes: try fields.int("successes")
        )
    }
}

extension ProviderOutcomes: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("failures", failures)
        out.member("from", from)
        out.member("lastFailure", lastFailure)
        out.member("successes", successes)
        out.member("to", to)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            failures: try fields.int("failures"),
            successes: try fields.int("successes"),
            from: try fields.time("from"),
            to: try fields.time("to"),
            lastFailure: try fields.optionalText("lastFailure")
        )
    }
}

extension Set {
    /// The words of a set in the order of their bytes: a set has none of its own.
    fileprivate func sortedWords(_ word: (Element) -> String) -> Json {
        .array(map(word).sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }.map(Json.string))
    }
}

extension Fields {
    func items(_ name: String) throws(CodecFailure) -> [Json] {
        guard let items = try value(name).items else { throw CodecFailure(name) }
        return items
    }

    fileprivate func accounts(_ name: String) throws(CodecFailure) -> [Uuid] {
        let items = try self.items(name)
        let read = items.compactMap { $0.text.flatMap { Uuid($0) } }
        guard read.count == items.count else { throw CodecFailure(name) }
        return read
    }

    fileprivate func words<Word: Hashable>(_ name: String, _ read: (String) -> Word?) throws(CodecFailure) -> Set<Word>?
    {
        try optional(name) { json in
            guard let items = json.items else { return nil }
            let words = items.compactMap { $0.text.flatMap(read) }
            return words.count == items.count ? Set(words) : nil
        }
    }
}
