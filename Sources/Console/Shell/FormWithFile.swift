import Api
import Http
import Kernel

/// Reads a form in which a file comes along.
///
/// Who asks is known before its first byte is read.
enum FormWithFile {
    static func read(_ body: (any BodyReader)?, most: Int, into visit: inout Visit) async throws(Problem) {
        guard visit.console.origin.isOwn(visit.request.headers) else {
            throw Problem(
                status: 403,
                code: "form_foreign",
                detail: "The form was not sent from a page of this console."
            )
        }
        let bytes = try await whole(body, visit.request, most)
        guard let form = MultipartForm(bytes, contentType: visit.request.headers["Content-Type"] ?? "") else {
            throw Problem(.queryMalformed, "The form can't be read: it is multipart/form-data, whole.")
        }
        var fields: [(name: String, value: String)] = []
        for part in form.parts {
            if part.isFile {
                guard visit.file.isEmpty else { throw Problem(.queryMalformed, "One file at a time.") }
                visit.file = Array(part.body)
                // Some senders tell the way to it as well.
                visit.fileName = part.fileName?.split { $0 == "/" || $0 == "\\" }.last.map { String($0) }
            } else {
                guard part.body.count <= Limits.apiBodyBytes, let text = String(validating: part.body, as: UTF8.self)
                else { throw Problem(.queryMalformed, "A field of the form can't be read.") }
                fields.append((part.name, text))
            }
        }
        try CardScreen.check(form: fields)
        visit.form = fields
    }

    private static func whole(_ reader: (any BodyReader)?, _ request: HttpRequest, _ most: Int) async throws(Problem)
        -> [UInt8]
    {
        guard let reader else { return request.body }
        var bytes: [UInt8] = []
        do throws(BodyFailure) {
            while let piece = try await reader.next() {
                bytes += piece
                guard bytes.count <= most else { throw BodyFailure(.tooLarge) }
            }
        } catch {
            switch error.code {
            case .cut: throw Problem(.uploadCut, "The upload ended early; nothing of it was taken.")
            case .tooLarge: throw Problem(.bodyTooLarge, "At most \(most) bytes of a form with its file.")
            }
        }
        return bytes
    }
}
