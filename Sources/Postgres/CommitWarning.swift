/// Which of the warnings that may come with a commit says that it was cut short.
///
/// PostgreSQL sends warnings of class 01 and others around a commit: of a trigger that is deferred to it (`RAISE WARNING`), of a
/// queue of `NOTIFY` that fills up, of a transaction that there is none of. Only the wait for a synchronous standby ends a
/// commit early: what was committed is here, and may not be there. The server has no state for it (01000, or 57P01 where it
/// shuts down) and says it in its own language, so it is told by the function of the server that wrote it; by its words
/// only where a pool in between passes no function on.
enum CommitWarning {
    static func isCutShort(state: String, routine: String, words: String) -> Bool {
        guard state == "01000" || state == "57P01" else { return false }
        return routine == "SyncRepWaitForLSN" || routine.isEmpty && words.contains("synchronous replication")
    }
}
