import Kernel
import Payments

/// The name of something at a provider, as it must be to be kept and found again.
package enum ProviderName {
    /// Whether a name is no longer than the store keeps and holds no control characters.
    ///
    /// PostgreSQL keeps no U+0000 in a text. A name that was cut short would be another one.
    package static func isReadable(_ name: String) -> Bool {
        name.utf8.count <= Limits.providerNameBytes && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}

/// A document from outside that is kept whole under one envelope: it says nothing to an adapter.
package enum KeptWhole {
    /// The member that holds the envelope.
    package static let member = "keptWhole"

    /// Why an answer that was kept so counts as none.
    package static let reason = DispatchReason.unreadable(what).text
    fileprivate static let what = "a document kept whole"

    package static func body(_ sealed: [UInt8]) -> [UInt8] {
        Json.object(JsonObject([(member, .string(Base64.encode(sealed)))])).compactBytes
    }

    private static let start = Array("{\"\(member)\":".utf8)

    package static func holds(_ body: [UInt8]) -> Bool { body.starts(with: start) }
}

extension Authentication {
    /// The same where each name of it can be kept; a message that names something otherwise is refused.
    package var withReadableNames: Authentication {
        switch self {
        case .verified(let told), .unsigned(let told):
            let names = told.events.flatMap(\.references).map(\.value)
            return names.allSatisfy(ProviderName.isReadable) ? self : .rejected(reason: "name_unreadable")
        case .rejected, .unrecognised: return self
        }
    }
}

extension Observation {
    /// The facts of it where they can be kept, else that it can't be read.
    func readable(_ read: () -> [Fact]) -> [Fact] {
        if let body = self.body, KeptWhole.holds(body) { return unreadable(KeptWhole.what) }
        let facts = read()
        for fact in facts {
            if let odd = fact.names.first(where: { !ProviderName.isReadable($0.value) }) {
                return unreadable("the name of \(odd.kind)")
            }
        }
        return facts
    }

    private var body: [UInt8]? {
        switch self {
        case .answered(_, _, _, let body), .notification(let body): body
        case .notSent, .sentNoAnswer: nil
        }
    }

    private func unreadable(_ what: String) -> [Fact] {
        switch self {
        case .answered, .notSent, .sentNoAnswer: [.dispatch(.unknown(reason: DispatchReason.unreadable(what).text))]
        case .notification: [.unrecognised(what: what, value: "unreadable"), .question]
        }
    }
}

extension Fact {
    /// The provider's names in it, each with what it names.
    fileprivate var names: [(kind: String, value: String)] {
        switch self {
        case .operation(let told): told.names
        case .statement(let told): told.entries.flatMap(\.operation.names)
        case .order(let order): [("an order", order.id)]
        case .series(let series): [("a series", series.id)]
        case .seriesDebit(let debit):
            [("a debit", debit.payment), ("a series", debit.series)]
                + (debit.operation.map { [("an operation", $0)] } ?? [])
        case .dispute(let dispute):
            [("a dispute", dispute.providerId), ("an operation", dispute.charge)].compactMap { kind, value in
                value.map { (kind, $0) }
            }
        case .instrument(let told): told.networkReference.map { [("a payment at the network", $0)] } ?? []
        case .method(let name, _): [("a method", name)]
        case .complete, .attempt, .dispatch, .instrumentNews, .receipt, .fee, .commission, .contradiction, .question,
            .firstAnswer, .unrecognised:
            []
        }
    }
}

extension ProviderOperation {
    fileprivate var names: [(kind: String, value: String)] {
        [("an operation", providerId)] + (ourReference.map { [("an operation", $0)] } ?? [])
    }
}
