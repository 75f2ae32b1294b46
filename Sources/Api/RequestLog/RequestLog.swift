import EventSourcing
import Kernel

/// Answered requests on their way into the request log: in memory, bounded, and taken away as pages by whoever writes them.
///
/// A merchant has room while he has fewer here than are free; beyond that his newest takes the place of his oldest. Whatever the database
/// does, a request costs a copy and nobody's requests push out all of another's.
package final class RequestLog: Sendable {
    /// What one merchant sent lately: a ring once there is no more room for it.
    private struct Recent {
        var requests: [AnsweredRequest] = []
        var oldest = 0

        mutating func replaceOldest(by request: AnsweredRequest) {
            requests[oldest] = request
            oldest = (oldest + 1) % requests.count
        }
    }

    private struct State {
        var count = 0
        var waiting: [MerchantNumber: Recent] = [:]
        /// What is being written.
        var leaving: [MerchantNumber: Recent] = [:]
        var lost: Int64 = 0
    }

    /// Requests of one merchant, and of all, between two pages.
    package static let merchantRequests = 2_000
    package static let requests = 8_192

    private let state = Locked(State())

    package init() {}

    func note(_ request: AnsweredRequest) {
        let merchant = request.caller.merchant
        state.withLock { state in
            let count = state.waiting[merchant]?.requests.count ?? 0
            if count < min(Self.merchantRequests, Self.requests - state.count) {
                state.waiting[merchant, default: Recent()].requests.append(request)
                state.count += 1
            } else {
                if count > 0 { state.waiting[merchant]?.replaceOldest(by: request) }
                state.lost += 1
            }
        }
    }

    /// Takes what waits as a page of each merchant; `settle` says what became of them.
    package func take() -> [RequestPage] {
        let leaving = state.withLock { state in
            state.leaving = state.waiting
            state.waiting = [:]
            state.count = 0
            return state.leaving
        }
        return leaving.map { RequestPage($0.key, $0.value.requests.map(\.entry)) }
    }

    /// Forgets what was taken last; where it was not written, it is lost.
    package func settle(isWritten: Bool) {
        state.withLock { state in
            if !isWritten { state.lost += state.leaving.values.reduce(0) { $0 + Int64($1.requests.count) } }
            state.leaving = [:]
        }
    }

    /// Requests that found no room or could not be written, since the start.
    package var lost: Int64 { state.withLock { $0.lost } }

    /// A request that no page has yet.
    func entry(_ id: Uuid, of merchant: MerchantNumber) -> RequestEntry? {
        state.withLock { state in
            let recent = [state.waiting[merchant], state.leaving[merchant]].compactMap(\.self)
            return recent.lazy.flatMap(\.requests).first { $0.id == id }
        }?.entry
    }
}
