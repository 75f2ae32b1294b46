package import Kernel
package import Payments

/// How a provider tells under an error's status that it refused a message.
///
/// An answer that looks otherwise may be of something before the provider, and proves nothing of what was done.
package struct RefusalForm: Hashable, Sendable {
    /// The statuses that it documents for a refusal.
    package let statuses: Set<Int>
    /// Where its error object has a code; a refusal has one at one of these places.
    package let codes: [JsonPath]

    /// No such answer is a refusal.
    package static let none = RefusalForm(statuses: [], codes: [])

    package init(statuses: Set<Int>, codes: [JsonPath]) {
        self.statuses = statuses
        self.codes = codes
    }

    package func holds(_ status: Int, _ body: [UInt8]) -> Bool {
        guard statuses.contains(status), let json = (try? Json(body)) ?? (try? Json(body, limits: .repeating)) else {
            return false
        }
        return codes.contains { Self.stands(json, at: $0.steps[...]) }
    }

    private static func stands(_ json: Json, at steps: ArraySlice<String>) -> Bool {
        guard let step = steps.first else { return json.scalarText?.isEmpty == false }
        if step == "*" { return json.items?.contains { stands($0, at: steps.dropFirst()) } ?? false }
        return json[step].map { stands($0, at: steps.dropFirst()) } ?? false
    }
}

extension Declaration {
    /// The rest of a reading once its refusals are held against the form that the provider documents: an error in no
    /// such form says nothing of a message that may have moved money.
    package func believed(_ facts: [Fact], of observation: Observation) -> [Fact] {
        guard case .answered(.operation, let status, _, let body) = observation, !(200...299).contains(status),
            facts.contains(where: \.refusesMessage), !refusals.holds(status, body)
        else { return facts }
        return [.dispatch(.unknown(reason: "HTTP \(status) in no form of the provider's"))]
            + facts.filter { !$0.isRefusal && !$0.isDispatch }
    }

    /// The same of a message about bills: in no such form neither the whole is refused nor a bill told as unpaid or untouched.
    package func believed(
        _ read: (outcome: DispatchOutcome, reading: BillReading),
        of observation: Observation
    ) -> (outcome: DispatchOutcome, reading: BillReading) {
        guard case .answered(_, let status, _, let body) = observation, !(200...299).contains(status),
            !refusals.holds(status, body)
        else { return read }
        let (outcome, reading) = read
        let reason = "HTTP \(status) in no form of the provider's"
        switch reading.whole {
        case .notExecuted, .refused: return (.unknown(reason: reason), BillReading(.unanswered(reason: reason)))
        case .unanswered: return read
        case .reports:
            let told = BillReading(
                .reports,
                standings: reading.standings.filter { !$0.outcome.mayBeRepeated },
                action: reading.action,
                foreign: reading.foreign
            )
            return (outcome, told)
        }
    }
}

extension Fact {
    fileprivate var isDispatch: Bool { if case .dispatch = self { true } else { false } }

    fileprivate var refusesMessage: Bool {
        if case .dispatch(.notExecuted) = self { return true }
        return isRefusal
    }
}
