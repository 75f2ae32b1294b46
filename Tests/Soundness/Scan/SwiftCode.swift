/// Leaves of a Swift text only what the compiler runs: comments, string contents and raw identifiers become spaces.
///
/// Lines keep their places. What stands in an interpolation is code and stays.
struct SwiftCode {
    /// What the scanner is inside of; interpolations put code into strings into code.
    private enum Frame: Equatable {
        case code(openParentheses: Int)
        case string(hashes: Int, multiline: Bool)
    }

    /// The bytes that may begin something other than plain code, or count in an interpolation.
    private static let beginners = Array("/`#\"()".utf8)

    private let bytes: [UInt8]
    private var output: [UInt8] = []
    private var index = 0
    private var frames: [Frame] = [.code(openParentheses: 0)]

    static func only(of text: String) -> String {
        var scanner = SwiftCode(text)
        while scanner.index < scanner.bytes.count { scanner.step() }
        return String(decoding: scanner.output, as: UTF8.self)
    }

    private init(_ text: String) { bytes = Array(text.utf8) }

    private mutating func step() {
        switch frames[frames.count - 1] {
        case .code(let open): stepInCode(open)
        case .string(let hashes, let multiline): stepInString(hashes, multiline)
        }
    }

    private mutating func stepInCode(_ open: Int) {
        // Most bytes begin nothing.
        guard Self.beginners.contains(bytes[index]) else { return keep() }
        if starts("//") { return blank { !$0.starts("\n") } }
        if starts("/*") { return blankBlockComment() }
        if starts("`") {
            blank(1)
            blank { !$0.starts("`") && !$0.starts("\n") }
            return blank(1)
        }
        if let opening = stringOpening() { return enterString(opening) }
        let byte = bytes[index]
        if frames.count > 1 {
            if byte == UInt8(ascii: "(") { frames[frames.count - 1] = .code(openParentheses: open + 1) }
            if byte == UInt8(ascii: ")") {
                if open == 0 {
                    frames.removeLast()
                } else {
                    frames[frames.count - 1] = .code(openParentheses: open - 1)
                }
            }
        }
        keep()
    }

    private mutating func stepInString(_ hashes: Int, _ multiline: Bool) {
        let marks = String(repeating: "#", count: hashes)
        if starts("\\" + marks + "(") {
            blank(1 + hashes)
            keep()
            frames.append(.code(openParentheses: 0))
        } else if starts("\\" + marks) {
            blank(2 + hashes)
        } else if starts((multiline ? "\"\"\"" : "\"") + marks) {
            frames.removeLast()
            blank((multiline ? 3 : 1) + hashes)
        } else {
            // A line that ends inside a one-line string is broken; going on as code limits the damage.
            if !multiline, starts("\n") { frames.removeLast() }
            blank(1)
        }
    }

    private func stringOpening() -> (hashes: Int, multiline: Bool)? {
        var place = index
        while place < bytes.count, bytes[place] == UInt8(ascii: "#") { place += 1 }
        guard starts("\"", at: place) else { return nil }
        return (place - index, starts("\"\"\"", at: place))
    }

    private mutating func enterString(_ opening: (hashes: Int, multiline: Bool)) {
        blank(opening.hashes + (opening.multiline ? 3 : 1))
        frames.append(.string(hashes: opening.hashes, multiline: opening.multiline))
    }

    private mutating func blankBlockComment() {
        var depth = 0
        repeat {
            if starts("/*") {
                depth += 1
                blank(2)
            } else if starts("*/") {
                depth -= 1
                blank(2)
            } else {
                blank(1)
            }
        } while depth > 0 && index < bytes.count
    }

    private func starts(_ text: String, at place: Int? = nil) -> Bool {
        bytes[min(place ?? index, bytes.count)...].starts(with: text.utf8)
    }

    private mutating func keep() {
        output.append(bytes[index])
        index += 1
    }

    private mutating func blank(_ count: Int) {
        for _ in 0..<count where index < bytes.count {
            output.append(bytes[index] == UInt8(ascii: "\n") ? bytes[index] : UInt8(ascii: " "))
            index += 1
        }
    }

    private mutating func blank(while condition: (SwiftCode) -> Bool) {
        while index < bytes.count, condition(self) { blank(1) }
    }
}
