import CShims
import Glibc
import Kernel

/// The words after a command's name, read by `getopt_long`.
package struct CommandArguments: Hashable, Sendable {
    /// The values given per option, in the order written; a switch holds one empty text for each time it was given.
    private let values: [String: [String]]
    /// The words that are no options: all from the first such word on, without the `--` that may stand before it.
    package let rest: [String]

    /// Reads the options that stand before the first word that is none.
    package init(_ arguments: [String], options: [CommandOption]) throws(UsageError) {
        (values, rest) = try Self.guarded.withLock { _ throws(UsageError) in try Self.read(arguments, options) }
    }

    /// Tells whether an option was given.
    package func has(_ name: String) -> Bool { values[name] != nil }

    /// The value given last.
    package subscript(name: String) -> String? { values[name]?.last }

    /// Every value given, first one first.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    /// The value given last as a whole number.
    package func integer(_ name: String) throws(UsageError) -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text) else { throw UsageError("--\(name) wants a whole number, not '\(text)'") }
        return number
    }

    /// Refuses words after the options.
    package func demandNoRest() throws(UsageError) {
        guard let first = rest.first else { return }
        throw UsageError("'\(first)' is one word too many")
    }

    /// `getopt_long` keeps its place in globals of the process, so one reading happens at a time.
    private static let guarded = Locked(())

    private typealias Reading = ([String: [String]], [String])

    private static func read(_ arguments: [String], _ options: [CommandOption]) throws(UsageError) -> Reading {
        // The first word is skipped by getopt: it is the program's name.
        let words: [UnsafeMutablePointer<CChar>?] = (["paystream"] + arguments).map { strdup($0) } + [nil]
        let names = options.map { strdup($0.name) }
        defer {
            for text in words + names { free(text) }
        }
        let known = zip(options, names).map { option, name in
            shim_known_option(
                name: UnsafePointer(name),
                letter: option.letter?.asciiValue.map { CChar(bitPattern: $0) } ?? 0,
                takes_value: option.value == nil ? 0 : 1
            )
        }
        var values: [String: [String]] = [:]
        var next = 1
        shim_options_begin()
        while true {
            let found = shim_options_next(Int32(words.count - 1), words, known, Int32(known.count))
            let culprit = arguments[max(0, min(next - 1, arguments.count - 1))...].first ?? ""
            next = Int(found.next)
            switch found.number {
            case 0: return (values, Array(arguments.dropFirst(next - 1)))
            case -1: throw UsageError("'\(culprit)' is no option here, or it takes no value")
            case -2: throw UsageError("\(culprit) wants a value")
            default:
                let option = options[Int(found.number) - 1]
                values[option.name, default: []].append(found.value.map { String(cString: $0) } ?? "")
            }
        }
    }
}
