import Api
import Http
import Kernel

/// A settlement file that a person brings: the form, and what came of it.
struct SettlementUpload {
    static let page = Page.uploaded(
        "/reconciliation/files",
        .finance,
        most: Limits.settlementUploadBytes,
        by: bring
    )

    private static let files = "/v1/settlement-files"
    /// By the first bytes that gzip writes.
    private static let gzip: [UInt8] = [0x1F, 0x8B]

    private let visit: Visit
    private let accounts: [String]
    /// The newest files, any of which another one may correct.
    private let newest: [Json]
    /// The file that was brought by the form just now.
    private let brought: Json?

    init(_ visit: Visit) async throws(Problem) {
        self.visit = visit
        let all = visit.may(.finance) ? try await visit.read("/v1/accounts")["items"]?.items ?? [] : []
        accounts = all.compactMap { $0["name"]?.text }
        newest = visit.may(.finance) ? try await visit.read("\(Self.files)?limit=20")["items"]?.items ?? [] : []
        if let file = visit.parameter("file"), visit.parameter("done") != nil {
            brought = try? await visit.read("\(Self.files)/\(FormEncoding.escape(file))")
        } else {
            brought = nil
        }
    }

    /// What came of the file that was brought.
    var notice: Html? {
        guard let brought,
            let text = ["imported": Text.fileImported, "known": .fileKnown][visit.parameter("done") ?? ""]
        else { return nil }
        let isAgain = brought["repeated"]?.integer ?? 0 > 0
        let counted: [(Text, String)] =
            [(.lines, "lines"), (.matched, "matched")] + (isAgain ? [(.repeatedLines, "repeated")] : [])
            + [(.exceptions, "exceptions")]
        return tag("p", .class("notice"), .of("role", "status")) {
            visit.say(text)
            for (name, value) in counted {
                " · \(visit.say(name)): \(visit.formats.number(brought[value]?.integer ?? 0))"
            }
            if brought["supersededBy"] != nil { " · \(visit.say(.fileSuperseded))" }
        }
    }

    var form: Html? {
        guard !accounts.isEmpty else { return nil }
        let most = visit.formats.number(Int64(Limits.settlementUploadBytes / 1024 / 1024))
        return tag("details", .class("fold"), .id("bring")) {
            tag("summary") { visit.say(.bringFile) }
            visit.bringing(
                Address("reconciliation", "files"),
                .bringFile,
                most: Limits.settlementUploadBytes,
                tooLarge: visit.say(.fileTooLarge, ["most": most])
            ) {
                choice("account", visit.say(.account), accounts.map { ($0, $0) }, nil)
                tag("div", .class("row")) {
                    Field(name: "from", label: visit.say(.fromDay), type: "date").html
                    Field(name: "before", label: visit.say(.beforeDay), type: "date").html
                }
                if !newest.isEmpty {
                    choice(
                        "corrects",
                        visit.say(.takesPlaceOf),
                        [("", visit.say(.noOtherFile))] + newest.map { ($0["id"]?.text ?? "", title($0)) },
                        nil
                    )
                }
                Field(
                    name: "file",
                    label: visit.say(.file),
                    type: "file",
                    hint: visit.say(.bringFileHint, ["most": most]),
                    isNeeded: true
                ).html
            }
        }
    }

    /// A file by its account, its days and how many lines it has.
    private func title(_ file: Json) -> String {
        let days = ["from", "before"].map { file[$0]?.text?.prefix(10) ?? "" }.joined(separator: " – ")
        let lines = visit.formats.number(file["lines"]?.integer ?? 0)
        return "\(file["account"]?.text ?? "") · \(days) · \(visit.say(.lines)): \(lines)"
    }

    private static func bring(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let back = Address("reconciliation")
        guard !visit.file.isEmpty else {
            return ProblemPage(Problem(.bodyMissing, "No file came along, or it is empty."), visit, back: back).response
        }
        var query = [(name: "account", value: visit.field("account") ?? "")]
        for name in ["from", "before", "corrects"] {
            if let word = visit.filled(name) { query.append((name, word)) }
        }
        let type = visit.file.starts(with: gzip) ? "application/gzip" : "application/octet-stream"
        do throws(Problem) {
            let (status, file) = try await visit.bring(files + "?" + FormEncoding.encode(query), type, visit.file)
            return .seeOther(
                back.with("done", status == 201 ? "imported" : "known").with("file", file["id"]?.text)
            )
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
    }
}
