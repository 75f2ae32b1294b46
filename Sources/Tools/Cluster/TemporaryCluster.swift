import Glibc
import SystemKit

/// A cluster that lives as long as one command.
package enum TemporaryCluster {
    /// The directories are named after the process that made them.
    private static let prefix = "run-"

    /// Removes what processes that are gone left behind, and starts a fresh cluster.
    ///
    /// A `library` is loaded before the server. One that is `inMemory` lies on a disk where memory is short.
    package static func start(
        checkout: String,
        inMemory: Bool = false,
        loading library: String? = nil,
        environment: [String: String] = [:],
        settings: [String: String] = [:]
    ) throws(ClusterFailure) -> EmbeddedCluster {
        try sweep(checkout: checkout)
        let cluster = try EmbeddedCluster(checkout: checkout, name: "\(prefix)\(getpid())", inMemory: inMemory)
        do throws(ClusterFailure) {
            var environment = environment
            if let library {
                guard try cluster.account.canReach(library) else {
                    throw ClusterFailure(.startFailed, "user \(cluster.account.user) can't load \(library)")
                }
                environment["LD_PRELOAD"] = library
            }
            try cluster.start(environment: environment, settings: settings)
        } catch {
            // The reason lies in the log that is about to go.
            StandardStream.error.write(FileTree.text(cluster.directory.log) ?? "")
            try? cluster.remove()
            throw error
        }
        return cluster
    }

    /// Takes down what this process started, or is about to have started.
    package static func removeOwn(checkout: String) {
        guard let account = try? ServerAccount.current() else { return }
        let own = "\(prefix)\(getpid())"
        for (name, directory) in ClusterDirectory.existing(checkout: checkout, prefix: prefix, account: account)
        where name == own {
            try? EmbeddedCluster(directory: directory, account: account).remove()
        }
    }

    private static func sweep(checkout: String) throws(ClusterFailure) {
        let account = try ServerAccount.current()
        let found = ClusterDirectory.existing(checkout: checkout, prefix: prefix, account: account)
        for (name, directory) in found {
            guard let owner = pid_t(name.dropFirst(prefix.count)), kill(owner, 0) != 0, errno == ESRCH else { continue }
            try? EmbeddedCluster(directory: directory, account: account).remove()
        }
    }
}
