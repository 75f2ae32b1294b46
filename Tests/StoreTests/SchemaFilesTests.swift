import Glibc
import Store
import TestKit
import Testing

/// The embedded SQL is the SQL of `schema/`.
struct SchemaFilesTests {
    /// Reads a folder of `schema/`: file names without `.sql`, sorted, with contents.
    private func files(_ folder: String, source: String = #filePath) throws -> [(name: String, sql: [UInt8])] {
        let root = source.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        let path = "\(root)/schema/\(folder)"
        let directory = try #require(opendir(path))
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasSuffix(".sql") { names.append(String(name.dropLast(4))) }
        }
        return try names.sorted().map { ($0, try FileBytes.read("\(path)/\($0).sql")) }
    }

    @Test func `every function file is embedded as it is`() throws {
        let files = try files("functions")
        #expect(SchemaFiles.functions.map(\.name) == files.map(\.name))
        for (embedded, file) in zip(SchemaFiles.functions, files) {
            #expect(String(decoding: embedded.sql, as: UTF8.self) == String(decoding: file.sql, as: UTF8.self))
        }
    }

    @Test func `every migration file is embedded as it is, in the order of its number`() throws {
        let files = try files("migrations")
        #expect(SchemaFiles.migrations.map(\.name) == files.map(\.name))
        for (embedded, file) in zip(SchemaFiles.migrations, files) {
            #expect(String(decoding: embedded.sql, as: UTF8.self) == String(decoding: file.sql, as: UTF8.self))
        }
        #expect(SchemaFiles.migrations.map(\.version) == SchemaFiles.migrations.map(\.version).sorted())
        for migration in SchemaFiles.migrations {
            let digits = String(migration.version)
            let number = String(repeating: "0", count: 4 - digits.count) + digits
            #expect(migration.name.hasPrefix(number + "_"))
        }
    }

    @Test func `each function file makes the one function of its name`() throws {
        for file in try files("functions") {
            let text = String(decoding: file.sql, as: UTF8.self)
            let made = text.split(separator: "CREATE OR REPLACE FUNCTION ").dropFirst()
            #expect(made.count == 1)
            #expect(made.first?.hasPrefix("paystream.\(file.name)(") == true)
        }
    }
}
