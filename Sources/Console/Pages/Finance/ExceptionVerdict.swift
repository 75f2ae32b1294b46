import Api
import Http
import Kernel

/// How an exception may be resolved, and how somebody proposed that it is: what another person reads before he approves.
enum ExceptionVerdict {
    /// Verdicts but links that come into question for an exception of its class.
    static func words(for row: Json, _ visit: Visit) -> [(value: String, title: String)] {
        let name = row["class"]?.text ?? ""
        var words: [(value: String, title: String)] = []
        if !["unknownKind", "timing"].contains(name) { words.append(("adjust", visit.say(.followFile))) }
        if row["file"] != nil, ["missingHere", "duplicate", "currency", "unknownKind"].contains(name) {
            words.append(("disregard", visit.say(.disregardLine)))
        }
        return words
    }

    /// The newest proposal: what it does, why, and whose it is.
    static func proposed(_ number: Int64, of row: Json, _ visit: Visit) -> Html {
        let step = (row["history"]?.items ?? []).first { $0["number"]?.integer == number }
        return facts([
            (visit.say(.verdict), says(step?.at("detail", "verdict"), row, visit).map { Html($0) }),
            (visit.say(.reason), step?.at("detail", "reason")?.text.map { Html($0) }),
            (visit.say(.proposedBy), code(step?["by"]?.text)),
        ])
    }

    /// A step of its history, with what was proposed.
    static func step(_ step: Json, of row: Json, _ visit: Visit) -> String {
        // What ended it is a step, too.
        let name = step["step"]?.text
        let word =
            name.flatMap { Words.exceptionStep[$0] ?? Words.exceptionOutcome[$0] }.map { visit.say($0) } ?? name ?? "–"
        guard let verdict = says(step.at("detail", "verdict"), row, visit) else { return word }
        return "\(word): \(verdict)"
    }

    private static func says(_ verdict: Json?, _ row: Json, _ visit: Visit) -> String? {
        switch verdict?["is"]?.text {
        case "adjust"?: visit.say(.followFile)
        case "disregard"?: visit.say(.disregardLine)
        case "link"?: "\(visit.say(.linkWith)) \(other(verdict, row, visit))"
        case let word: word
        }
    }

    /// The movement or the line that it is linked with.
    private static func other(_ verdict: Json?, _ row: Json, _ visit: Visit) -> String {
        let names = ["position", "number", "file", "line"]
        let candidate = row["candidates"]?.items?.first { candidate in
            names.allSatisfy { candidate[$0]?.scalarText == verdict?[$0]?.scalarText }
        }
        if let name = candidate?["providerReference"]?.text { return name }
        let (place, line) = (verdict?["position"]?.integer, verdict?["line"]?.integer)
        if let place { return "\(visit.say(.position)) \(visit.formats.number(place))" }
        return "\(verdict?["file"]?.text ?? "–"), \(visit.say(.lines)) \(line.map { visit.formats.number($0) } ?? "–")"
    }
}
