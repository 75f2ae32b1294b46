import EventSourcing
import Http
import Kernel
import Payments
import Projections

/// Months of a merchant's books that are closed.
extension Api {
    func listPeriods(_ call: Call) async throws(Problem) -> HttpResponse {
        Self.page(try await periods(of: call.merchant).map(\.shown), next: nil)
    }

    /// Closes the month that the path names; one that is closed already stays as it is.
    func closePeriod(_ call: Call) async throws(Problem) -> HttpResponse {
        let month = call.path["month"] ?? ""
        guard ClosedPeriod.isMonth(month) else { throw Problem(.routeUnknown, "A month is written as in 2026-10.") }
        var form = try Form(call.body)
        let note = try form.text("note", bytes: PeriodEndpoints.noteBytes)
        try form.end()
        let refusal = try await asked { () async throws(StoreFailure) in
            try await reader.tables.close(month, by: call.actor.id, note: note, of: call.merchant)
        }
        switch refusal {
        case nil: break
        case .notOver?: throw Problem(.periodOpen, "A day of \(month) may still grow.")
        case .streamsAside?: throw Problem(.periodOpen, "Streams are set aside; mend them and build 'movement' again.")
        case .notNext(let next)?: throw Problem(.periodOpen, "The month to close next is \(next).")
        }
        guard let closed = try await periods(of: call.merchant).first(where: { $0.month == month }) else {
            throw .unavailable("the month that was closed is not there")
        }
        // Who repeats it closes nothing: the act is of whoever closed it.
        if closed.closedBy == call.actor.id {
            try await self.note(.notePeriod(month: month), as: "period \(month)", call)
        }
        return .json(200, closed.shown)
    }

    private func periods(of merchant: MerchantNumber) async throws(Problem) -> [ClosedPeriod] {
        try await asked { () async throws(StoreFailure) in try await reader.tables.periods(of: merchant) }
    }
}

extension ClosedPeriod {
    fileprivate var shown: Json {
        .compact([
            ("closedAt", closedAt.json), ("closedBy", .string(closedBy)), ("month", .string(month)),
            ("note", note.map(Json.string)), ("object", "period"), ("position", .integer(position)),
            ("zone", .string(zone)),
        ])
    }
}
