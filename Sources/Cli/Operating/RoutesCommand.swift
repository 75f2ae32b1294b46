import Api
import Daemon
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import SystemKit

/// `paystream routes`: the rules that choose the account of a payment that names none.
struct RoutesCommand: Command {
    static let name = "routes"
    static let summary = "List the rules of routing, set them from a file, or explain a choice."
    static let usage = "[OPTIONS] list | set FILE | explain [PAYMENT]"
    static let options = [
        PaymentsCommand.jsonOption,
        CommandOption("key", value: "KEY", summary: "set: idempotency key of the change (default: a new one)"),
        CommandOption("amount", value: "MONEY", summary: "explain: as in 19.99"),
        CommandOption("currency", value: "CODE", summary: "explain: the amount's currency (default: EUR)"),
        CommandOption("mode", value: "WORD", summary: "explain: sale, authorize, verify or tokenize (default: sale)"),
        CommandOption("method", value: "WORD", summary: "explain: hosted, sdk, instrument or wallet (default: hosted)"),
        CommandOption("country", value: "CODE", summary: "explain: the payer's country, as in DE"),
        CommandOption("customer", value: "TEXT", summary: "explain: the payer as the merchant calls them"),
        CommandOption("provider", value: "NAME", summary: "explain: only accounts there"),
        CommandOption("account-mode", value: "MODE", summary: "explain: live, test or live-autocancel"),
    ]
    static let notes = """
        FILE holds the body of PUT /v1/routes; '-' stands for standard input.
        Asks the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, for that key's merchant.
        """

    func run(arguments: [String]) async throws -> Int32 {
        let given = try ScatteredArguments(arguments, options: Self.options)
        switch given.words.first {
        case "list", nil:
            try given.demand(words: 1)
            return try await list(given)
        case "set":
            try given.demand(words: 2)
            guard given.words.count == 2 else { throw UsageError("name the file with the rules' JSON") }
            return try await set(given.words[1], given)
        case "explain":
            try given.demand(words: 2)
            return try await explain(given)
        case let verb?: throw UsageError("routes know no '\(verb)'; say 'list', 'set FILE' or 'explain [PAYMENT]'")
        }
    }

    private func list(_ given: ScatteredArguments) async throws -> Int32 {
        let shown = try await DaemonCall.withClient { try await $0.call(.get, "/v1/routes") }
        show(shown, given)
        return 0
    }

    /// The file holds the body of `PUT /v1/routes`; '-' stands for standard input.
    private func set(_ path: String, _ given: ScatteredArguments) async throws -> Int32 {
        let body = try DaemonCall.file(path)
        let key = given["key"] ?? "cli-\(SystemRandom().uuid(at: WallClock.now()))"
        let answer = try await DaemonCall.withClient { try await $0.call(.put, "/v1/routes", body, key: key) }
        show(answer, given)
        return 0
    }

    private func show(_ rules: Json, _ given: ScatteredArguments) {
        StandardStream.output.write(given.has("json") ? rules.canonicalText + "\n" : RouteSheet.rules(rules))
    }

    private func explain(_ given: ScatteredArguments) async throws -> Int32 {
        let question = try Self.question(given)
        let answer = try await DaemonCall.withClient { try await $0.call(.post, "/v1/routes/explain", question) }
        let decisions = answer["decisions"]?.items ?? []
        if decisions.isEmpty { StandardStream.error.write("the payment named its account; no rule was asked\n") }
        for decision in decisions {
            StandardStream.output.write(
                given.has("json") ? decision.canonicalText + "\n" : RouteSheet.decision(decision)
            )
        }
        return decisions.allSatisfy { $0["chosen"] != nil } ? 0 : 1
    }

    /// The body of `POST /v1/routes/explain`.
    private static func question(_ given: ScatteredArguments) throws(UsageError) -> Json {
        if given.words.count == 2 {
            guard let payment = PaymentId(given.words[1]) else {
                throw UsageError("'\(given.words[1])' is no payment's id")
            }
            return ["payment": payment.json]
        }
        var amount: Money?
        if let text = given["amount"] {
            guard let currency = Currency(given["currency"] ?? "EUR"), let money = try? Money(written: text, currency)
            else {
                throw UsageError("--amount wants an amount of its currency, as in 19.99")
            }
            amount = money
        }
        if let country = given["country"], !RouteQuestion.isCountry(country) {
            throw UsageError("--country wants two upper-case letters, as in DE")
        }
        let mode: PaymentMode? = try word("mode", given)
        let method: PaymentMethod? = try word("method", given)
        let accountMode: AccountFacts.Mode? = try word("account-mode", given)
        return .compact([
            ("accountMode", accountMode.map { .string($0.rawValue) }), ("amount", amount?.json),
            ("country", given["country"].map(Json.string)), ("customer", given["customer"].map(Json.string)),
            ("method", method.map { .string($0.rawValue) }), ("mode", mode.map { .string($0.rawValue) }),
            ("provider", given["provider"].map(Json.string)),
        ])
    }

