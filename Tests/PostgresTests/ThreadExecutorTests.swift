import Postgres
import Testing

/// The thread below a connection.
@Suite(.timeLimit(.minutes(2)))
struct ThreadExecutorTests {
    /// As a connection is: it lives on its executor's thread and ends it with itself.
    private actor Guest {
        private nonisolated let executor = ThreadExecutor()
        private var visits = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

        deinit { executor.stop() }

        func visit() -> Int {
            visits += 1
            return visits
        }
    }

    /// The last job frees the executor while whoever handed it in may still be inside `enqueue`; the address sanitizer sees it.
    @Test func `an executor may end with the job that was handed in last`() async {
        let visits = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    var count = 0
                    for _ in 0..<2_000 { count += await Guest().visit() }
                    return count
                }
            }
            return await group.reduce(0, +)
        }
        #expect(visits == 8_000)
    }

    @Test func `jobs run one after another`() async {
        let guest = Guest()
        let visits = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<500 { group.addTask { await guest.visit() } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(visits == Set(1...500))
    }
}
