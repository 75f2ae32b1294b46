/// What `docs/WHERE.md` names is there: each file, and in it the name that stands behind it.
enum PlaceRule {
    struct Place: Hashable, Sendable {
        let path: String
        /// What to look for in the file; `nil` where the page names the file or folder alone.
        let name: String?
        let line: Int
    }

    /// The files and folders of `Sources/` and `schema/` in a page's code marks, each with the mark behind it.
    static func places(in page: String) -> [Place] {
        page.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            let pieces = line.split(separator: "`", omittingEmptySubsequences: false)
            return stride(from: 1, to: pieces.count, by: 2).compactMap { mark -> Place? in
                guard pieces[mark].hasPrefix("Sources/") || pieces[mark].hasPrefix("schema/") else { return nil }
                let isNamed = mark + 2 < pieces.count && pieces[mark + 1] == " "
                return Place(
                    path: String(pieces[mark]),
                    name: isNamed ? String(pieces[mark + 2]) : nil,
                    line: index + 1
                )
            }
        }
    }

    static func breaches(page: SourceFile, files: [SourceFile]) -> [Breach] {
        places(in: page.text).compactMap { place in
            let reason: String
            if let file = files.first(where: { $0.path == place.path }) {
                guard let name = place.name, !words(of: file.text).contains(Substring(name)) else { return nil }
                reason = "\(place.path) has no '\(name)'"
            } else {
                guard !files.contains(where: { $0.path.hasPrefix(place.path + "/") }) else { return nil }
                reason = "\(place.path) is not there"
            }
            return Breach(path: page.path, line: place.line, reason: reason)
        }
    }

    /// The files that a command passes through, as the page walks them: the numbered lines behind the heading that says so.
    static func commandFiles(in page: String) -> [Place] {
        let parts = page.split(separator: "\n### ", omittingEmptySubsequences: false)
        guard let index = parts.firstIndex(where: { $0.hasPrefix("The command") }) else { return [] }
        let before = parts[..<index].reduce(0) {
            $0 + $1.split(separator: "\n", omittingEmptySubsequences: false).count
        }
        return places(in: String(parts[index])).map { Place(path: $0.path, name: $0.name, line: before + $0.line) }
    }

    /// A command's way is short, and once it has left the daemon it never comes back into it.
    static func breachesOfWay(page: SourceFile, filesAtMost: Int = 18) -> [Breach] {
        let files = commandFiles(in: page.text)
        let count = Set(files.map(\.path)).count
        let returns = files.filter { $0.path.hasPrefix("Sources/Daemon/") && $0.line != files.first?.line }.map {
            Breach(path: page.path, line: $0.line, reason: "a command comes back into \($0.path)")
        }
        guard count > filesAtMost, let first = files.first else { return returns }
        let reason = "a command passes through \(count) files, and \(filesAtMost) are enough"
        return returns + [Breach(path: page.path, line: first.line, reason: reason)]
    }

    private static func words(of text: String) -> Set<Substring> {
        Set(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
    }
}
