import FoundationEssentials

/// The project's own files, as they lie in the checkout that was built.
enum Checkout {
    /// Found from this file's own place, three folders down.
    static let root: String = String(
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(4).joined(separator: "/")
    )

    /// Folders that hold what people wrote.
    static let writtenFolders = ["Sources", "Tests", "schema", "deploy", "docs", ".ci"]
    /// Files of the root that people wrote.
    static let writtenFiles = ["Makefile", "Package.swift", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"]

    /// Every text file people wrote; links are left out, because what they lead to is in the list itself.
    static let files: [SourceFile] = writtenFolders.flatMap { read(folder: $0) } + writtenFiles.compactMap(read(file:))

    private static func read(folder: String) -> [SourceFile] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)")) ?? []
        return names.sorted().flatMap { name -> [SourceFile] in
            let path = "\(folder)/\(name)"
            let kind = try? FileManager.default.attributesOfItem(atPath: "\(root)/\(path)")[.type] as? FileAttributeType
            switch kind {
            case .typeDirectory where name != "__pycache__": return read(folder: path)
            case .typeRegular: return read(file: path).map { [$0] } ?? []
            case _: return []
            }
        }
    }

    private static func read(file path: String) -> SourceFile? {
        guard let data = FileManager.default.contents(atPath: "\(root)/\(path)"),
            let text = String(validating: data, as: UTF8.self)
        else { return nil }
        return SourceFile(path: path, text: text)
    }
}

/// A file's path below the root, and its text.
struct SourceFile: Sendable {
    let path: String
    let text: String
    /// The text of a Swift file with its comments and the insides of its strings blanked out.
    let code: String
    /// The words and marks of that code.
    let tokens: [SwiftToken]

    init(path: String, text: String) {
        self.path = path
        self.text = text
        code = path.hasSuffix(".swift") ? SwiftCode.only(of: text) : ""
        tokens = SwiftTokens.of(code)
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
}

/// A place where a rule is broken.
struct Breach: Hashable, Sendable, CustomStringConvertible {
    let path: String
    let line: Int
    let reason: String

    var description: String { "\(path):\(line): \(reason)" }
}
