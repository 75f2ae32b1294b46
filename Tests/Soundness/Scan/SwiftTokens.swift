/// A word or a mark of Swift code, with the line it stands on.
struct SwiftToken: Hashable, Sendable {
    let text: Substring
    let line: Int
}

/// Splits Swift code, already freed of comments and strings, into words and single marks.
enum SwiftTokens {
    static func of(_ code: String) -> [SwiftToken] {
        var tokens: [SwiftToken] = []
        var line = 1
        var rest = code[...]
        while let first = rest.first {
            if first.isNewline { line += 1 }
            let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "@" }
            if !word.isEmpty {
                tokens.append(SwiftToken(text: word, line: line))
                rest = rest.dropFirst(word.count)
            } else {
                if !first.isWhitespace { tokens.append(SwiftToken(text: rest.prefix(1), line: line)) }
                rest = rest.dropFirst()
            }
        }
        return tokens
    }
}

/// A function-like declaration with a body.
struct SwiftFunction: Hashable, Sendable {
    let name: String
    let firstLine: Int
    let lastLine: Int

    var length: Int { lastLine - firstLine + 1 }

    /// Finds every `func`, `init`, `deinit` and `subscript` that has a body.
    static func all(in tokens: [SwiftToken]) -> [SwiftFunction] {
        tokens.indices.compactMap { index in
            guard declares(tokens, at: index), let body = bodyStart(tokens, after: index) else { return nil }
            let name = tokens[index].text == "func" ? tokens[min(index + 1, tokens.count - 1)].text : tokens[index].text
            return SwiftFunction(
                name: String(name),
                firstLine: tokens[index].line,
                lastLine: tokens[closing(tokens, of: body)].line
            )
        }
    }

    private static func declares(_ tokens: [SwiftToken], at index: Int) -> Bool {
        switch tokens[index].text {
        case "func", "deinit": true
        // A call of an initializer stands behind a full stop.
        case "init", "subscript": index == 0 || tokens[index - 1].text != "."
        case _: false
        }
    }

    /// A requirement of a protocol has no body: its enclosing brace or the next declaration comes first.
    private static func bodyStart(_ tokens: [SwiftToken], after index: Int) -> Int? {
        var depth = 0
        for place in tokens.indices.dropFirst(index + 1) {
            switch tokens[place].text {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "{" where depth == 0: return place
            case "}" where depth == 0: return nil
            case "func", "init", "deinit", "subscript", "var", "let", "case", "static", "associatedtype":
                if depth == 0 { return nil }
            case _: break
            }
        }
        return nil
    }

    private static func closing(_ tokens: [SwiftToken], of brace: Int) -> Int {
        var depth = 0
        for place in tokens.indices.dropFirst(brace) {
            if tokens[place].text == "{" { depth += 1 }
            if tokens[place].text == "}" { depth -= 1 }
            if depth == 0 { return place }
        }
        return tokens.count - 1
    }
}
