import Api
package import Crypto
package import Engine
package import EventSourcing
import Glibc
import Http
import Kernel
package import Payments
import ProviderKit
package import Store
import SystemKit
package import Telemetry

/// Acts of whoever owns the installation: decided and kept in the log as those over HTTP are, without a daemon.
package struct Administration: Sendable {
    package let commands: CommandIntake
    package let ring: KeyRing
    package let actor: Actor

    package init(commands: CommandIntake, ring: KeyRing, actor: Actor) {
        self.commands = commands
        self.ring = ring
        self.actor = actor
    }

    /// Who has the database and the master key, by the name of his login.
    package static var owner: Actor {
        let name = getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "\(getuid())"
        return Actor(id: "owner:\(name)", isOperator: true)
    }

    /// An engine of its own over a store: nothing of it runs but the decision of a command.
    package static func detached(_ store: PostgresStore, _ ring: KeyRing, log: Logger) -> Administration {
        let registers = Registers(store)
        let machine = DatabaseClock()
        let now = { @Sendable () -> Timestamp in machine.now }
        let subjects = SubjectRows(registers: registers, ring: ring)
        let engine = Engine(
            EngineParts(
                store: store,
                adapters: Node.adapters,
                vault: KeyVault(ring: ring, rows: subjects, random: SystemRandom(), clock: now),
                quarantine: subjects,
                transport: NoTransport(),
                publicUrl: "",
                clock: now,
                log: log,
                meters: EngineMeters(MetricRegistry()),
                owner: "command-\(getpid())",
                build: Version.text,
                recovery: RecoveryRows(store, as: owner.id)
            )
        )
        return Administration(commands: engine.commands, ring: ring, actor: owner)
    }

    /// Puts an act into the log.
    ///
    /// Under the same key it is the same act; without one it is another each time.
    package func act(_ command: MerchantCommand, on merchant: MerchantNumber, key: String? = nil) async throws {
        let submission = Submission(
            merchant: merchant,
            key: key ?? "owner-\(SystemRandom().uuid(at: WallClock.now()))",
            stream: DerivedNames.merchant(merchant),
            name: command.name.rawValue,
            body: command.canonical,
            fingerprint: command.json,
            actor: actor,
            account: nil,
            traceparent: nil,
            correlation: nil
        )
        let (input, macs) = submission.input(ring, at: WallClock.now())
        switch await commands.take(input, macs: macs) {
        case .accepted: return
        case .pending: throw Failure(what: "it waits behind other changes of the merchant; look at 'paystream audit'")
        case .rejected(let code, let detail, _): throw Failure(what: detail["detail"]?.text ?? code)
        case .keyConflict, .idTaken: throw Failure(what: "its key was used for another act")
        case .unavailable(let detail): throw Failure(what: detail)
        }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let what: String
        package var description: String { what }
    }
}

/// Commands of an owner send nothing.
private struct NoTransport: Transport {
    func send(_: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome {
        .notSent(.stopped)
    }
}
