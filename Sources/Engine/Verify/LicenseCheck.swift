package import Decisions
package import EventSourcing
import Kernel
import Payments
package import ProviderKit

/// Walks every stream of the log and holds each send against its licence; it needs the memory of a page of streams.
///
/// It runs beside a living daemon: what looks wrong is read again until the stream stood still between two looks.
package struct LicenseCheck: Sendable {
    private let store: any EventStore & WorkQueue & DispatchRecords
    private let book: AccountBook
    private let adapters: AdapterRegistry
    private let publicUrl: String
    /// Streams or rows that are read at once.
    private static let page = 200
    /// Looks at a stream that keeps moving.
    private static let looks = 5

    package init(
        store: any EventStore & WorkQueue & DispatchRecords,
        adapters: AdapterRegistry,
        publicUrl: String = ""
    ) {
        self.store = store
        book = AccountBook(store: store, recovery: NoRecovery())
        self.adapters = adapters
        self.publicUrl = publicUrl
    }

    package func verify(progress: @Sendable (LicenseReport) -> Void = { _ in }) async throws(StoreFailure)
        -> LicenseReport
    {
        var report = LicenseReport()
        let marked = try await store.marksBegan()
        var last: StreamName?
        while true {
            let page = try await store.streams(after: last, limit: Self.page)
            guard let end = page.last else { break }
            let licensed = page.filter { LicenseBook.covers($0.kind) }
            let seen = try await look(at: licensed, marked)
            for view in seen {
                report.streams += 1
                report.licenses += view.book?.count ?? 0
                report.sends += view.sends
                report.add(view.breaches.isEmpty ? [] : try await lookAgain(view, marked))
            }
            last = end
            progress(report)
        }
        try await checkRows(&report)
        let strays = try await store.strayMarks(limit: LicenseReport.listed)
        report.sends += strays.count
        report.add(
            strays.map {
                LicenseBreach(
                    .unlicensed,
                    $0.stream,
                    effect: $0.effect,
                    ordinal: $0.ordinal,
                    "marked at \($0.at); the log does not know the stream"
                )
            }
        )
        return report
    }

    /// One look at one stream.
    private struct View {
        let stream: StreamName
        let version: Int32
        let book: LicenseBook?
        let sends: Int
        let breaches: [LicenseBreach]
    }

    private func look(at streams: [StreamName], _ marked: Timestamp) async throws(StoreFailure) -> [View] {
        guard !streams.isEmpty else { return [] }
        // Licences first, then what was done with them: a newer mark has its licence only in a newer look.
        let histories = try await store.load(streams.map { ($0, 0) })
        let marks = try await store.marks(of: streams)
        let now = try await store.now()
        var views: [View] = []
        for ((stream, history), own) in zip(zip(streams, histories), marks) {
            views.append(try await view(stream, history, own, marked, now))
        }
        return views
    }

    private func view(
        _ stream: StreamName,
        _ history: [RecordedEvent],
        _ marks: [SendingMark],
        _ marked: Timestamp,
        _ now: Timestamp
    ) async throws(StoreFailure) -> View {
        let version = history.last?.version ?? 0
        var licenses = LicenseBook(stream)
        var payment = Payment(id: PaymentId(stream.id))
        for recorded in history {
            do throws(CodecFailure) {
                try licenses.take(recorded)
                if stream.kind.isPayment {
                    payment.evolve(try PaymentEvent(recorded))
                }
            } catch {
                let breach = LicenseBreach(.unreadable, stream, "event \(recorded.version): \(error.path)")
                return View(stream: stream, version: version, book: nil, sends: marks.count, breaches: [breach])
            }
        }
        let open = licenses.openEffects
        let rows = open.isEmpty ? [] : try await store.effects(open, merchant: stream.merchant)
        let (terms, unread) = try await terms(of: licenses)
        var unsent: Set<Uuid> = []
        for id in licenses.doubtful(marks) {
            let input = try await store.input(id, merchant: stream.merchant)
            if input?.name == AnswerName.notSent.rawValue { unsent.insert(id) }
        }
        let breaches = licenses.breaches(
            marks: marks,
            rows: rows,
            closed: Set(payment.operations.filter(\.isClosed).map(\.id)),
            terms: terms,
            marked: marked,
            unsent: unsent,
            now: now
        )
        return View(stream: stream, version: version, book: licenses, sends: marks.count, breaches: unread + breaches)
    }

    /// The promises of accounts that licences rest on, and the licences whose account can't be read any more.
    ///
    /// A licence rests on them if it follows another one; behind a restore each does.
    private func terms(of licenses: LicenseBook) async throws(StoreFailure) -> ([RecoveryTerms], [LicenseBreach]) {
        var terms: [RecoveryTerms] = []
        var unread: [LicenseBreach] = []
        for license in licenses.underTerms
        where !terms.contains(where: { $0.account == license.account && $0.version == license.accountVersion }) {
            let account = try await book.at(license.accountVersion, license.account, licenses.stream.merchant)
            if let recovery = account.flatMap(recovery) {
                terms.append(
                    RecoveryTerms(account: license.account, version: license.accountVersion, recovery: recovery)
                )
            } else {
                unread.append(
                    LicenseBreach(
                        .unreadable,
                        licenses.stream,
                        effect: license.effect.uuid,
                        ordinal: license.ordinal,
                        "version \(license.accountVersion) of account \(license.account) can't be read"
                    )
                )
            }
        }
        return (terms, unread)
    }

    private func recovery(of account: ConfiguredAccount) -> Capabilities.Recoveries? {
        let adapter = adapters[account.facts.provider]
        return (try? adapter?.capabilities(account.settings(publicUrl: publicUrl)))?.recovery
    }

    /// Reads a stream again until it stood still between two looks that found something.
    private func lookAgain(_ first: View, _ marked: Timestamp) async throws(StoreFailure) -> [LicenseBreach] {
        var last = first
        for _ in 0..<Self.looks {
            guard let next = try await look(at: [first.stream], marked).first, !next.breaches.isEmpty else { return [] }
            if next.version == last.version { return next.breaches.filter(last.breaches.contains) }
            last = next
        }
        return last.breaches
    }

    /// Every effect row has its licence.
    private func checkRows(_ report: inout LicenseReport) async throws(StoreFailure) {
        var last: EffectStanding?
        while true {
            let rows = try await store.effects(after: last, limit: Self.page)
            guard let end = rows.last else { return }
            report.rows += rows.count
            // The log is read after the rows: a row's licence was there before it.
            let streams = Array(Set(rows.map(\.stream))).sorted()
            var books: [StreamName: LicenseBook] = [:]
            for (stream, history) in zip(streams, try await store.load(streams.map { ($0, 0) })) {
                var licenses = LicenseBook(stream)
                for recorded in history {
                    try? licenses.take(recorded)
                }
                books[stream] = licenses
            }
            for row in rows where LicenseBook.covers(row.stream.kind) {
                guard let breach = books[row.stream]?.breach(of: row) else { continue }
                // The row may have gone, or moved on, since the page was read.
                let now = try await store.effects([row.id], merchant: row.stream.merchant)
                if now.first?.ordinal == row.ordinal { report.add([breach]) }
            }
            last = end
        }
    }
}
