import EventSourcing
import Http
import Kernel
import Projections

/// Reports of finance.
extension Api {
    func listReports(_: Call) async throws(Problem) -> HttpResponse {
        .json(200, ["items": .array(Report.all.map(\.catalogued))])
    }

    /// Makes the report that the path names.
    func makeReport(_ call: Call) async throws(Problem) -> HttpResponse {
        guard let report = Report.named(call.path["report"] ?? "") else {
            throw Problem(.routeUnknown, "The reports are: \(Report.all.map(\.name).joined(separator: ", ")).")
        }
        var form = try QueryForm(call.query)
        let format: ReportEndpoints.Form = try form.word("format") ?? .json
        let query = try Self.reportQuery(&form)
        guard reports.take(call.merchant) else {
            throw .tooMany(.seconds(1), "Another report is being made; a merchant makes one at a time.")
        }
        defer { reports.release(call.merchant) }
        let made: MadeReport?
        do throws(StoreFailure) {
            made = try await reader.tables.report(report, query, of: call.merchant)
        } catch {
            // PostgreSQL's word for a zone that it does not know.
            if error.sqlState == "55000" {
                throw Problem(.queryInvalid, "Months are closed in another zone; leave it out.", path: "zone")
            }
            guard error.sqlState == "22023" else { throw .unavailable(error.detail) }
            throw Problem(.queryInvalid, "There is no such zone; one is named as in Europe/Kyiv.", path: "zone")
        }
        guard let made else {
            throw Problem(.queryInvalid, "The books have not come to that position.", path: "asOf")
        }
        switch format {
        case .json: return .json(200, made.json)
        case .ndjson: return made.answer("application/x-ndjson", made.ndjson)
        case .csv: return made.answer("text/csv; charset=utf-8; header=present", made.csv)
        }
    }

    private static func reportQuery(_ form: inout QueryForm) throws(Problem) -> ReportQuery {
        var query = ReportQuery()
        query.zone = try form.text("zone", bytes: 64)
        query.first = try form.day("from")
        query.end = try form.day("before")
        let mode: ReportEndpoints.Mode = try form.word("mode") ?? .live
        query.mode = mode.accounts
        query.time = try form.word("by") ?? .known
        if let place = try form.text("asOf", bytes: 40) {
            guard let asOf = ReportQuery.AsOf(place) else {
                throw Problem(.queryInvalid, "A position, as 1200, or a moment, as 2026-11-21T10:00:00Z.", path: "asOf")
            }
            query.asOf = asOf
        }
        try form.end()
        return query
    }
}

extension MadeReport {
    /// A form that can't say itself what it was made of.
    fileprivate func answer(_ type: String, _ text: String) -> HttpResponse {
        HttpResponse(status: 200, contentType: type, body: Array(text.utf8))
            .with("Paystream-Position", "\(position)").with("Paystream-Zone", zone)
    }
}

extension Report {
    fileprivate var catalogued: Json {
        [
            "name": .string(name), "summary": .string(summary),
            "columns": .array(
                columns.map { ["name": .string($0.name), "content": .string($0.content.rawValue)] }
            ),
            "formulas": formulasShown,
        ]
    }
}
