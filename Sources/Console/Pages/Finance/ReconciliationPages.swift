import Api
import Http
import Kernel

/// What providers' files say beside our books: files, what does not fit, and how two persons resolve it.
enum ReconciliationPages {
    static let all: [Page] = [
        .shown("/reconciliation", by: show), SettlementUpload.page, .shown("/reconciliation/{exception}", by: one),
        .sent("/reconciliation/{exception}/{action}", .read, by: perform),
    ]

    private static let files = "/v1/settlement-files"
    private static let exceptions = "/v1/settlement-exceptions"

    // MARK: Lists

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let isEnded = visit.parameter("open") == "false"
        let wanted = ["class", "open", "file"].compactMap { name in
            visit.parameter(name).map { (name: name, value: $0) }
        }
        let cursor = visit.parameter("cursor").map { [(name: "cursor", value: $0)] } ?? []
        let page = try await visit.read(exceptions, wanted + cursor + [("limit", "50")])
        let rows = page["items"]?.items ?? []
        let brought = try await visit.read(files, [("limit", "10")])["items"]?.items ?? []
        let upload = try await SettlementUpload(visit)
        return Layout(visit, visit.say(.reconciliation), .reconciliation).response {
            heading(visit.say(.reconciliation), visit.say(.reconciliationHint)) {
                link(visit.word(Words.report, "reconciliation"), Address("reports", "reconciliation"), "button")
            }
            upload.notice
            tag("h2", .class("part")) { visit.say(.exceptions) }
            classes(visit)
            if rows.isEmpty, isEnded {
                emptyState(visit.say(.nothingResolved), visit.say(.nothingResolvedHint)) {
                    link(visit.say(.allOpen), Address("reconciliation"), "button")
                }
            } else if rows.isEmpty {
                emptyState(visit.say(.nothingDiffers), visit.say(.nothingDiffersHint)) {
                    if !wanted.isEmpty {
                        link(visit.say(.allOpen), Address("reconciliation"), "button")
                    }
                }
            } else {
                table(visit, rows)
            }
            visit.pages(page["next"]?.text)
            tag("h2", .class("part")) { visit.say(.settlementFiles) }
            upload.form
            if brought.isEmpty {
                emptyState(visit.say(.noFiles), visit.say(.noFilesHint)) {
                    tag("pre", .class("command")) { "paystream reconcile import FILE --account ACCOUNT" }
                }
            } else {
                fileTable(visit, brought)
            }
        }
    }

    private static func classes(_ visit: Visit) -> Html {
        tag("nav", .class("chips"), .label(visit.say(.exceptions))) {
            for name in [nil] + Words.exceptionOrder {
                tag(
                    "a",
                    .class("chip"),
                    .href(Address("reconciliation").with("class", name)),
                    .of(
                        "aria-current",
                        visit.parameter("class") == name && visit.parameter("open") == nil ? "true" : nil
                    )
                ) { name.map { visit.word(Words.exception, $0) } ?? visit.say(.allOpen) }
            }
            tag(
                "a",
                .class("chip"),
                .href(Address("reconciliation").with("open", "false")),
                .of("aria-current", visit.parameter("open") == "false" ? "true" : nil)
            ) { visit.say(.resolvedExceptions) }
        }
    }

    private static func table(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.exceptions),
            [
                Column(visit.say(.since)), Column(visit.say(.kind)), Column(visit.say(.amount), .number),
                Column(visit.say(.currency), .currency), Column(visit.say(.account)), Column(visit.say(.owedBy)),
                Column(visit.say(.referenceAtProvider), .wide),
            ],
            rows: rows.map { row in
                let currency = row.at("amount", "currency")?.text ?? ""
                return [
                    tag("a", .class("row-link"), .href(Address("reconciliation", row["id"]?.text ?? ""))) {
                        visit.formats.moment(row["since"]?.text)
                    }, classBadge(visit, row),
                    Html(row.at("amount", "value")?.integer.map { visit.formats.amount($0, currency) } ?? "–"),
                    Html(currency), Html(row["account"]?.text ?? "–"), Html(row["owner"]?.text ?? "–"),
                    code(row["providerReference"]?.text ?? row["reference"]?.text) ?? Html("–"),
                ]
            },
            isWalked: true
        ).html
    }

    private static func classBadge(_ visit: Visit, _ row: Json) -> Html {
        let name = row["class"]?.text ?? ""
        guard let outcome = row["outcome"]?.text else {
            return badge(visit.word(Words.exception, name), name == "timing" ? .waits : .person)
        }
        return badge("\(visit.word(Words.exception, name)): \(visit.word(Words.exceptionOutcome, outcome))", .quiet)
    }

    private static func fileTable(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.settlementFiles),
            [
                Column(visit.say(.fromDay)), Column(visit.say(.beforeDay)), Column(visit.say(.account)),
                Column(visit.say(.lines), .number), Column(visit.say(.matched), .number),
                Column(visit.say(.exceptions), .number), Column(visit.say(.idOfPayment), .wide),
            ],
            rows: rows.map { row in
                [
                    visit.formats.moment(row["from"]?.text), visit.formats.moment(row["before"]?.text),
                    Html(row["account"]?.text ?? "–"), Html(visit.formats.number(row["lines"]?.integer ?? 0)),
                    Html(visit.formats.number(row["matched"]?.integer ?? 0)),
                    openExceptions(of: row, visit), code(row["id"]?.text) ?? Html("–"),
                ]
            }
        ).html
    }

    /// How many exceptions of a file are open, with the way to them.
    private static func openExceptions(of file: Json, _ visit: Visit) -> Html {
        let count = file["exceptions"]?.integer ?? 0
        guard count > 0 else { return Html(visit.formats.number(count)) }
        return link(visit.formats.number(count), Address("reconciliation").with("file", file["id"]?.text))
    }

    // MARK: One exception

    private static func one(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let row = try await visit.read("\(exceptions)/\(visit.segment("exception"))")
        let title = visit.word(Words.exception, row["class"]?.text)
        return Layout(visit, title, .reconciliation).response {
            tag("nav", .class("trail")) { link(visit.say(.reconciliation), Address("reconciliation")) }
            heading(title, visit.formats.money(row["amount"])) { classBadge(visit, row) }
            visit.notice(["assign": .assigned, "propose": .proposed, "approve": .approved])
            if row["outcome"] == nil, visit.may(.finance) || visit.may(.approve) {
                ExceptionForms(visit, row).html
            }
            tag("div", .class("columns")) {
                history(visit, row)
                panel(visit.say(.details)) { details(visit, row) }
            }
        }
    }

    private static func details(_ visit: Visit, _ row: Json) -> Html {
        facts([
            (visit.say(.idOfPayment), code(row["id"]?.text)),
            (visit.say(.account), row["account"]?.text.map { Html($0) }),
            (visit.say(.owedBy), row["owner"]?.text.map { Html($0) }),
            (visit.say(.day), visit.formats.moment(row["at"]?.text)),
            (visit.say(.since), visit.formats.moment(row["since"]?.text)),
            (visit.say(.settlementFiles), code(row["file"]?.text)),
            (visit.say(.lines), row["line"]?.integer.map { Html(visit.formats.number($0)) }),
            (visit.say(.referenceAtProvider), code(row["providerReference"]?.text)),
            (visit.say(.reference), row["reference"]?.text.map { Html($0) }),
            (
                visit.say(.payments),
                row["payment"]?.text.map { link(String($0.suffix(8)), Address("payments", $0)) }
            ), (visit.say(.state), row["outcome"]?.text.map { Html(visit.word(Words.exceptionOutcome, $0)) }),
        ])
    }

    private static func history(_ visit: Visit, _ row: Json) -> Html {
        panel(visit.say(.timeline)) {
            DataTable(
                visit.say(.timeline),
                [
                    Column(visit.say(.day)), Column(visit.say(.state)), Column(visit.say(.person)),
                    Column(visit.say(.reason), .wide),
                ],
                rows: (row["history"]?.items ?? []).map { step in
                    [
                        visit.formats.moment(step["at"]?.text),
                        Html(ExceptionVerdict.step(step, of: row, visit)), code(step["by"]?.text) ?? Html("–"),
                        Html(step.at("detail", "reason")?.text ?? step.at("detail", "owner")?.text ?? "–"),
                    ]
                }
            ).html
        }
    }

    // MARK: Commands

    private static func perform(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let back = Address("reconciliation", visit.path["exception"] ?? "")
        let one = "\(exceptions)/\(visit.segment("exception"))"
        let action = visit.path["action"] ?? ""
        do throws(Problem) {
            switch action {
            case "assign":
                _ = try await visit.command(
                    .post,
                    one + "/assign",
                    .compact([("owner", visit.filled("owner").map(Json.string))])
                )
            case "propose":
                let verdict = ExceptionForms.verdict(visit.field("verdict") ?? "")
                let reason = Json.string(visit.field("reason") ?? "")
                _ = try await visit.command(.post, one + "/proposals", ["verdict": verdict, "reason": reason])
            case "approve":
                let proposal = FormEncoding.escape(visit.field("proposal") ?? "")
                _ = try await visit.command(.post, "\(one)/proposals/\(proposal)/approve")
            default: throw Problem(.routeUnknown, "There is no such action.")
            }
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
        return .seeOther(back.with("done", action))
    }
}

