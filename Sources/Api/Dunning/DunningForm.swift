import Http
import Kernel
import Schedules

/// `PUT /v1/dunning-policies/{policy}`: what it does not say is as in the standard policy.
struct DunningForm {
    private var steps = DunningPolicy.standard.steps
    private let caps: [NetworkCap]
    private let giveUp: DunningPolicy.GiveUp
    private let endsAtNext: Bool

    static let mostCaps = 20

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        if var given = try form.form("steps") {
            for kind in DeclineKind.allCases {
                guard var step = try given.form(kind.rawValue) else { continue }
                steps[kind] = try Self.step(&step)
                try step.end()
            }
            try given.end()
        }
        caps = try Self.caps(&form)
        giveUp = try form.word("giveUp") ?? DunningPolicy.standard.giveUp
        endsAtNext = try form.flag("endsAtNext") ?? DunningPolicy.standard.endsAtNext
        try form.end()
    }

    /// The card networks' own caps hold beside whatever a merchant adds.
    func policy(named name: String, version: Int) -> DunningPolicy {
        let networks = DunningPolicy.standard.caps
        return DunningPolicy(
            name: name,
            version: version,
            steps: steps,
            caps: networks + caps.filter { !networks.contains($0) },
            giveUp: giveUp,
            endsAtNext: endsAtNext
        )
    }

    private enum StepName: String, CaseIterable { case retry, stepUp, replaceInstrument, giveUp }

    private static func step(_ form: inout Form) throws(Problem) -> DunningPolicy.Step {
        guard let name: StepName = try form.word("is") else { throw form.missing("is") }
        switch name {
        case .retry:
            guard let given = form.value("afterSeconds") else { throw form.missing("afterSeconds") }
            guard let items = given.items else { throw form.wrongType("afterSeconds", "A list") }
            guard (1...DunningPolicy.retriesPerOccurrence).contains(items.count) else {
                throw Problem(
                    .tooMany,
                    "1 to \(DunningPolicy.retriesPerOccurrence) retries.",
                    path: form.path(of: "afterSeconds")
                )
            }
            var delays: [Int64] = []
            for item in items {
                guard let delay = item.integer, DunningPolicy.delaySeconds.contains(delay) else {
                    throw Problem(
                        .numberOutOfRange,
                        "Each is \(DunningPolicy.delaySeconds.lowerBound) to \(DunningPolicy.delaySeconds.upperBound).",
                        path: form.path(of: "afterSeconds")
                    )
                }
                delays.append(delay)
            }
            return .retry(afterSeconds: delays)
        case .stepUp:
            guard let seconds = try form.integer("seconds", in: DunningPolicy.delaySeconds) else {
                throw form.missing("seconds")
            }
            return .stepUp(seconds: seconds)
        case .replaceInstrument: return .replaceInstrument
        case .giveUp: return .giveUp
        }
    }

    private static func caps(_ form: inout Form) throws(Problem) -> [NetworkCap] {
        guard let given = form.value("caps") else { return [] }
        guard let items = given.items else { throw form.wrongType("caps", "A list") }
        guard items.count <= mostCaps else {
            throw Problem(.tooMany, "At most \(mostCaps) caps.", path: form.path(of: "caps"))
        }
        var caps: [NetworkCap] = []
        for (index, item) in items.enumerated() {
            var line = try Form(item, at: form.path.appending("caps").appending(String(index)))
            let scheme = try line.text("scheme", bytes: DunningPolicy.nameBytes)
            guard let attempts = try line.int("attempts", 1...1000) else { throw line.missing("attempts") }
            guard let days = try line.int("days", 1...Int64(NetworkCap.longestDays)) else { throw line.missing("days") }
            try line.end()
            caps.append(NetworkCap(scheme: scheme, attempts: attempts, days: days))
        }
        return caps
    }
}

/// Schemas of dunning policies, asked for and answered.
extension DunningForm {
    static let schemas: [(String, Json)] = [
        ("DunningPolicy", dunning), ("DunningPolicyPage", Schema.page(Schema.ref("DunningPolicy"))),
    ]

    private static var name: Json { Schema.text(atMost: DunningPolicy.nameBytes) }

    static let schema = FormSchema(
        "KeepDunningPolicy",
        Schema.closed(content, "What it does not say is as in the standard policy; the networks' caps always hold."),
        example: [
            "steps": ["insufficientFunds": ["is": "retry", "afterSeconds": [86_400, 259_200]]], "giveUp": "mark",
        ]
    )

    private static var step: Json {
        let delay = Schema.integer(
            from: DunningPolicy.delaySeconds.lowerBound,
            to: DunningPolicy.delaySeconds.upperBound
        )
        return Schema.closed(
            [
                ("is", ["type": "string", "enum": ["retry", "stepUp", "replaceInstrument", "giveUp"]]),
                ("afterSeconds", Schema.list(delay)), ("seconds", delay),
            ],
            required: ["is"],
            "retry takes afterSeconds, stepUp takes seconds."
        )
    }

    private static var content: [(String, Json)] {
        [
            ("steps", Schema.closed(DeclineKind.allCases.map { ($0.rawValue, step) })),
            (
                "caps",
                Schema.list(
                    Schema.closed(
                        [
                            ("scheme", name), ("attempts", Schema.integer(from: 1, to: 1000)),
                            ("days", Schema.integer(from: 1, to: Int64(NetworkCap.longestDays))),
                        ],
                        required: ["attempts", "days"]
                    )
                )
            ),
            ("giveUp", Schema.words(DunningPolicy.GiveUp.self)), ("endsAtNext", Schema.flag),
        ]
    }

    private static var dunning: Json {
        Schema.object(
            [("object", ["const": "dunning_policy"]), ("name", name), ("version", Schema.integer(from: 1))] + content,
            required: ["object", "name", "version", "steps", "caps", "giveUp", "endsAtNext"]
        )
    }
}
