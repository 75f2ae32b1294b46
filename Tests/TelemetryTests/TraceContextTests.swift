import Kernel
import Telemetry
import TestKit
import Testing

struct TraceContextTests {
    private let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `a header that was read is written as it came`() throws {
        let context = try #require(TraceContext(traceparent: valid, tracestate: "congo=t61rcWkgMzE,rojo=00f067"))
        #expect(context.traceparent == valid)
        #expect(context.state == "congo=t61rcWkgMzE,rojo=00f067")
    }

    @Test(arguments: [
        "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "0x-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more",
    ])
    func `a header that breaks the rules is not used`(_ text: String) {
        #expect(TraceContext(traceparent: text) == nil)
    }

    @Test func `a later version is read as far as it is known`() {
        let later = TraceContext(traceparent: "01" + valid.dropFirst(2).dropLast(2) + "ff-more")
        #expect(later?.traceparent == valid)
    }

    @Test func `a state that cannot be carried is left out`() {
        for state in ["", "a=\u{7}", "ключ=1", String(repeating: "a", count: Limits.tracestateBytes + 1)] {
            #expect(TraceContext(traceparent: valid, tracestate: state)?.state == nil)
        }
    }

    @Test func `a child keeps the trace and has a step of its own`() throws {
        let random = SeededRandom(seed: 3)
        let parent = try #require(TraceContext(traceparent: valid, tracestate: "a=b"))
        let child = parent.child(from: random)
        #expect(child.traceId == parent.traceId && child.spanId != parent.spanId)
        #expect(child.flags == parent.flags && child.state == "a=b")
        let fresh = TraceContext.new(from: random)
        #expect(TraceContext(traceparent: fresh.traceparent) == fresh)
        #expect(fresh.flags == 0)
    }
}