/// What may be done about an exception: an owner, a proposal, and another person's approval.
struct ExceptionForms {
    private let visit: Visit
    private let row: Json

    init(_ visit: Visit, _ row: Json) {
        self.visit = visit
        self.row = row
    }

    private func address(_ action: String) -> Address { Address("reconciliation", row["id"]?.text ?? "", action) }

    var html: Html {
        panel(visit.say(.actions)) {
            if visit.may(.approve), let proposal = row["proposal"]?.integer {
                visit.sending(address("approve")) {
                    hidden("proposal", String(proposal))
                    ExceptionVerdict.proposed(proposal, of: row, visit)
                    tag("p", .class("muted")) { visit.say(.approveHint) }
                    button(visit.say(.approve), "button-main")
                }
            }
            if visit.may(.finance) {
                tag("details", .flag("open", row["proposal"] == nil)) {
                    tag("summary") { visit.say(.propose) }
                    visit.sending(address("propose")) {
                        choice("verdict", visit.say(.verdict), verdicts, nil)
                        Field(name: "reason", label: visit.say(.reason), isNeeded: true, most: Limits.evidenceBytes)
                            .html
                        button(visit.say(.propose))
                    }
                }
                tag("details") {
                    tag("summary") { visit.say(.assign) }
                    visit.sending(address("assign")) {
                        Field(name: "owner", label: visit.say(.owedBy), value: row["owner"]?.text, most: 64).html
                        button(visit.say(.assign))
                    }
                }
            }
        }
    }

    /// What comes into question: following the file, disregarding its line, or one of the links that fit.
    private var verdicts: [(value: String, title: String)] {
        let links = (row["candidates"]?.items ?? []).map { candidate -> (value: String, title: String) in
            let name = candidate["providerReference"]?.text ?? candidate["file"]?.text ?? ""
            let at = candidate["at"]?.text.flatMap { Timestamp($0) }.map { visit.formats.time($0) } ?? ""
            return (candidate.canonicalText, "\(visit.say(.linkWith)) \(name) · \(at)")
        }
        return links + ExceptionVerdict.words(for: row, visit)
    }

    /// The verdict that a choice stands for; what is none of them is refused by the API.
    static func verdict(_ choice: String) -> Json {
        guard let candidate = try? Json(Array(choice.utf8)), let members = candidate.members else {
            return ["is": .string(choice)]
        }
        return .compact([
            ("is", "link"), ("position", members["position"]), ("number", members["number"]), ("file", members["file"]),
            ("line", members["line"]),
        ])
    }
}
