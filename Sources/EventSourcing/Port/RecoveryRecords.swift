package import Kernel

/// A moment from which on the newest part of the log may be missing: the database was restored, or another one took over.
///
/// Messages that were sent shortly before are known to nobody here. So nothing is licensed for a payment before its
/// provider was asked how it stands.
package struct RecoveryEpoch: Hashable, Sendable, JsonWritable {
    /// 1, 2, 3 … in one database.
    package let number: Int32
    package let begunAt: Timestamp

    package init(number: Int32, begunAt: Timestamp) {
        self.number = number
        self.begunAt = begunAt
    }

    package func write(into out: inout JsonText) {
        out.member("begunAt", begunAt)
        out.member("number", number)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(number: try fields.int32("number"), begunAt: try fields.time("begunAt"))
    }
}

/// The recovery epochs of a database.
package protocol RecoveryRecords: Sendable {
    /// The newest epoch; `nil` where the log was never in doubt.
    ///
    /// Where the log has come to another cluster since, it begins one: nobody acts before.
    func recoveryEpoch() async throws(StoreFailure) -> RecoveryEpoch?
}

/// A log that never loses anything.
package struct NoRecovery: RecoveryRecords {
    package init() {}

    package func recoveryEpoch() async throws(StoreFailure) -> RecoveryEpoch? { nil }
}
