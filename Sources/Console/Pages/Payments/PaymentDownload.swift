import Http
import Kernel

/// A list of payments as a file for spreadsheets: told before it starts, bounded, and safe to open.
enum PaymentDownload {
    /// Rows of one file.
    static let rows = 10_000

    private static let columns = [
        "id", "created_at", "status", "mode", "account", "provider", "account_mode", "reference", "customer", "amount",
        "captured", "refunded", "charged_back", "currency",
    ]

    static func announce(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let search = try PaymentSearch(visit)
        return Layout(visit, visit.say(.download), .payments).response {
            heading(visit.say(.download), visit.say(.downloadHint))
            panel(visit.say(.downloadHolds)) {
                facts([
                    (visit.say(.downloadColumns), code(columns.joined(separator: ", "))),
                    (visit.say(.downloadFilter), code(search.isNarrowed ? search.text : visit.say(.any))),
                    (visit.say(.downloadMost), Html(visit.formats.number(Int64(rows)))),
                    (visit.say(.downloadForm), Html("CSV, RFC 4180, UTF-8")),
                ])
                tag("div", .class("row")) {
                    link(visit.say(.download), search.address("payments", "download.csv"), "button button-main")
                    link(visit.say(.back), search.address("payments"), "button")
                }
            }
        }
    }

    static func send(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let search = try PaymentSearch(visit)
        var text = columns.joined(separator: ",") + "\r\n"
        var count = 0
        var cursor: String?
        repeat {
            let page = try await visit.read(search.path, search.query(cursor: cursor))
            for row in page["items"]?.items ?? [] {
                text += line(row)
                count += 1
            }
            cursor = page["next"]?.text
        } while cursor != nil && count < rows
        return HttpResponse(status: 200, contentType: "text/csv; charset=utf-8; header=present", body: Array(text.utf8))
            .with("Content-Disposition", "attachment; filename=\"payments.csv\"")
            // A file that was cut says so where a program looks.
            .with("Paystream-Complete", cursor == nil ? "yes" : "no")
    }

    private static func line(_ row: Json) -> String {
        let currency = row.at("amounts", "currency")?.text ?? row.at("amount", "currency")?.text
        func major(_ value: Json?) -> String {
            guard let minor = value?.integer, let known = currency.flatMap({ Currency($0) }) else { return "" }
            return Money(minor, known).decimal
        }
        let cells = [
            row["id"]?.text, row["createdAt"]?.text, row["status"]?.text, row["mode"]?.text,
            row.at("account", "name")?.text, row.at("account", "provider")?.text, row.at("account", "mode")?.text,
            row["reference"]?.text, row["customer"]?.text, major(row.at("amount", "value")),
            major(row.at("amounts", "captured")), major(row.at("amounts", "refunded")),
            major(row.at("amounts", "chargedBack")), currency,
        ]
        return cells.map { Csv.field($0 ?? "") }.joined(separator: ",") + "\r\n"
    }
}

/// Fields of a file for spreadsheets.
package enum Csv {
    /// A text by RFC 4180 that no spreadsheet takes for a formula.
    package static func field(_ text: String) -> String {
        CsvField.quoted(Int64(text) == nil ? CsvField.harmless(text) : text)
    }
}
