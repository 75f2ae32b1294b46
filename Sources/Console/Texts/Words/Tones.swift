import Http
import Kernel

/// How much somebody has to care about something.
extension Words {
    /// A payment's status: red only where a person must do something.
    static func tone(payment row: Json) -> Tone {
        let owners = (row["obligations"]?.items ?? []).compactMap { $0["owner"]?.text }
        if owners.contains("operator") { return .person }
        switch row["status"]?.text {
        case "disputed": return .person
        case "created", "requiresAction", "processing", "indeterminate", "authorized", "accepted": return .waits
        case "failed", "expired", "voided", "released": return .quiet
        default: return .fine
        }
    }

    static func tone(owner: String) -> Tone {
        switch owner {
        case "operator", "merchant": .person
        case "payer", "provider": .waits
        default: .quiet
        }
    }

    static func tone(operation state: String) -> Tone {
        switch state {
        case "succeeded": .fine
        case "failed", "notExecuted": .quiet
        default: .waits
        }
    }

    static func tone(event type: String, _ data: Json) -> Tone {
        switch type {
        case "payment.contradiction_found.v1", "payment.over_returned.v1", "payment.late_success.v1",
            "dispute.recorded.v1", "payment.unrecognised_reported.v1":
            .person
        case "operation.reported.v1", "operation.ended.v1", "operation.adopted.v1": .fine
        default: .quiet
        }
    }

    static func tone(schedule status: String) -> Tone {
        switch status {
        case "active": .fine
        case "registered", "paused", "accepted": .waits
        default: .quiet
        }
    }

    static func tone(occurrence state: String) -> Tone {
        switch state {
        case "succeeded": .fine
        case "inFlight", "declined", "waiting", "stepUp": .waits
        case "givenUp": .person
        default: .quiet
        }
    }

    static func tone(batch status: String) -> Tone {
        switch status {
        case "completed": .fine
        case "unresolved", "paused": .person
        case "failed", "partially_completed": .quiet
        default: .waits
        }
    }

    static func tone(bill outcome: String) -> Tone {
        switch outcome {
        case "paid": .fine
        case "unknown": .person
        case "failed", "cancelled", "refused", "refunded": .quiet
        default: .waits
        }
    }

    static func tone(breaker phase: String) -> Tone {
        switch phase {
        case "closed": .fine
        case "open", "halfOpen": .waits
        default: .quiet
        }
    }

    /// Whether a payment is on its way, so that its page looks for news.
    static func isUnderWay(_ payment: Json) -> Bool {
        if ["created", "requiresAction", "processing", "indeterminate", "accepted"].contains(payment["status"]?.text) {
            return true
        }
        return (payment["operations"]?.items ?? []).contains {
            ["requested", "pending", "indeterminate"].contains($0["state"]?.text)
        }
    }
}

extension Visit {
    /// A payment's status in its tone.
    func statusBadge(_ row: Json) -> Html { badge(word(Words.status, row["status"]?.text), Words.tone(payment: row)) }
}
