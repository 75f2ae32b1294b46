import Cluster
import Glibc
import Kernel
import Postgres
import SystemKit
import Testing

/// Each test works on a cluster of its own, which it removes.
struct EmbeddedClusterTests {
    private func withCluster(_ body: (EmbeddedCluster, String) async throws -> Void) async throws {
        var template = Array("/tmp/paystream-checkout-XXXXXX".utf8CString)
        let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { rmdir(folder) }
        // Other users must be able to enter it, or the data goes elsewhere.
        chmod(folder, 0o755)
        let cluster = try EmbeddedCluster(checkout: folder, name: "cluster")
        do {
            try await body(cluster, folder)
        } catch {
            try cluster.remove()
            throw error
        }
        try cluster.remove()
        rmdir(folder + "/.paystream")
    }

    private func answer(of cluster: EmbeddedCluster, to statement: String) async throws -> String? {
        let connection = try await PostgresConnection.connect(
            PostgresOptions(address: Secret(cluster.url()), applicationName: "cluster-test")
        )
        let rows = try await connection.query(statement) { row throws(PostgresFailure) in try row.text(0) }
        await connection.close()
        return rows.first
    }

    @Test func `a started cluster answers and starting it again changes nothing`() async throws {
        try await withCluster { cluster, _ in
            #expect(cluster.processId == nil)
            try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
            let first = try #require(cluster.processId)
            try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
            #expect(cluster.processId == first)
            #expect(try await answer(of: cluster, to: "SELECT current_user::text") == "postgres")
            #expect(try await answer(of: cluster, to: "SHOW fsync") == "on")
        }
    }

    @Test func `data outlives the server and stopping twice is a success`() async throws {
        try await withCluster { cluster, _ in
            try await OwnThread.run { () throws(ClusterFailure) in
                try cluster.start()
            }
            _ = try await answer(of: cluster, to: "CREATE TABLE kept AS SELECT 'here'::text AS word")
            try await OwnThread.run { () throws(ClusterFailure) in
                try cluster.stop()
                try cluster.stop()
            }
            #expect(cluster.processId == nil)
            try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
            #expect(try await answer(of: cluster, to: "SELECT word FROM kept") == "here")
        }
    }

    @Test func `callers that start it at once share one server`() async throws {
        try await withCluster { cluster, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await answer(of: cluster, to: "SELECT 'one'::text") == "one")
        }
    }

    @Test func `a killed server leaves marks that do not keep the next one away`() async throws {
        try await withCluster { cluster, _ in
            try await OwnThread.run { () throws(ClusterFailure) in try cluster.start() }
            let first = try #require(cluster.processId)
            kill(first, SIGKILL)
            try await OwnThread.run { () throws(ClusterFailure) in
                while cluster.processId != nil { sched_yield() }
                try cluster.start()
            }
            #expect(cluster.processId != first)
            #expect(try await answer(of: cluster, to: "SELECT 'up'::text") == "up")
        }
    }

    @Test func `a checkout that the server's account can't enter keeps its data elsewhere`() async throws {
        try await withCluster { cluster, folder in
            // Only root steps down to another account; an ordinary user enters its own folders.
            guard geteuid() == 0 else { return }
            chmod(folder, 0o700)
            let other = try EmbeddedCluster(checkout: folder, name: "elsewhere")
            #expect(!other.directory.path.hasPrefix(folder))
            #expect(cluster.directory.path.hasPrefix(folder))
            try other.remove()
        }
    }

    @Test func `a cluster in memory is found by those that clean up, and no other one lies there`() async throws {
        try await withCluster { cluster, folder in
            let account = cluster.account
            let other = try EmbeddedCluster(checkout: folder, name: "run-1", inMemory: true)
            let found = ClusterDirectory.existing(checkout: folder, prefix: "run-", account: account)
            #expect(found.map(\.name) == ["run-1"])
            #expect(found.map(\.directory) == [other.directory])
            #expect(!cluster.directory.path.hasPrefix("/dev/shm/"))
            // Where memory is short it lies beside the others.
            if other.directory.path.hasPrefix("/dev/shm/") {
                try await OwnThread.run { () throws(ClusterFailure) in try other.start() }
                #expect(try await answer(of: other, to: "SELECT 'up'::text") == "up")
            }
            try other.remove()
            #expect(access(other.directory.path, F_OK) != 0)
        }
    }

    @Test func `a cluster that stays is not kept in memory`() async {
        await #expect(throws: UsageError.self) { try await ClusterCommand().run(arguments: ["--in-memory", "start"]) }
    }

    @Test func `programs that are not there are named`() {
        let failure = #expect(throws: ClusterFailure.self) {
            try PostgresPrograms.find(environment: [PostgresPrograms.variable: "/nowhere"])
        }
        #expect(failure?.code == .programsMissing)
    }
}
