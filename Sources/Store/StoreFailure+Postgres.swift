package import EventSourcing
package import Postgres

extension StoreFailure {
    /// Reads what a failed statement means for the caller.
    ///
    /// `mayHaveCommitted` is false for statements that only read: for them a lost answer is no more than that.
    package init(_ failure: PostgresFailure, mayHaveCommitted: Bool) {
        self.init(
            Self.code(of: failure, mayHaveCommitted: mayHaveCommitted),
            sqlState: failure.sqlState?.text,
            detail: failure.detail
        )
    }

    private static func code(of failure: PostgresFailure, mayHaveCommitted: Bool) -> Code {
        switch failure.code {
        case .connect, .lost, .crowded, .closed: .unavailable
        case .unknown: mayHaveCommitted ? .unknown : .unavailable
        case .decode: .corrupt
        case .refused where isOfAnotherSchema(failure): .unavailable
        case .refused: failure.sqlState.map(code(of:)) ?? .corrupt
        }
    }

    /// The schema was brought to another version since this node began: a function of ours is gone or answers otherwise.
    ///
    /// The server may speak any language: its messages name the function, and no statement of ours asks for what a server lacks
    /// but one whose prepared plan answers otherwise now.
    private static func isOfAnotherSchema(_ failure: PostgresFailure) -> Bool {
        switch failure.sqlState?.text {
        case "42883": failure.detail.contains("paystream.")
        case "0A000": true
        default: false
        }
    }

    private static func code(of state: SqlState) -> Code {
        // A unique violation is a lost race here: the statements look before they insert.
        if [.deadlock, .serialization, .uniqueViolation, .lockNotAvailable].contains(state) { return .retry }
        if state == .queryCanceled { return .timeout }
        // Our own: `epoch_here` and `commit`.
        if ["PS020", "PS021"].contains(state.text) { return .moved }
        // Connection, resources, operator intervention, and a server that became a standby.
        if ["08", "53", "57"].contains(state.errorClass) || state == "25006" { return .unavailable }
        return .corrupt
    }
}
