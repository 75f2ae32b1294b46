import EventSourcing
import Kernel
import Payments

/// The one wire format that every model speaks: what is said matters here, and how the real one spells it does not.
enum ModelWire {
    /// A request as it arrives.
    struct Request: Sendable {
        let isQuery: Bool
        let kind: OperationKind
        let payment: String
        /// Our name of the operation; a provider that takes no key never looks at it, the ledger always does.
        let operation: String
        let amount: Money?
        let isFull: Bool
        let deadline: Timestamp

        init?(_ body: [UInt8]) {
            guard let json = try? Json(body), let payment = json["payment"]?.text,
                let deadline = json["deadline"]?.text.flatMap({ Timestamp($0) }),
                let kind = json["kind"]?.text.flatMap({ OperationKind(rawValue: $0) })
            else { return nil }
            isQuery = json["purpose"]?.text == "query"
            self.kind = kind
            self.payment = payment
            operation = json["operation"]?.text ?? ""
            amount = json["amount"].flatMap { Money(json: $0) }
            isFull = json["isFull"]?.flag ?? false
            self.deadline = deadline
        }
    }

    /// An answer of the model.
    enum Answer: Sendable {
        /// Taken; `order` names what was opened for the payer.
        case accepted(order: String?, Json?)
        case refused(code: String)
        /// The key is known: the earlier request decides.
        case duplicate
        case answered(Json)
        case unknownReference

        var json: Json {
            switch self {
            case .accepted(let order, let state):
                .compact([("order", order.map(Json.string)), ("state", state), ("verdict", "accepted")])
            case .refused(let code): ["code": .string(code), "verdict": "refused"]
            case .duplicate: ["verdict": "duplicate"]
            case .answered(let state): ["state": state, "verdict": "answered"]
            case .unknownReference: ["verdict": "unknown"]
            }
        }
    }

    /// The facts that an answer or notification holds.
    static func facts(_ body: [UInt8], for purpose: DispatchPurpose?, _ reference: String) -> [Fact] {
        guard let json = try? Json(body) else {
            return purpose == nil ? [.question] : [.dispatch(.unknown(reason: "unreadable"))]
        }
        guard purpose != nil else { return state(json, reference) }
        let told = json["state"].map { state($0, reference) } ?? []
        switch json["verdict"]?.text {
        case "accepted":
            let order = json["order"]?.text.map { [Fact.order(ProviderOrder(id: $0))] } ?? []
            return [.dispatch(.accepted)] + order + told
        case "refused":
            let decline = Decline(reason: .hard, code: json["code"]?.text, tableVersion: 1)
            // As real ones read a refusal to open: nothing more will come of the attempt.
            let isOpening = if case .operation(let kind)? = purpose { kind.isInitial } else { false }
            return [.dispatch(.notExecuted(decline))] + (isOpening ? [.attempt(.closed(.declined(decline)))] : [])
        case "duplicate": return [.dispatch(.duplicate(code: "known"))]
        case "answered": return [.dispatch(.answered)] + told
        case "unknown": return [.dispatch(.answered), .attempt(.notRegistered)]
        default: return [.dispatch(.unknown(reason: "no verdict"))]
        }
    }

    private static func state(_ json: Json, _ reference: String) -> [Fact] {
        guard json["payment"]?.text == reference else {
            return [.contradiction(.identity, detail: "payment \(json["payment"]?.text ?? "?")")]
        }
        // As real ones do: an order that nobody paid is shown all the same.
        var facts = json["order"]?.text.map { [Fact.order(ProviderOrder(id: $0))] } ?? []
        facts += (json["operations"]?.items ?? []).compactMap { operation($0).map(Fact.operation) }
        switch json["ending"]?.text {
        case "expired": facts.append(.attempt(.closed(.expired)))
        case "cancelled": facts.append(.attempt(.closed(.cancelled)))
        default: break
        }
        return facts
    }

    private static func operation(_ json: Json) -> ProviderOperation? {
        guard let id = json["id"]?.text, let kind = json["kind"]?.text.flatMap({ OperationKind(rawValue: $0) }),
            let outcome = json["outcome"]?.text.flatMap({ ModelOperation.Outcome(rawValue: $0) })
        else { return nil }
        return ProviderOperation(
            providerId: id,
            kind: kind,
            outcome: outcome.shown,
            amount: EvidenceAmount(json["amount"].flatMap { Money(json: $0) }),
            ourReference: json["reference"]?.text,
            createdAt: json["created"]?.text.flatMap { Timestamp($0) },
            changedAt: json["changed"]?.text.flatMap { Timestamp($0) }
        )
    }
}

extension ModelOperation.Outcome {
    fileprivate var shown: ProviderOutcome {
        switch self {
        case .waiting: .waiting(.threeDSecure)
        case .processing: .processing
        case .succeeded: .succeeded
        case .declined: .declined(Decline(reason: .soft, code: "no", tableVersion: 1))
        }
    }
}
