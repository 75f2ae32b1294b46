import Glibc
import Kernel
import Simulation

/// Plays worlds one after the other.
@main
struct Simulate {
    private var providers = SimulatedProvider.all
    private var seed: UInt64 = 1
    private var runs: UInt64 = 1
    private var payments: Int?
    private var isCalm = false
    private var isTracing = false
    private var isTable = false
    private var kinds: [WorldKind] = [.payments]
    private var only: String?
    private var step = 1

    static func main() async {
        sameHashesEveryTime()
        do {
            let hasFailed = try await Simulate(CommandLine.arguments.dropFirst()).run()
            exit(hasFailed ? 1 : 0)
        } catch {
            print(error)
            exit(2)
        }
    }

    /// Starts the process again where hash seeds differ from run to run: a seed plays the same world everywhere.
    private static func sameHashesEveryTime() {
        guard getenv("SWIFT_DETERMINISTIC_HASHING") == nil else { return }
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        execv("/proc/self/exe", CommandLine.unsafeArgv)
    }

    private static let help = """
        simulate: plays simulated worlds, each from one seed: the production engine, a store in memory, and a provider that keeps
        books. Ends with 1 where a world was bad; each bad one prints the command that plays it again.

          --provider NAME   only this one of \(SimulatedProvider.all.map(\.name).joined(separator: ", ")) (default: all)
          --seed N          the first seed (default: 1)
          --runs N          seeds in all, each played at every provider (default: 1)
          --worlds KIND     what they are about (default: payments), where the provider has such:
                            payments        at a provider that is made from its adapter's declaration
                            subscriptions   schedules that charge saved cards, over the real wire formats
                            transfers       money that goes on to other cards, over Portmone's real wire format
                            bills           bills that are paid in bulk, over Portmone's real wire format
                            all             one of each
          --subscriptions   the same as --worlds subscriptions
          --payments N      payments or transfers in one world (default: \(WorldPlan(provider: "", seed: 0).payments))
          --calm            nothing goes wrong
          --table           plays no worlds: every case of the table of hostile providers, over their real wire formats
          --step N          every so many cases of the table (default: 1)
          --case NAME       only this case of the table, with what went over the wire; a part of the name may be `*`, or
                            several values with `|` between them
          --trace           prints what happens
          --help            this text
        """

    private struct Misuse: Error, CustomStringConvertible { let description: String }

    private init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        func value<Value>(_ read: (String) -> Value?) throws -> Value {
            guard let text = rest.popFirst(), let value = read(text) else {
                throw Misuse(description: "an option lacks its value")
            }
            return value
        }
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h":
                print(Self.help)
                exit(0)
            case "--provider": providers = [try value { SimulatedProvider.named($0) }]
            case "--seed": seed = try value { UInt64($0) }
            case "--runs": runs = try value { UInt64($0) }
            case "--payments": payments = try value { Int($0) }
            case "--calm": isCalm = true
            case "--table": isTable = true
            case "--worlds":
                kinds = try value { word in word == "all" ? WorldKind.allCases : WorldKind(rawValue: word).map { [$0] }
                }
            case "--subscriptions": kinds = [.subscriptions]
            case "--step": step = try value { Int($0).flatMap { $0 > 0 ? $0 : nil } }
            case "--case": only = try value { $0 }
            case "--trace": isTracing = true
            default: throw Misuse(description: "unknown option \(word); --help lists them")
            }
        }
    }

    /// Plays every seed at every provider; answers whether a world was bad.
    private func run() async throws -> Bool {
        if isTable || only != nil { return await playTable() }
        var sums = WorldReport()
        var failures = 0
        let begun = ContinuousClock.now
        var told = begun
        for number in 0..<runs {
            if ContinuousClock.now - told > .seconds(10) {
                told = .now
                print("\(number) of \(runs) seeds: \(sums.payments) payments, \(failures) bad worlds")
                fflush(nil)
            }
            for provider in providers {
                for kind in kinds {
                    guard let seen = try await play(kind, provider, seed + number) else { continue }
                    sums.add(seen)
                    if tell(seen, kind, provider, seed + number) { failures += 1 }
                }
            }
        }
        func rate(_ time: Duration) -> Int64 { Int64(sums.payments) * 1000 / max(1, Int64(time / .milliseconds(1))) }
        print(
            "\(runs) seeds at \(providers.count) providers: \(sums.payments) payments, \(sums.events) events, "
                + "\(sums.sends) sends, \(sums.faults) faults, \(sums.crashes) crashes, "
                + "\(sums.operatorActs) operator acts; \(failures) bad worlds; "
                + "\(rate(ContinuousClock.now - begun)) payments/s, \(rate(Self.processorTime)) for each core"
        )
        return failures > 0
    }

    /// What this process has used so far, on all cores.
    private static var processorTime: Duration {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }

    /// Prints what a world left; answers whether it was bad.
    private func tell(_ seen: WorldReport, _ kind: WorldKind, _ provider: SimulatedProvider, _ seed: UInt64) -> Bool {
        for line in seen.trace { print(line) }
        guard !seen.violations.isEmpty else { return false }
        for violation in seen.violations { print("VIOLATION \(provider.name) \(seed): \(violation)") }
        let what = kind == .payments ? "" : " WORLDS=\(kind.rawValue)"
        print("again: make sim PROVIDER=\(provider.name) SEED=\(seed) RUNS=1 TRACE=1\(what)")
        return true
    }

    /// Plays one world; `nil` where there is none of the kind at a provider.
    private func play(_ kind: WorldKind, _ provider: SimulatedProvider, _ seed: UInt64) async throws -> WorldReport? {
        var plan = WorldPlan(kind, provider: provider.name, seed: seed)
        if isCalm { plan.faults = .none }
        if let payments { plan.payments = payments }
        return try await Simulation.play(plan, isTracing: isTracing)
    }

    /// Plays the table of each provider; answers whether a case was bad.
    private func playTable() async -> Bool {
        var failures = 0
        for table in HostileTables.all where providers.contains(where: { $0.name == table.provider }) {
            let begun = ContinuousClock.now
            var bad = 0
            let count = await table.play(step: step, only: only, isTracing: true) { one, seen in
                for breach in seen.breaches { print("VIOLATION \(one.name): \(breach)") }
                if !seen.breaches.isEmpty { bad += 1 }
            }
            print("\(table.name): \(count) cases, \(bad) bad, \(ContinuousClock.now - begun)")
            fflush(nil)
            failures += bad
        }
        return failures > 0
    }
}
