/// Types, their members and the files of `Sources/` are named in words of the glossary, and not in words of our own.
enum GlossaryRule {
    /// A name that a file declares, or that its path has.
    struct Name: Hashable {
        let text: String
        let line: Int
    }

    static func breaches(in files: [SourceFile], exceptions: [String] = PrivateWords.exceptions) -> [Breach] {
        var found: [String: Breach] = [:]
        for file in files where file.isSwift && file.path.hasPrefix("Sources/") {
            for name in names(of: file) {
                guard let word = privateWord(in: name.text), let instead = PrivateWords.instead[word] else { continue }
                let key = "\(place(of: file.path)) \(name.text)"
                let reason = "'\(name.text)' says '\(word)' for: \(instead)"
                if found[key] == nil { found[key] = Breach(path: file.path, line: name.line, reason: reason) }
            }
        }
        let allowed = Set(exceptions)
        return found.filter { !allowed.contains($0.key) }.values.sorted { ($0.path, $0.line) < ($1.path, $1.line) }
            + exceptions.filter { found[$0] == nil }.map {
                Breach(
                    path: "Tests/Soundness/Rules/PrivateWords.swift",
                    line: 1,
                    reason: "'\($0)' is no exception any more"
                )
            }
    }

    /// The word of our own in a name: a part of it, or the whole where the word is common beside others.
    private static func privateWord(in name: String) -> String? {
        if PrivateWords.alone.contains(name) { return name }
        return words(of: name).lazy.compactMap { word in
            [word, PrivateWords.forms[word] ?? ""].first {
                PrivateWords.instead[$0] != nil && !PrivateWords.alone.contains($0)
            }
        }.first
    }

    /// The module, as `Engine`, `Providers/SberPay` or `Tools/Dev`.
    private static func place(of path: String) -> String {
        let parts = path.split(separator: "/").dropFirst()
        return parts.prefix(["Providers", "Tools"].contains(parts.first) ? 2 : 1).joined(separator: "/")
    }

    /// Splits `OpenMatterRow` into `open`, `matter` and `row`.
    private static func words(of name: String) -> [String] {
        name.reduce(into: [""]) { words, character in
            if character.isUppercase || !character.isLetter { words.append("") }
            words[words.count - 1].append(character.lowercased())
        }
    }

    // MARK: Declarations

    private static let types: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]

    /// Names of folders, of the file, of types, and of what types and files declare; not what functions do inside.
    static func names(of file: SourceFile) -> [Name] {
        let tokens = file.tokens
        var names = file.path.split(separator: "/").dropFirst().map { part in
            Name(text: String(part.prefix { $0 != "." && $0 != "+" }), line: 1)
        }
        // Whether each open brace is that of a type.
        var braces: [Bool] = []
        var (opensType, depth) = (false, 0)
        for (index, token) in tokens.enumerated() {
            let next = index + 1 < tokens.count ? tokens[index + 1] : token
            let isMember = depth == 0 && braces.allSatisfy(\.self)
            switch token.text {
            case "{":
                braces.append(opensType)
                opensType = false
            case "}": _ = braces.popLast()
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "extension": opensType = true
            case "func", "associatedtype", "var", "let":
                if isMember { names.append(Name(text: String(next.text), line: next.line)) }
            case "case": if isMember { names += cases(tokens[(index + 1)...]) }
            case _ where types.contains(token.text) && next.text.first?.isUppercase == true:
                opensType = token.text != "typealias"
                names.append(Name(text: String(next.text), line: next.line))
            case _: break
            }
        }
        return names
    }

    /// The names behind one `case` of an enum, without their payloads and values.
    private static func cases(_ tokens: ArraySlice<SwiftToken>) -> [Name] {
        var names: [Name] = []
        var (depth, isExpected) = (0, true)
        for token in tokens {
            switch token.text {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case _ where depth > 0: break
            case ",": isExpected = true
            case _ where isExpected:
                names.append(Name(text: String(token.text), line: token.line))
                isExpected = false
            case _: return names
            }
            if depth < 0 { return names }
        }
        return names
    }
}
