import EventSourcing
import Http
import Kernel
import Payments

/// A test merchant's own clock: made once, moved forward, never back.
extension Api {
    func getClock(_ call: Call) async throws(Problem) -> HttpResponse {
        guard let clock = try await clock(call) else {
            throw Problem(.clockUnknown, "This merchant lives by the server's clock.")
        }
        return .json(200, clock.json)
    }

    /// Gives the merchant a clock, where every account of it is in test mode.
    func ownClock(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        let wanted = try form.time("at")
        try form.end()
        if let owned = try await clock(call) {
            guard wanted == nil || wanted == owned.at else {
                throw Problem(.clockOwned, "This merchant has a clock, at \(owned.at): advance it.", path: "at")
            }
            return .json(200, owned.json)
        }
        let start = wanted ?? call.now
        guard start >= call.now.adding(.seconds(-Self.clockTolerance)), start <= Self.lastMoment else {
            throw Problem(.clockPast, "A clock begins now or later, before the year 2200.", path: "at")
        }
        guard try await accountsNow(call).allSatisfy({ $0.configuration.map { $0.mode == .test } ?? true }) else {
            throw Problem(.clockNotAllowed, "Only a merchant whose accounts are all in test mode may own a clock.")
        }
        let isNew = try await asked { () async throws(StoreFailure) in
            try await reader.tables.own(call.merchant, from: start)
        }
        guard let clock = try await clock(call) else {
            throw Problem(.unavailable, "The clock could not be made.")
        }
        if isNew { try await note(.noteClock(start: start), as: "own clock", call) }
        return .json(isNew ? 201 : 200, clock.json)
    }

    /// Sends the clock on its way; it is there once `travellingTo` is gone.
    func advanceClock(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try Form(call.body)
        guard let target = try form.time("to") else { throw form.missing("to") }
        try form.end()
        guard try await clock(call) != nil else {
            throw Problem(.clockUnknown, "This merchant lives by the server's clock.")
        }
        guard target <= Self.lastMoment else {
            throw Problem(.clockPast, "A clock ends before the year 2200.", path: "to")
        }
        let isSent = try await asked { () async throws(StoreFailure) in
            try await reader.tables.send(call.merchant, to: target)
        }
        guard isSent, let clock = try await clock(call) else {
            throw Problem(.clockPast, "The clock is past this moment, or on its way to a later one.", path: "to")
        }
        try await note(.noteClockSent(to: target), as: "clock to \(target)", call)
        return .json(202, clock.json)
    }

    /// Business time of the caller's merchant.
    func businessNow(_ call: Call) async throws(Problem) -> Timestamp { try await clock(call)?.at ?? call.now }

    func clock(_ call: Call) async throws(Problem) -> ClockState? {
        try await asked { () async throws(StoreFailure) in try await reader.tables.clock(of: call.merchant) }
    }

    /// Seconds that a client's clock may be behind.
    private static let clockTolerance: Int64 = 60
    /// 2200-01-01T00:00:00Z: calendars are proved until 2100.
    private static let lastMoment = Timestamp(seconds: 7_258_118_400)
}
