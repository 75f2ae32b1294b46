import SystemKit
import Testing

struct CommandArgumentsTests {
    private let options = [
        CommandOption("port", letter: "p", value: "N", summary: "where to listen"),
        CommandOption("quiet", letter: "q", summary: "say less"),
        CommandOption("account", value: "ID", summary: "which account"),
    ]

    private func parse(_ words: String...) throws(UsageError) -> CommandArguments {
        try CommandArguments(words, options: options)
    }

    @Test func `an option's value may follow it or stand behind an equals sign`() throws {
        #expect(try parse("--port", "80")["port"] == "80")
        #expect(try parse("--port=80")["port"] == "80")
        #expect(try parse("-p", "80")["port"] == "80")
        #expect(try parse("-p80")["port"] == "80")
    }

    @Test func `an option given twice keeps both values and answers with the last`() throws {
        let arguments = try parse("--account", "a", "--account=b")
        #expect(arguments.all("account") == ["a", "b"])
        #expect(arguments["account"] == "b")
    }

    @Test func `a switch is there or not`() throws {
        #expect(try parse("-q").has("quiet"))
        #expect(!(try parse("word").has("quiet")))
    }

    @Test func `options end at the first other word`() throws {
        let arguments = try parse("--quiet", "run", "--port", "1")
        #expect(arguments.rest == ["run", "--port", "1"])
        #expect(arguments["port"] == nil)
    }

    @Test func `options end at two dashes, which are not part of the rest`() throws {
        #expect(try parse("-q", "--", "--port").rest == ["--port"])
        #expect(try parse().rest.isEmpty)
    }

    @Test func `an unknown option is named`() {
        #expect(throws: UsageError("'--colour' is no option here, or it takes no value")) {
            try parse("-q", "--colour", "red")
        }
        #expect(throws: UsageError("'--quiet=yes' is no option here, or it takes no value")) {
            try parse("--quiet=yes")
        }
    }

    @Test func `a missing value is named`() {
        #expect(throws: UsageError("--port wants a value")) { try parse("-q", "--port") }
    }

    @Test func `a number that is none is a mistake of the caller`() throws {
        #expect(try parse("--port", "80").integer("port") == 80)
        #expect(try parse().integer("port") == nil)
        #expect(throws: UsageError("--port wants a whole number, not 'http'")) {
            try parse("--port", "http").integer("port")
        }
    }

    @Test func `a word too many is refused`() throws {
        #expect(throws: UsageError("'more' is one word too many")) { try parse("-q", "more").demandNoRest() }
    }
}
