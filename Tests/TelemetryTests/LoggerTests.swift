import Kernel
import Telemetry
import Testing

/// Keeps lines for the test to read.
private final class LineKeeper: LogSink {
    private let kept = Locked<[String]>([])

    func write(_ line: [UInt8]) { kept.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
    var lines: [String] { kept.withLock { $0 } }
}

struct LoggerTests {
    private let keeper = LineKeeper()

    private func logger(_ least: LogLevel = .info) -> Logger {
        Logger(sink: keeper, least: least) { Timestamp(seconds: 1_000_000_000) }
    }

    @Test func `a line has moment, level, message and fields in this order`() {
        logger().info("exchange finished", ["payment": "pay_1", "elapsed_ms": 812, "lost": true])
        #expect(
            keeper.lines == [
                #"{"at":"2001-09-09T01:46:40.000000Z","level":"info","message":"exchange finished","#
                    + #""payment":"pay_1","elapsed_ms":812,"lost":true}"#
            ]
        )
    }

    @Test func `lines below the least level are not written`() {
        let log = logger(.warning)
        log.debug("a")
        log.info("b")
        log.warning("c")
        log.error("d")
        #expect(keeper.lines.count == 2)
    }

    @Test func `fields of a logger are in every line, later ones win and reserved names give way`() throws {
        logger().with(["node": "a", "step": 1]).with(["step": 2]).info("m", ["node": "b", "level": "x"])
        let line = try Json(text: try #require(keeper.lines.first))
        #expect(line["node"] == "b" && line["step"] == 2 && line["level"] == "info" && line["_level"] == "x")
    }

    @Test func `a text is one line of JSON, whatever it holds`() throws {
        logger().info("m", ["value": "a\nb\"\u{1}"])
        let line = try #require(keeper.lines.first)
        #expect(!line.contains("\n"))
        #expect(try Json(text: line)["value"]?.text == "a\nb\"\u{1}")
    }

    @Test func `long values are cut`() throws {
        logger().info("m", ["value": LogValue(String(repeating: "x", count: Limits.logValueBytes + 1))])
        let value = try Json(text: try #require(keeper.lines.first))["value"]?.text
        #expect(value == String(repeating: "x", count: Limits.logValueBytes) + "…")
    }

    @Test func `a secret shows nothing even when it is interpolated`() throws {
        logger().info("m", ["value": "\(Secret("hunter2"))"])
        #expect(try Json(text: try #require(keeper.lines.first))["value"] == "‹secret›")
    }

    @Test func `durations are whole milliseconds`() {
        #expect(LogValue.milliseconds(.microseconds(1_234_567)) == .integer(1234))
        #expect(LogLevel(name: "warning") == .warning && LogLevel(name: "loud") == nil)
    }
}
