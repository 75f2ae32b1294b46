import Kernel
import Payments
import TestKit
import Testing

/// Pages of an upload, and how an upload is cut into them.
struct BillPageTests {
    private func reason(_ text: String) -> String? {
        do throws(BillPage.Failure) {
            _ = try BillPage(Array(text.utf8), first: 1, currency: BillSamples.hryvnia)
            return nil
        } catch {
            return "\(error.line) \(error.reason)"
        }
    }

    @Test func `a page gives its bills their places and its exact sum`() throws {
        let page = try BillPage(BillSamples.bytes(["a", "b"]), first: 501, currency: BillSamples.hryvnia)
        #expect(page.lines.map(\.ordinal) == [501, 502])
        #expect(page.total == BillSamples.money(2000))
    }

    @Test func `a line that is wrong is named`() {
        let good = "{\"id\":\"a\",\"amount\":{\"value\":1,\"currency\":\"UAH\"}}\n"
        #expect(reason(good + good) == "2 bill_repeated")
        #expect(reason(good + "\n{\"id\":\"b\"}") == "3 id_and_amount_needed")
        #expect(reason("{\"id\":\"b\",\"amount\":{\"value\":1,\"currency\":\"EUR\"}}") == "1 currency_mismatch")
        #expect(reason("{\"id\":\"b\",\"amount\":{\"value\":0,\"currency\":\"UAH\"}}") == "1 amount_not_positive")
        #expect(reason("{\"id\":\"b\",\"amount\":{\"value\":1.5,\"currency\":\"UAH\"}}") == "1 amount_malformed")
        #expect(reason("{\"id\":\"b b\",\"amount\":{\"value\":1,\"currency\":\"UAH\"}}") == "1 id_malformed")
        #expect(reason("[]") == "1 not_an_object")
        #expect(reason("\n \n") == "1 page_empty")
        let huge = "{\"id\":\"b\",\"amount\":{\"value\":9223372036854775807,\"currency\":\"UAH\"}}"
        #expect(reason(good + huge) == "2 amount_overflow")
    }

    @Test func `an upload gives the same pages whatever pieces it comes in`() {
        let upload = BillSamples.bytes((1...1234).map { "bill-\($0)" })
        var whole = BillPager()
        let wanted = whole.take(upload) + [whole.end()].compactMap { $0 }
        #expect(wanted.count == 3)
        #expect(wanted.flatMap { $0 } == upload)
        var random = SplitMix64(seed: 7)
        for _ in 0..<20 {
            var pager = BillPager()
            var pages: [[UInt8]] = []
            var rest = upload[...]
            while !rest.isEmpty {
                let piece = rest.prefix(Int(random.next() % 4000) + 1)
                rest = rest.dropFirst(piece.count)
                pages += pager.take(piece)
            }
            pages += [pager.end()].compactMap { $0 }
            #expect(pages == wanted)
        }
    }

    @Test func `a page never exceeds its bytes, and a line that does is refused as one`() {
        let long = String(repeating: "x", count: 400)
        let lines = (1...400).map {
            "{\"id\":\"\($0)\",\"amount\":{\"value\":1,\"currency\":\"UAH\"},\"n\":\"\(long)\"}\n"
        }
        var pager = BillPager()
        let pages = pager.take(Array(lines.joined().utf8)) + [pager.end()].compactMap { $0 }
        #expect(pages.allSatisfy { $0.count <= BillPage.mostBytes })
        #expect(pages.flatMap { $0 } == Array(lines.joined().utf8))
        var other = BillPager()
        let broken = other.take([UInt8](repeating: UInt8(ascii: "z"), count: BillPage.mostBytes + 10))
        #expect(broken.count == 1)
    }
}
