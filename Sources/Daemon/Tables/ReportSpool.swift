package import Api
package import EventSourcing
import Glibc
import Http
import Kernel
package import Projections
import Spreadsheet
package import Store
import SystemKit

/// Writes a report into a file, some rows at a time, so that no size of it fills the memory.
package enum ReportSpool {
    /// A body up to so many bytes is answered from memory.
    private static let small = 256 * 1024
    /// `O_TMPFILE`, a macro that Swift does not see: a file without a name, gone when it is closed.
    private static let unnamed: Int32 = 0o20000000 | O_DIRECTORY

    /// Writes all rows to a descriptor that can be written; answers how many bytes they are.
    ///
    /// Fails with `unavailable` where the file can't be written.
    package static func write(
        _ rows: any ReportRows,
        _ form: ReportForm,
        to descriptor: Int32,
        tell: (_ progress: (done: Int64, all: Int64), _ rows: Int) -> Void = { _, _ in }
    ) async throws(StoreFailure) -> Int {
        guard form != .xlsx else { return try await sheet(rows, to: descriptor, tell) }
        var (rows, count, told, isFirst) = (rows, 0, 0, true)
        let head = rows.head
        count += try await put(head.begin(form), descriptor)
        while let page = try await rows.next() {
            var text = ""
            for row in page {
                text += head.row(row, form, isFirst: isFirst)
                isFirst = false
            }
            count += try await put(text, descriptor)
            told += page.count
            if let progress = rows.progress { tell(progress, told) }
        }
        count += try await put(head.end(form), descriptor)
        return count
    }

    /// The answer of the API: small ones in memory, others from a file that nobody else sees.
    package static func answer(_ rows: any ReportRows, _ form: ReportForm) async throws(StoreFailure) -> ToldReport {
        let head = rows.head
        let folder = folder
        let descriptor = await OwnThread.run { Glibc.open(folder, unnamed | O_RDWR | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw StoreFailure(.unavailable, detail: "no file can be made in \(folder)") }
        let count: Int
        do throws(StoreFailure) { count = try await write(rows, form, to: descriptor) } catch {
            close(descriptor)
            throw error
        }
        guard count <= small else {
            let file = ResponseFile(descriptor: descriptor, count: count) { Glibc.close(descriptor) }
            return ToldReport(head: head, body: [], file: file)
        }
        let bytes = await OwnThread.run { () -> [UInt8] in
            var bytes = [UInt8](repeating: 0, count: count)
            let read = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, 0) }
            close(descriptor)
            return read == count ? bytes : []
        }
        guard bytes.count == count else { throw StoreFailure(.unavailable, detail: "a file can't be read") }
        return ToldReport(head: head, body: bytes, file: nil)
    }

    private static var folder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    private static func put(_ text: String, _ descriptor: Int32) async throws(StoreFailure) -> Int {
        guard !text.isEmpty else { return 0 }
        let bytes = Array(text.utf8)
        let isWritten = await OwnThread.run { Self.isPut(bytes, descriptor) }
        guard isWritten else { throw StoreFailure(.unavailable, detail: "the report can't be written: \(errno)") }
        return bytes.count
    }

    private static func isPut(_ bytes: [UInt8], _ descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    // MARK: Spreadsheets

    /// The library writes to a path: a file of its own, which is copied from there and gone.
    private static func sheet(
        _ rows: any ReportRows,
        to descriptor: Int32,
        _ tell: (_ progress: (done: Int64, all: Int64), _ rows: Int) -> Void
    ) async throws(StoreFailure) -> Int {
        var template = Array("\(folder)/paystream-report-XXXXXX".utf8CString)
        let made = mkstemp(&template)
        guard made >= 0 else { throw StoreFailure(.unavailable, detail: "no file can be made in \(folder)") }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            unlink(path)
            close(made)
        }
        do {
            try await fill(path, rows, tell)
        } catch let failure as XlsxFile.Failure {
            throw StoreFailure(.unavailable, detail: "the workbook: \(failure.reason)")
        } catch let failure as StoreFailure {
            throw failure
        } catch {
            throw StoreFailure(.unavailable, detail: "\(error)")
        }
        let count = await OwnThread.run { () -> Int in
            let from = Glibc.open(path, O_RDONLY | O_CLOEXEC)
            defer { close(from) }
            var (bytes, total) = ([UInt8](repeating: 0, count: 64 * 1024), 0)
            while true {
                let count = bytes.withUnsafeMutableBytes { Glibc.read(from, $0.baseAddress, $0.count) }
                guard count > 0 else { return count == 0 ? total : -1 }
                guard Self.isPut(Array(bytes.prefix(count)), descriptor) else { return -1 }
                total += count
            }
        }
        guard count >= 0 else { throw StoreFailure(.unavailable, detail: "the report can't be written") }
        return count
    }

    private static func fill(
        _ path: String,
        _ rows: any ReportRows,
        _ tell: (_ progress: (done: Int64, all: Int64), _ rows: Int) -> Void
    ) async throws {
        var (rows, told) = (rows, 0)
        let head = rows.head
        let file = try await OwnThread.run { () throws(XlsxFile.Failure) in
            let file = try XlsxFile(path: path)
            try file.addSheet("about")
            for (name, value) in head.about { try file.add([.text(name), .text(value)]) }
            try file.addSheet("report", titles: head.titles)
            return file
        }
        var sheets = 1
        while let page = try await rows.next() {
            sheets = try await OwnThread.run { [sheets] () throws(XlsxFile.Failure) -> Int in
                var sheets = sheets
                for row in page {
                    if file.rows == XlsxFile.sheetRows {
                        sheets += 1
                        try file.addSheet("report \(sheets)", titles: head.titles)
                    }
                    try file.add(head.cells(row))
                }
                return sheets
            }
            told += page.count
            if let progress = rows.progress { tell(progress, told) }
        }
        try await OwnThread.run { () throws(XlsxFile.Failure) in try file.close() }
    }
}

extension ReportHead {
    /// What the first sheet says.
    fileprivate var about: [(String, String)] {
        [
            ("report", report.name), ("summary", report.summary), ("position", "\(position)"), ("zone", zone),
            ("days before this one are over", openDay), ("streams that are missing", "\(aside)"),
        ] + (since.map { [("movements behind position", "\($0)")] } ?? [])
            + report.formulas.map { ($0.column, $0.formula) }
    }

    /// Numbers as numbers where a spreadsheet holds them exactly, and texts as texts.
    fileprivate func cells(_ row: [String?]) -> [XlsxFile.Cell] {
        let places = places(of: row)
        return zip(report.columns, row).map { column, cell in
            guard let cell else { return .empty }
            switch column.content {
            case .amount:
                // What a double can't hold is a text, and so is what is no whole number.
                guard let minor = Int64(cell), minor.magnitude < 1 << 53 else {
                    return .text(shown(cell, column, in: row))
                }
                return .number(minor, places: places)
            case .count:
                guard let count = Int64(cell), count.magnitude < 1 << 53 else { return .text(cell) }
                return .number(count, places: 0)
            case .text, .day, .rate, .flag: return .text(cell)
            }
        } + (report.tellsDays ? [.text(isComplete(row) ? "yes" : "no")] : [])
    }
}
