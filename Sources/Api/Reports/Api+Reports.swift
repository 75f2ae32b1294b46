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
        var words = try QueryForm(call.query)
        let form: ReportForm = try words.word("format") ?? .json
        let query = try ReportQuery(&words, of: report)
        try words.end()
        guard reports.take(call.merchant) else {
            throw .tooMany(
                .seconds(1),
                "A merchant makes one report at a time, and as many as may be are being made; who comes again is next."
            )
        }
        defer { reports.release(call.merchant) }
        let made: ToldReport?
        do throws(StoreFailure) {
            made = try await reader.tables.report(report, query, as: form, of: call.merchant)
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
        return made.answer(form)
    }
}

extension ToldReport {
    /// Every form but JSON can't say itself what it was made of.
    fileprivate func answer(_ form: ReportForm) -> HttpResponse {
        var answer = HttpResponse(status: 200, contentType: form.contentType, body: body)
        answer.file = file
        if form == .xlsx {
            answer = answer.with("Content-Disposition", "attachment; filename=\"\(head.report.name).xlsx\"")
        }
        return answer.with("Paystream-Position", "\(head.position)").with("Paystream-Zone", head.zone)
    }
}

extension Report {
    fileprivate var catalogued: Json {
        [
            "name": .string(name), "summary": .string(summary),
            "columns": .array(
                shownColumns.map { ["name": .string($0.name), "content": .string($0.content.rawValue)] }
            ),
            "by": .array(times.map { .string($0.rawValue) }), "formulas": formulasShown,
        ]
    }
}
