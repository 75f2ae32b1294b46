import Glibc

/// Files that fit into memory.
package enum SmallFile {
    private static let bytes = 64 * 1024 * 1024

    /// The whole content, or `nil` where it can't be read or is too large.
    package static func read(_ path: String) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var content: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 * 1024)
        while content.count <= Self.bytes {
            let count = block.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
            if count == 0 { return content }
            guard count > 0 else { return nil }
            content.append(contentsOf: block[..<count])
        }
        return nil
    }
}
