package import EventSourcing
package import Kernel

extension FiringPolicy: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("catchUp", catchUp)
        out.member("dunning", dunning)
        out.member("quiet", quiet)
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

extension CatchUp: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("cap", cap)
        out.member("graceSeconds", graceSeconds)
        out.member("mode", mode)
        out.member("spreadSeconds", spreadSeconds)
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

extension QuietHours: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("from", from.text)
        out.member("to", to.text)
        out.member("zone", zone)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            from: try fields.timeOfDay("from"),
            to: try fields.timeOfDay("to"),
            zone: try fields.text("zone")
        )
    }
}

extension DunningPolicy: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("caps", caps)
        out.member("endsAtNext", endsAtNext)
        out.member("giveUp", giveUp)
        out.member("name", name)
        out.member("steps") { out in
            for kind in DeclineKind.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
                if let step = steps[kind] { out.member(named: kind.rawValue, step) }
            }
        }
        out.member("version", version)
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

extension DunningPolicy.Step: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .retry(let delays):
            out.member("afterSeconds", .array(delays.map { .integer($0) }))
            out.member("is", "retry")
        case .stepUp(let seconds):
            out.member("is", "stepUp")
            out.member("seconds", seconds)
        case .replaceInstrument: out.member("is", "replaceInstrument")
        case .giveUp: out.member("is", "giveUp")
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

extension NetworkCap: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("attempts", attempts)
        out.member("days", days)
        out.member("scheme", scheme)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            scheme: try fields.optionalText("scheme"),
            attempts: try fields.int("attempts"),
            days: try fields.int("days")
        )
    }
}