    private static func word<Word: RawRepresentable & CaseIterable>(_ name: String, _ given: ScatteredArguments)
        throws(UsageError) -> Word? where Word.RawValue == String
    {
        guard let text = given[name] else { return nil }
        guard let word = Word(rawValue: text) else {
            throw UsageError("--\(name) is one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return word
    }
}

/// Rules and decisions as people read them.
enum RouteSheet {
    static func rules(_ shown: Json) -> String {
        var table = ColumnTable(["RULE", "WHEN", "TO", "THEN", "FALLBACK"])
        let order = words(shown["order"])
        for rule in shown["rules"]?.items ?? [] {
            let shares = (rule["to"]?.items ?? []).map { "\(Cell.text($0["account"])):\(Cell.text($0["weight"]))" }
            let fallback = rule["fallback"]
            let classes = words(fallback?["on"])
            table.add([
                Cell.text(rule["name"]), condition(rule["when"]), shares.joined(separator: " "),
                words(rule["then"], orSay: "-"),
                classes.isEmpty ? "-" : "\(classes) ≤ \(Cell.text(fallback?["attempts"]))",
            ])
        }
        let rules = table.text(orSay: "no rules; 'paystream routes set FILE' sets them")
        var text = "rules, number \(Cell.text(shown["number"]))\n" + rules
        text += "\notherwise, in this order: "
        text += (order.isEmpty ? "no account; 'paystream accounts route ACCOUNT…' sets it" : order) + "\n"
        let breakers = shown["breakers"]?.items ?? []
        if !breakers.isEmpty {
            var table = ColumnTable(["BREAKER", "PHASE", "UNTIL", "TRIPS", "CHANGED"])
            for breaker in breakers {
                table.add([
                    Cell.text(breaker["account"]), Cell.text(breaker["phase"]), Cell.time(breaker["until"]),
                    Cell.text(breaker["trips"]), Cell.time(breaker["changedAt"]),
                ])
            }
            text += "\n" + table.text
        }
        return text
    }

    static func decision(_ shown: Json) -> String {
        let chosen = shown["chosen"].map { Cell.text($0["name"]) } ?? "no account"
        let rule = shown["rule"].map { "rule \(Cell.text($0)) of rules \(Cell.text(shown["rulesNumber"]))" }
        var text = "\(chosen), by \(rule ?? "the plain order"), among \(Cell.text(shown["accountMode"])) accounts"
        text += shown["lastResort"] == nil ? "\n" : ", although every breaker is open\n"
        if let after = shown.at("cause", "after") {
            text += "after attempt \(Cell.text(after)): \(Cell.text(shown.at("cause", "decline", "reason"))), "
            text += "proof \(Cell.text(shown.at("cause", "proof")))\n"
        }
        for skipped in shown["skipped"]?.items ?? [] {
            text += "rule \(Cell.text(skipped["rule"])) does not fit: \(Cell.text(skipped["part"]))\n"
        }
        var table = ColumnTable(["ACCOUNT", "PROVIDER", "WEIGHT", "VERDICT", "REASON"])
        for candidate in shown["candidates"]?.items ?? [] {
            let account = candidate["account"]
            table.add([
                Cell.text(account?["name"] ?? account?["id"]), Cell.text(account?["provider"]),
                Cell.text(candidate["weight"]), Cell.text(candidate["verdict"]), Cell.text(candidate["reason"]),
            ])
        }
        return text + table.text
    }

    private static func condition(_ json: Json?) -> String {
        let members = json?.members?.members ?? []
        return members.isEmpty ? "always" : members.map { "\($0.name)=\(part($0.value))" }.joined(separator: " ")
    }

    private static func part(_ json: Json) -> String {
        guard json.members != nil else { return words(json).replacing(" ", with: ",") }
        let bounds = "\(Cell.text(json["from"]))..<\(Cell.text(json["below"]))"
        return "\(bounds) \(Cell.text(json["currency"]))"
    }

    private static func words(_ json: Json?, orSay nothing: String = "") -> String {
        let words = (json?.items ?? []).compactMap(\.text).joined(separator: " ")
        return words.isEmpty ? nothing : words
    }
}
