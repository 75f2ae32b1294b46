/// Pages and doc comments lead to what is there: files that a page links to, and types that either names in code marks.
enum LinkRule {
    /// Pages in the words of providers' wires.
    private static let wires = ["docs/providers/", "docs/sandbox.md"]
    /// Types of providers' kits.
    private static let foreign: Set<String> = ["RecurrentInfo", "PaymentInfo"]

    static func breaches(in files: [SourceFile]) -> [Breach] {
        let paths = Set(files.map(\.path))
        let words = Set(files.filter(\.isSwift).flatMap { $0.tokens.map(\.text) })
        // Records say how things were; they name what has gone.
        let pages = files.filter { $0.path.hasSuffix(".md") && !$0.path.hasPrefix("docs/decisions/") }
        let prose = pages.filter { page in page.path.hasPrefix("docs/") && !wires.contains { page.path.hasPrefix($0) } }
        let sources = files.filter { $0.isSwift && $0.path.hasPrefix("Sources/") }
        return pages.flatMap { page in
            page.lines.enumerated().flatMap { index, line -> [Breach] in
                let gone = links(in: line, of: page.path).filter { link in
                    !paths.contains(link) && !paths.contains { $0.hasPrefix(link + "/") }
                }
                return gone.map { Breach(path: page.path, line: index + 1, reason: "\($0) is not there") }
            }
        }
            + (prose + sources).flatMap { file in
                file.lines.enumerated().flatMap { index, line -> [Breach] in
                    guard !file.isSwift || line.drop(while: { $0 == " " }).hasPrefix("//") else { return [] }
                    let gone = types(in: line).filter { !words.contains(Substring($0)) && !foreign.contains($0) }
                    return gone.map { Breach(path: file.path, line: index + 1, reason: "no type is called \($0)") }
                }
            }
    }

    /// The files that a line links to, from the root of the checkout.
    static func links(in line: Substring, of page: String) -> [String] {
        line.ranges(of: "](").compactMap { range in
            let target = line[range.upperBound...].prefix { $0 != ")" && $0 != "#" }
            guard !target.isEmpty, !target.contains(":"), !target.contains(" ") else { return nil }
            var folder = page.split(separator: "/").dropLast()
            for part in target.split(separator: "/") {
                if part == ".." { folder = folder.dropLast() } else if part != "." { folder.append(part) }
            }
            return folder.joined(separator: "/")
        }
    }

    /// Names of types in the code marks of a line: words of more than one hump.
    static func types(in line: Substring) -> [String] {
        let pieces = line.split(separator: "`", omittingEmptySubsequences: false)
        return stride(from: 1, to: pieces.count - 1, by: 2).compactMap { mark in
            let name = pieces[mark].prefix { $0 != "." }
            let humps = zip(name, name.dropFirst()).count { $0.isLowercase && $1.isUppercase }
            guard name.first?.isUppercase == true, humps > 0, name.allSatisfy({ $0.isLetter || $0.isNumber }) else {
                return nil
            }
            return String(name)
        }
    }
}
