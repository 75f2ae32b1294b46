import Benchmarks
import Kernel
import Testing

/// What the card-data guard costs, counted in bytes that it looks at: no clock is asked.
struct GuardCostTests {
    /// A text is ruled out or searched, cleaned and searched again; as much again may hide in it.
    private static let looksPerByte = 8

    @Test(arguments: [4 * 1024, 64 * 1024])
    func `the guard looks at each byte a bounded number of times, whatever the bytes are`(_ size: Int) {
        for (name, bytes) in GuardCorpus.texts(bytes: size) + [("a document", GuardCorpus.document(bytes: size))] {
            var search = CardSearch()
            _ = CardGuard.redact(bytes: bytes, exempt: [], &search)
            #expect(search.visited <= Self.looksPerByte * bytes.count + CardSearch.freeRoom, "\(name)")
        }
    }

    @Test func `a document tells a bounded number of findings and loses all of them`() throws {
        let number = "4111111111111111"
        let many = Json.array(Array(repeating: .string(number), count: 500))
        let (clean, findings) = CardGuard.redact(many)
        #expect(findings.count == CardGuard.findingsTold)
        #expect(CardGuard.scan(clean).isEmpty)
    }
}
