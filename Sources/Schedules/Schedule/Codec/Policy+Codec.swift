package import EventSourcing
package import Kernel

extension FiringPolicy {
    package var json: Json {
        .compact([("catchUp", catchUp.json), ("dunning", dunning.json), ("quiet", quiet?.json)])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var quiet: QuietHours?
        if let hours = try fields.optionalFields("quiet") { quiet = try QuietHours(hours) }
        self.init(
            catchUp: try CatchUp(fields.fields("catchUp")),
            dunning: try DunningPolicy(fields.fields("dunning")),
            quiet: quiet
        )
    }
}

extension CatchUp {
    package var json: Json {
        [
            "cap": cap.json, "graceSeconds": .integer(graceSeconds), "mode": .string(mode.rawValue),
            "spreadSeconds": .integer(spreadSeconds),
        ]
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            mode: try fields.word("mode"),
            cap: try fields.int("cap"),
            graceSeconds: try fields.integer("graceSeconds"),
            spreadSeconds: try fields.integer("spreadSeconds")
        )
    }
}

extension QuietHours {
    package var json: Json { ["from": .string(from.text), "to": .string(to.text), "zone": .string(zone)] }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            from: try fields.timeOfDay("from"),
            to: try fields.timeOfDay("to"),
            zone: try fields.text("zone")
        )
    }
}

extension DunningPolicy {
    package var json: Json {
        let named = DeclineKind.allCases.compactMap { kind in steps[kind].map { (kind.rawValue, $0.json) } }
        return [
            "caps": .array(caps.map(\.json)), "endsAtNext": .bool(endsAtNext), "giveUp": .string(giveUp.rawValue),
            "name": .string(name), "steps": .object(JsonObject(named)), "version": version.json,
        ]
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        var steps: [DeclineKind: Step] = [:]
        for member in try fields.value("steps").members?.members ?? [] {
            guard let kind = DeclineKind(rawValue: member.name) else { throw CodecFailure("steps.\(member.name)") }
            steps[kind] = try Step(Fields(member.value))
        }
        self.init(
            name: try fields.text("name"),
            version: try fields.int("version"),
            steps: steps,
            caps: try fields.list("caps") { (cap) throws(CodecFailure) in try NetworkCap(cap) },
            giveUp: try fields.word("giveUp"),
            endsAtNext: try fields.flag("endsAtNext")
        )
    }
}

extension DunningPolicy.Step {
    package var json: Json {
        switch self {
        case .retry(let delays): ["afterSeconds": .array(delays.map { .integer($0) }), "is": "retry"]
        case .stepUp(let seconds): ["is": "stepUp", "seconds": .integer(seconds)]
        case .replaceInstrument: ["is": "replaceInstrument"]
        case .giveUp: ["is": "giveUp"]
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "retry": self = .retry(afterSeconds: try fields.int64s("afterSeconds"))
        case "stepUp": self = .stepUp(seconds: try fields.integer("seconds"))
        case "replaceInstrument": self = .replaceInstrument
        case "giveUp": self = .giveUp
        default: throw CodecFailure("is")
        }
    }
}

extension NetworkCap {
    package var json: Json {
        .compact([("attempts", attempts.json), ("days", days.json), ("scheme", scheme.map(Json.string))])
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            scheme: try fields.optionalText("scheme"),
            attempts: try fields.int("attempts"),
            days: try fields.int("days")
        )
    }
}
