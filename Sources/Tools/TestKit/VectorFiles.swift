import Glibc
package import Kernel

/// The vector files of one provider, which live outside the repository.
///
/// `PAYSTREAM_VECTORS` names their folder; else `shared/vectors` is looked for upwards from the sources. With `CI=true`
/// missing files are a failure, elsewhere they are skipped.
package struct VectorFiles: Sendable {
    package let folder: String?
    private let provider: String

    package init(_ provider: String, source: String = #filePath) {
        self.provider = provider
        folder = Self.folder(source).map { "\($0)/\(provider)" }.flatMap { Self.isThere($0) ? $0 : nil }
    }

    /// Whether missing files must fail the run.
    package var areDemanded: Bool { environment("CI") == "true" }

    /// The documents by the name of their kind, in the order of their names.
    package func documents() throws -> [(kind: String, document: Json)] {
        guard let folder else { return [] }
        var found: [(kind: String, document: Json)] = []
        for name in Self.names(in: folder) where name.hasSuffix(".json") {
            let bytes = try FileBytes.read("\(folder)/\(name)")
            found.append((String(name.dropLast(5)), try Json(bytes, limits: JsonLimits(bytes: 64 << 20, depth: 64))))
        }
        return found
    }

    private static func folder(_ source: String) -> String? {
        if let named = environment("PAYSTREAM_VECTORS") { return named }
        var parts = source.split(separator: "/", omittingEmptySubsequences: false)
        while !parts.isEmpty {
            parts.removeLast()
            let candidate = parts.joined(separator: "/") + "/shared/vectors"
            if isThere(candidate) { return candidate }
        }
        return nil
    }

    private static func isThere(_ path: String) -> Bool { access(path, R_OK | X_OK) == 0 }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                    pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
            )
        }
        return names.sorted()
    }
}
