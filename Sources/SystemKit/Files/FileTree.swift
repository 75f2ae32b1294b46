package import Glibc

/// The few things that a cluster's folders need from the file system.
package enum FileTree {
    /// The names in a folder; none if it can't be read.
    package static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// A small file's text, or nothing if it can't be read.
    package static func text(_ path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk.prefix(count)
        }
    }

    /// Removes a folder with all that is in it, never following a link.
    package static func remove(_ path: String) {
        guard folder(path) != nil else {
            unlink(path)
            return
        }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    /// Makes a folder unless it is there.
    package static func makeFolder(_ path: String, mode: mode_t) -> Bool {
        mkdir(path, mode) == 0 || errno == EEXIST
    }

    /// A folder's owner and permission bits; nothing for a link or anything else that is no folder.
    package static func folder(_ path: String) -> (owner: uid_t, mode: mode_t)? {
        var facts = stat()
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else { return nil }
        return (facts.st_uid, facts.st_mode & 0o7777)
    }
}
