import Api
import Http
import Kernel

/// Files that a merchant lays before the bank about a dispute: which there are, one more, and one to keep elsewhere.
struct DisputeFiles {
    static let all: [Page] = [
        .uploaded(
            "/payments/{payment}/disputes/{dispute}/files",
            .commands,
            most: Limits.evidenceFileBytes,
            by: bring
        ), .shown("/payments/{payment}/disputes/{dispute}/files/{file}", .audit, by: save),
    ]

    private let visit: Visit
    private let payment: Json
    /// The files by the ids of their disputes.
    private let files: [String: [Json]]

    init(_ visit: Visit, _ payment: Json) async throws(Problem) {
        var files: [String: [Json]] = [:]
        for dispute in payment["disputes"]?.items ?? [] {
            guard let id = dispute["id"]?.text else { continue }
            files[id] = try await visit.read(Self.path(visit, id))["items"]?.items ?? []
        }
        self.visit = visit
        self.payment = payment
        self.files = files
    }

    private static func path(_ visit: Visit, _ dispute: String) -> String {
        "\(PaymentPage.path(visit))/disputes/\(FormEncoding.escape(dispute))/evidence"
    }

    private var id: String { payment["id"]?.text ?? "" }

    // MARK: The list

    /// The files of a dispute, each leading to its content where its reader may have that.
    func list(_ dispute: Json) -> Html? {
        let id = dispute["id"]?.text ?? ""
        guard let files = files[id], !files.isEmpty else { return nil }
        return tag("ul", .class("candidates")) {
            for file in files {
                let name = file["name"]?.text ?? visit.say(.erasedFile)
                tag("li") {
                    if file["name"] != nil, visit.may(.audit) {
                        link(name, Address("payments", self.id, "disputes", id, "files", file["id"]?.text ?? ""))
                    } else {
                        tag("span") { name }
                    }
                    tag("span", .class("muted")) {
                        "\(visit.formats.number(kibibytes(file))) KiB · "
                        visit.formats.moment(file["addedAt"]?.text)
                        " · \(file["addedBy"]?.text ?? "–")"
                    }
                }
            }
        }
    }

    private func kibibytes(_ file: Json) -> Int64 { ((file["bytes"]?.integer ?? 0) + 1023) / 1024 }

    /// Until when an open dispute is to be answered.
    func deadline(_ dispute: Json) -> Html? {
        guard let text = dispute["answerBy"]?.text, let end = Timestamp(text) else { return nil }
        return group {
            visit.formats.moment(text)
            if dispute["stage"]?.text == "opened", end <= visit.console.now {
                " "
                badge(visit.say(.deadlinePassed), .person)
            }
        }
    }

    // MARK: One more

    /// A form for each open dispute.
    var forms: [Html] {
        guard visit.may(.commands) else { return [] }
        let open = (payment["disputes"]?.items ?? []).filter { $0["stage"]?.text == "opened" }
        return open.map { dispute in
            let id = dispute["id"]?.text ?? ""
            return tag("details", .class("action")) {
                tag("summary") { visit.say(.bringDisputeFile) }
                if let end = deadline(dispute) {
                    tag("p", .class("hint")) {
                        "\(visit.say(.answerBy)): "
                        end
                    }
                }
                visit.bringing(
                    Address("payments", self.id, "disputes", id, "files"),
                    .bringDisputeFile,
                    most: Limits.evidenceFileBytes,
                    tooLarge: visit.say(.disputeFileTooLarge, ["most": Self.most(visit)])
                ) {
                    Field(
                        name: "file",
                        label: visit.say(.file),
                        type: "file",
                        hint: visit.say(.bringDisputeFileHint, ["most": Self.most(visit)]),
                        isNeeded: true
                    ).named("file-\(id)")
                    Field(name: "name", label: visit.say(.nameOfFile), hint: visit.say(.nameOfFileHint)).named(
                        "name-\(id)"
                    )
                }
            }
        }
    }

    private static func most(_ visit: Visit) -> String {
        visit.formats.number(Int64(Limits.evidenceFileBytes / 1024))
    }

    private static func bring(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let back = Address("payments", visit.path["payment"] ?? "")
        do throws(Problem) {
            guard !visit.file.isEmpty, let name = visit.filled("name") ?? visit.fileName else {
                throw Problem(.bodyMissing, "No file came along, or it is empty.")
            }
            guard let type = EvidenceFile.mediaType(of: visit.file) else {
                throw Problem(
                    .mediaTypeUnsupported,
                    "The file is one of \(EvidenceFile.types.joined(separator: ", "))."
                )
            }
            let query = FormEncoding.encode([(name: "name", value: name)])
            let target = path(visit, visit.path["dispute"] ?? "") + "?" + query
            let (status, _) = try await visit.bring(target, type, visit.file)
            return .seeOther(back.with("done", status == 201 ? "file" : "fileKnown"))
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
    }

    // MARK: One to keep elsewhere

    private static func save(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let file = try await visit.read(path(visit, visit.path["dispute"] ?? "") + "/" + visit.segment("file"))
        guard let bytes = file["content"]?.text.flatMap({ Base64.decode($0) }) else {
            throw Problem(.evidenceUnknown, "The payer's data were erased, and the file with them.")
        }
        // No browser runs or shows what somebody brought: it is saved.
        return HttpResponse(status: 200, contentType: "application/octet-stream", body: bytes)
            .with("Content-Disposition", "attachment; filename=\"\(savedName(file["name"]?.text ?? ""))\"")
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")

    /// A name that every system takes, without a way in it.
    private static func savedName(_ name: String) -> String {
        let safe = String(name.map { plain.contains($0) ? $0 : "_" })
        let text = String(safe.drop { $0 == "." }.suffix(100))
        return text.isEmpty ? "file" : text
    }
}
