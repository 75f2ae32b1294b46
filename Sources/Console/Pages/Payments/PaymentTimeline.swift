import Http
import Kernel

/// What happened, event by event, each with what it says and the way to what proved it.
struct PaymentTimeline {
    private let visit: Visit
    private let payment: Json
    /// `nil` where the key may not read the log.
    private let events: [Json]?
    /// Whether there are more of them than are shown.
    private let isCut: Bool

    /// So many events, or a page of them more, are shown at most.
    static let most = 500

    init(_ visit: Visit, _ payment: Json, _ events: [Json]?, isCut: Bool) {
        self.visit = visit
        self.payment = payment
        self.events = events
        self.isCut = isCut
    }

    var html: Html {
        panel(visit.say(.timeline)) {
            if let events {
                if isCut {
                    tag("p", .class("notice")) { visit.say(.timelineCut, ["count": "\(events.count)"]) }
                }
                tag("ol", .class("timeline")) {
                    for event in events.reversed() { line(event) }
                }
            } else {
                emptyState(visit.say(.logNotShown), visit.say(.logNotShownHint))
            }
        }
    }

    private func line(_ event: Json) -> Html {
        let type = event["type"]?.text ?? ""
        let data = event["data"] ?? [:]
        return tag("li", .class("event event-\(Words.tone(event: type, data).rawValue)")) {
            tag("details") {
                tag("summary", .class("event-head")) {
                    tag("strong") { visit.word(Words.event, type) }
                    summary(data)
                    visit.formats.moment(event["recordedAt"]?.text, seconds: true)
                }
                evidence(event, type, data)
            }
        }
    }

    private func evidence(_ event: Json, _ type: String, _ data: Json) -> Html {
        tag("div", .class("evidence")) {
            facts([
                (visit.say(.version), Html("\(event["version"]?.integer ?? 0)")),
                (visit.say(.position), Html("\(event["position"]?.integer ?? 0)")),
                (visit.say(.eventType), code(type)), (visit.say(.cause), code(event["cause"]?.text)),
            ])
            tag("pre", .of("tabindex", "0"), .label(visit.say(.eventData))) { data.indented }
            if let cause = event["cause"]?.text {
                tag("p") {
                    link(
                        visit.say(.rawExchange),
                        Address("payments", payment["id"]?.text ?? "", "inputs", cause),
                        "button"
                    )
                    " "
                    tag("span", .class("hint")) { visit.say(.rawExchangeHint) }
                }
            }
        }
    }

    /// What the event says in a line: kind, amount, outcome, reason, as far as it has them.
    private func summary(_ data: Json) -> Html? {
        var parts: [Html] = []
        let places = [data, data["sighted"], data["fact"], data["terms"]].compactMap(\.self)
        if let kind = first(places, ["kind"]) { parts.append(Html(visit.word(Words.operation, kind))) }
        if let amount = places.compactMap({ $0["amount"] }).first(where: { $0["value"] != nil }) {
            parts.append(tag("strong") { visit.formats.money(amount) })
        }
        if let decline = places.compactMap({ $0["decline"] ?? $0["outcome"]?["decline"] }).first {
            let word = decline["class"]?.text ?? decline["reason"]?.text
            parts.append(badge(visit.word(Words.decline, word), .waits))
        }
        if let outcome = places.compactMap({ $0["outcome"]?["is"]?.text }).first {
            parts.append(Html(visit.word(Words.outcome, outcome)))
        } else if let word = first(places, ["is", "stage", "reason", "purpose"]), !word.isEmpty {
            parts.append(Html(visit.word(Words.outcome, word)))
        }
        guard !parts.isEmpty else { return nil }
        return tag("span", .class("event-says")) {
            for (index, part) in parts.enumerated() {
                if index > 0 { " · " }
                part
            }
        }
    }

    private func first(_ places: [Json], _ names: [String]) -> String? {
        for place in places { for name in names { if let text = place[name]?.text { return text } } }
        return nil
    }
}

extension Json {
    /// The value over several lines, for people.
    var indented: String {
        var out = ""
        write(into: &out, depth: 0)
        return out
    }

    private func write(into out: inout String, depth: Int) {
        let inner = String(repeating: "  ", count: depth + 1)
        switch self {
        case .object(let object) where !object.isEmpty:
            out += "{\n"
            for (index, member) in object.members.enumerated() {
                out += inner + Json.string(member.name).canonicalText + ": "
                member.value.write(into: &out, depth: depth + 1)
                out += index + 1 < object.members.count ? ",\n" : "\n"
            }
            out += inner.dropLast(2) + "}"
        case .array(let items) where !items.isEmpty:
            out += "[\n"
            for (index, item) in items.enumerated() {
                out += inner
                item.write(into: &out, depth: depth + 1)
                out += index + 1 < items.count ? ",\n" : "\n"
            }
            out += inner.dropLast(2) + "]"
        case .null, .bool, .number, .string, .array, .object: out += canonicalText
        }
    }
}
