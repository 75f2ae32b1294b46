import Payments
import Schedules

/// What a code of a problem says, for the page that the problem's `type` leads to.
package struct ProblemMeaning: Sendable {
    /// What a refusal proves about the command and about money.
    package enum Consequence: String, Sendable {
        case nothing =
            "Nothing was recorded and nothing was sent to a provider: no money moved. The Idempotency-Key is not used up."
        case refused =
            "The command is on record as refused: it moved no money and never will. The same Idempotency-Key gets the same answer again."
        case either =
            "No money moved, and none will by this command. Where detail says that the key is not used up nothing was recorded; else the command is on record as refused."
        case unknown =
            "It is not known whether the command was recorded. The same request with the same Idempotency-Key is carried out at most once, and tells how it stands."
        case stands =
            "The first command with this Idempotency-Key stands as it was decided. This one did nothing and moved no money."
        case question =
            "It was a question: it moved no money and is no command. The provider may have been asked, and nothing more."
        case earlier =
            "What the upload brought before the fault is recorded and stays; the rest is not. No bill is paid before the batch is submitted."
    }

    package let code: String
    /// In one or two sentences.
    package let summary: String
    package let consequence: Consequence
    /// What to do next.
    package let remedy: String

    /// Every code that an answer can have, sorted.
    package static let all: [ProblemMeaning] =
        (Array(byCode.values)).sorted { $0.code.utf8.lexicographicallyPrecedes($1.code.utf8) }

    package static func of(_ code: String) -> ProblemMeaning? { byCode[code] }

    private static let byCode: [String: ProblemMeaning] = {
        let summaries = [wire, requests, access, subjects, bills, commands, schedules, plans]
        return summaries.reduce(into: [:]) { all, group in
            for (code, summary) in group { all[code] = ProblemMeaning(code, summary) }
        }
    }()

    private init(_ code: String, _ summary: String) {
        self.code = code
        self.summary = summary
        let consequence = Self.consequence(of: code)
        self.consequence = consequence
        remedy = Self.wireRemedies[code] ?? ProblemCode(rawValue: code).map(Remedy.of) ?? Self.remedy(of: consequence)
    }

    private static func consequence(of code: String) -> Consequence {
        if let special = special[code] { return special }
        let isOfApi = ProblemCode(rawValue: code) != nil || wire[code] != nil
        let isOfDecision = Rejection.Code(rawValue: code) != nil || ScheduleRejection.Code(rawValue: code) != nil
        return switch (isOfApi, isOfDecision) {
        case (true, false): .nothing
        case (false, true): .refused
        case (true, true), (false, false): .either
        }
    }

    private static let special: [String: Consequence] = [
        "answer_invalid": .unknown, "bill_invalid": .earlier, "credentials_refused": .question,
        "handler_deadline": .unknown, "id_taken": .refused, "idempotency_conflict": .stands,
        "instrument_not_usable": .question,
        // The version that a command assumes is looked at when it is decided.
        "precondition_failed": .either, "provider_refused": .question, "provider_unreachable": .question,
        "read_model_behind": .question, "server_stopped": .unknown, "unavailable": .unknown, "upload_cut": .earlier,
    ]

    private static func remedy(of consequence: Consequence) -> String {
        switch consequence {
        case .refused: "Read the current state, change the command and send it with a new key."
        case .nothing, .either, .earlier, .stands, .question:
            "Correct what detail and path name, and send the command with a new key."
        case .unknown: "Send the same request again with the same key."
        }
    }
}
