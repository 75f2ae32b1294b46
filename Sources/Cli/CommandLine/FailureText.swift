import Api
import Cluster
import Crypto
import EventSourcing
import Http
import HttpServer
import Kernel
import Postgres
import Sandbox
import Store

/// Failures in a person's words: what went wrong and, where there is something to do, what.
enum FailureText {
    static func of(_ error: any Error) -> String {
        switch error {
        case let failure as PostgresFailure: of(failure)
        case let failure as StoreFailure: "the database: \(failure.detail) (\(failure.code.rawValue))"
        case let failure as Migrator.Failure: "the schema: \(failure.detail)"
        case let failure as Problem: failure.detail
        case let failure as ClusterFailure: "PostgreSQL: \(failure.detail)"
        case let failure as HttpServerFailure: "\(failure); PAYSTREAM_LISTEN names another one"
        case let failure as SandboxJournalFailure: of(failure)
        case let failure as CodecFailure: "a stored event does not have its form at '\(failure.path)'"
        case let failure as CryptoFailure: of(failure)
        case let failure as JsonFailure: "this is no JSON: \(words(failure.code.rawValue)) at byte \(failure.offset)"
        case let failure as any CustomStringConvertible: failure.description
        default: "something failed that this program has no words for; that is a defect, please report what you did"
        }
    }

    private static func of(_ failure: PostgresFailure) -> String {
        let hint = failure.hint.map { " (\($0))" } ?? ""
        return switch failure.code {
        case .connect: "the database can't be reached: \(failure.detail)\(hint)"
        case .lost, .unknown: "the connection to the database broke: \(failure.detail)\(hint)"
        case .refused, .decode, .crowded, .closed: "the database: \(failure.detail)\(hint)"
        }
    }

    private static func of(_ failure: SandboxJournalFailure) -> String {
        let place = failure.line.map { "line \($0) of '\(failure.path)'" } ?? "'\(failure.path)'"
        return switch failure.code {
        case .unreadable: "\(place) can't be read"
        case .unwritable: "\(place) can't be written"
        case .notAJournal: "\(place) is no journal of the sandbox"
        case .otherConfiguration: "\(place) was written with other projects or timings; name another file"
        case .damaged: "\(place) is damaged"
        }
    }

    private static func of(_ failure: CryptoFailure) -> String {
        switch failure {
        case .notAuthentic: "what is sealed can't be opened: it was sealed under another key, or changed"
        case .unknownKey: "what is sealed can't be opened: its key is not known here, or was destroyed"
        case .malformedKey, .unsupportedKey: "the key can't be used: it has another form"
        case .shortKey: "the key can't be used: it is too short"
        }
    }

    /// `trailingBytes` as `trailing bytes`.
    private static func words(_ code: String) -> String {
        code.map { $0.isUppercase ? " " + $0.lowercased() : String($0) }.joined()
    }
}
