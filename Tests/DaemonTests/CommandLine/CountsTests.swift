import Glibc
import Kernel
import SystemKit
import Testing

/// What a payment costs in what no machine blurs: the limits of `Budget` hold.
///
/// They are of a machine that does nothing else: `deploy/test.sh` runs it alone.
struct CountsTests {
    @Test func `a lifecycle and an accepted payment stay within their limits of all that is counted`() async throws {
        let file = "/tmp/paystream-\(getpid())-counts"
        defer { unlink(file) }
        // On a cluster of its own: flushes and the log are a server's.
        let printed = try await DaemonProcess.run(
            ["bench", "counts"],
            ChildProcess.environment,
            output: file,
            // As long as a busy machine takes: what is counted is no time.
            within: .seconds(180)
        )
        let lines = try printed.split(separator: "\n").compactMap { line -> Json? in
            line.hasPrefix("{") ? try Json(text: String(line)) : nil
        }
        #expect(lines.count == 2, "\(printed)")
        for line in lines {
            #expect(line["over"] == nil, "\(line.canonicalText)")
            #expect(line["statements"]?.scalarText.flatMap(Double.init) ?? 0 > 0.5, "\(line.canonicalText)")
        }
    }
}
