import Kernel
import Testing

struct SecretTests {
    private struct Holder {
        let name = "x"
        let secret = Secret("hunter2")
    }

    @Test func `a secret prints nothing in any way`() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(Holder(), to: &dumped)
        let texts = [
            "\(secret)", String(describing: secret), String(reflecting: secret), "\(Holder())", "\([secret])",
            "\(Optional(secret) as Any)", String(describing: Mirror(reflecting: secret).children.map { $0 }), dumped,
        ]
        for text in texts { #expect(!text.contains("hunter2") && !text.contains("104, 117"), "\(text)") }
        #expect("\(secret)" == "‹secret›")
    }

    @Test func `its bytes are lent`() {
        #expect(Secret("ab").withBytes { $0 } == [0x61, 0x62])
        #expect(Secret([]).isEmpty && Secret("ab").count == 2 && Secret("ab") == Secret([0x61, 0x62]))
    }
}

struct LockedTests {
    @Test func `nothing is lost between threads`() async {
        let count = Locked(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { count.withLock { $0 += 1 } } }
            }
        }
        #expect(count.withLock { $0 } == 80_000)
    }

    @Test func `a failure leaves the lock open`() {
        let value = Locked(1)
        #expect(throws: MoneyFailure.overflow) {
            try value.withLock { value throws(MoneyFailure) in
                value = 2
                throw .overflow
            }
        }
        #expect(value.withLock { $0 } == 2)
    }
}

struct SplitMix64Tests {
    /// The first values of the reference implementation with seed 1234567.
    @Test func `the sequence is the published one`() {
        var random = SplitMix64(seed: 1_234_567)
        let first = (0..<5).map { _ in random.next() }
        #expect(
            first == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
                4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
            ]
        )
    }
}
