/// A text that goes into a file of the checkout: behind or before a place that the file has once, or among its imports.
struct Insertion: Hashable {
    private enum Anchor: Hashable {
        case behind(String), before(String), imports
    }

    let path: String
    let text: String
    private let anchor: Anchor

    init(_ path: String, behind anchor: String, _ text: String) {
        self.path = path
        self.text = text
        self.anchor = .behind(anchor)
    }

    init(_ path: String, before anchor: String, _ text: String) {
        self.path = path
        self.text = text
        self.anchor = .before(anchor)
    }

    init(_ path: String, importing module: String) {
        self.path = path
        text = "import \(module)\n"
        anchor = .imports
    }

    /// The file with the text in it; `nil` where the place is not there, or more than once.
    func applied(to file: String) -> String? {
        switch anchor {
        case .behind(let anchor): Self.only(anchor, in: file).map { put(into: file, at: $0.upperBound) }
        case .before(let anchor): Self.only(anchor, in: file).map { put(into: file, at: $0.lowerBound) }
        case .imports: imported(into: file)
        }
    }

    private static func only(_ anchor: String, in file: String) -> Range<String.Index>? {
        let found = file.ranges(of: anchor)
        return found.count == 1 ? found.first : nil
    }

    private func put(into file: String, at index: String.Index) -> String {
        file[..<index] + text + file[index...]
    }

    private func imported(into file: String) -> String? {
        var lines = file.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard let last = lines.lastIndex(where: { ImportLine.module($0) != nil }) else { return nil }
        let line = String(text.dropLast())
        let next = lines.firstIndex { ImportLine.module($0) != nil && ImportLine.precedes(line, $0) }
        lines.insert(line, at: next ?? last + 1)
        return lines.joined(separator: "\n")
    }
}

/// Lines that import modules, in the order of their names.
enum ImportLine {
    static func module(_ line: String) -> Substring? {
        for start in ["import ", "package import "] where line.hasPrefix(start) { return line.dropFirst(start.count) }
        return nil
    }

    static func precedes(_ left: String, _ right: String) -> Bool {
        guard let left = module(left), let right = module(right) else { return false }
        return left < right
    }
}
