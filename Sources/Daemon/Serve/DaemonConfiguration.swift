package import Api
import Glibc
package import Http
package import Kernel
package import SystemKit

/// How a daemon is reached and what it stands on, read from the environment.
package struct DaemonConfiguration: Sendable {
    /// `DATABASE_URL`: a libpq address.
    package var database: Secret
    /// `PAYSTREAM_MASTER_KEY_FILE`: the file with the master key, mode 0600.
    package var masterKeyFile: String
    /// `PAYSTREAM_LISTEN`: address and port, as in `127.0.0.1:8080`; port 0 takes a free one.
    package var listenAddress = "127.0.0.1"
    package var listenPort: UInt16 = 8080
    /// `PAYSTREAM_METRICS_LISTEN`: address and port of a server of `/metrics` alone; without it they stand beside the API, for
    /// this machine.
    package var metricsListen: (address: String, port: UInt16)?
    /// `PAYSTREAM_PUBLIC_URL`: how providers and browsers reach this daemon.
    package var publicUrl: String?
    /// `PAYSTREAM_AMOUNT_LIMIT`: the largest amount in minor units, and others for some currencies, as in
    /// `1000000000000,JPY=100000000000000`.
    package var amounts = AmountLimits()
    /// `PAYSTREAM_CONNECTIONS`: database connections at most.
    package var connections = 8
    /// Of these, so many at once for what requests ask: at least three are left for decisions, messages and read models where there are
    /// enough.
    package var answeringConnections: Int { max(2, min(connections - 3, connections * 5 / 8)) }
    /// `PAYSTREAM_CONNECTIONS_PER_ADDRESS`: HTTP connections of one address at most.
    package var connectionsPerAddress = 1024
    /// `PAYSTREAM_TRUSTED_PROXIES`: networks, as in `10.0.0.0/8,127.0.0.1/32`, whose `X-Forwarded-For` says who asks.
    package var trustedProxies: [SourceNetwork] = []
    /// `PAYSTREAM_WEBHOOK_NETWORKS`: networks, as in `127.0.0.0/8`, where receivers of webhooks may stand beside the public internet.
    package var webhookAddresses = AddressPolicy()
    /// `PAYSTREAM_DATABASE_WAIT`: how long the start waits for a database that is away, in seconds.
    package var databasePatience = Duration.seconds(60)

    /// Reads the environment; a missing or broken variable is named.
    package init(environment: [String: String] = DaemonConfiguration.environment()) throws(UsageError) {
        guard let url = environment["DATABASE_URL"], !url.isEmpty else {
            throw UsageError("DATABASE_URL is not set; it names the PostgreSQL database")
        }
        guard let file = environment["PAYSTREAM_MASTER_KEY_FILE"], !file.isEmpty else {
            throw UsageError("PAYSTREAM_MASTER_KEY_FILE is not set; 'paystream keys master FILE' makes one")
        }
        database = Secret(url)
        masterKeyFile = file
        if let given = try Self.addressAndPort("PAYSTREAM_LISTEN", environment) { (listenAddress, listenPort) = given }
        metricsListen = try Self.addressAndPort("PAYSTREAM_METRICS_LISTEN", environment)
        if let text = environment["PAYSTREAM_PUBLIC_URL"] {
            publicUrl = text.hasSuffix("/") ? String(text.dropLast()) : text
        }
        if let text = environment["PAYSTREAM_CONNECTIONS"] {
            guard let number = Int(text), (3...200).contains(number) else {
                throw UsageError("PAYSTREAM_CONNECTIONS wants a number from 3 to 200, not '\(text)'")
            }
            connections = number
        }
        if let text = environment["PAYSTREAM_AMOUNT_LIMIT"] {
            guard let limits = AmountLimits(text) else {
                throw UsageError(
                    "PAYSTREAM_AMOUNT_LIMIT wants minor units up to \(AmountLimits.ceiling), as in 1000000000000,JPY=100000000000000, "
                        + "not '\(text)'"
                )
            }
            amounts = limits
        }
        if let text = environment["PAYSTREAM_CONNECTIONS_PER_ADDRESS"] {
            guard let number = Int(text), (1...65_536).contains(number) else {
                throw UsageError("PAYSTREAM_CONNECTIONS_PER_ADDRESS wants a number from 1 to 65536, not '\(text)'")
            }
            connectionsPerAddress = number
        }
        trustedProxies = try Self.networks("PAYSTREAM_TRUSTED_PROXIES", environment)
        webhookAddresses.permitted = try Self.networks("PAYSTREAM_WEBHOOK_NETWORKS", environment)
        if let text = environment["PAYSTREAM_DATABASE_WAIT"] {
            guard let number = Int(text), (0...3600).contains(number) else {
                throw UsageError("PAYSTREAM_DATABASE_WAIT wants seconds from 0 to 3600, not '\(text)'")
            }
            databasePatience = .seconds(number)
        }
    }

    /// Reads networks with commas between them.
    private static func networks(_ name: String, _ environment: [String: String]) throws(UsageError)
        -> [SourceNetwork]
    {
        var networks: [SourceNetwork] = []
        for text in (environment[name] ?? "").split(separator: ",") {
            guard let network = SourceNetwork(String(text.filter { $0 != " " })) else {
                throw UsageError("\(name) wants networks as in 10.0.0.0/8, not '\(text)'")
            }
            networks.append(network)
        }
        return networks
    }

    /// Reads `ADDRESS:PORT`.
    private static func addressAndPort(_ name: String, _ environment: [String: String]) throws(UsageError)
        -> (address: String, port: UInt16)?
    {
        guard let text = environment[name] else { return nil }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw UsageError("\(name) wants ADDRESS:PORT, not '\(text)'")
        }
        return (String(text[..<colon]), port)
    }

    /// Reads the environment, and what is not set there from the file that `paystream dev` leaves.
    ///
    /// Where the environment names another daemon, the file's database is not that one's.
    package static func fromEnvironment() throws(UsageError) -> DaemonConfiguration {
        let given = environment()
        guard given["DATABASE_URL"] == nil else { return try DaemonConfiguration(environment: given) }
        let left = DevFile.read()
        guard !DevFile.isElsewhere(ChildProcess.environment, left) else {
            throw UsageError("this command reads the database: DATABASE_URL names that of the daemon at \(DevFile.url)")
        }
        return try DaemonConfiguration(environment: left.merging(given) { $1 })
    }

    /// For `dev` and `demo`, which make everything themselves.
    package init(database: Secret, masterKeyFile: String) {
        self.database = database
        self.masterKeyFile = masterKeyFile
    }

    package static func environment() -> [String: String] {
        var out: [String: String] = [:]
        for name in [
            "DATABASE_URL", "PAYSTREAM_MASTER_KEY_FILE", "PAYSTREAM_LISTEN", "PAYSTREAM_PUBLIC_URL",
            "PAYSTREAM_CONNECTIONS", "PAYSTREAM_CONNECTIONS_PER_ADDRESS", "PAYSTREAM_TRUSTED_PROXIES",
            "PAYSTREAM_AMOUNT_LIMIT", "PAYSTREAM_DATABASE_WAIT", "PAYSTREAM_METRICS_LISTEN",
            "PAYSTREAM_WEBHOOK_NETWORKS",
        ] {
            if let value = getenv(name) { out[name] = String(cString: value) }
        }
        return out
    }
}
