import Kernel
import ProviderKit
import SystemKit
import Testing

@testable import Daemon

/// What `paystream doctor` says of the addresses in an account's settings, and who asks through a proxy.
struct AccountAddressTests {
    private func faults(_ address: String, isLive: Bool = true) -> [String] {
        let settings: Json = ["baseUrl": .string(address), "projectId": 42, "paths": ["refund": "/v2/refund"]]
        return AccountAddressFault.all(in: settings, isLive: isLive).map { "\($0.path)" }
    }

    @Test(arguments: [
        "https://gate.example.com", "https://gate.example.com/v2?x=1", "https://8.8.8.8:443/",
        "https://[2606:4700::1111]/",
    ])
    func `a public https address is no fault`(address: String) {
        #expect(faults(address).isEmpty)
        #expect(faults(address, isLive: false).isEmpty)
    }

    @Test(arguments: [
        "https://127.0.0.1", "https://localhost/v2", "https://10.1.2.3", "https://172.20.0.1", "https://192.168.1.1",
        "https://169.254.169.254/latest", "https://203.0.113.7", "https://[2001:db8::7]/", "https://100.64.0.1",
        "https://[::1]", "https://[fd00::1]",
        "https://[fe80::1]",
        "https://[::ffff:10.0.0.1]", "https://gate", "https://gate.internal", "https://GATE.LOCAL",
        "https://gate.example.com:8443", "http://127.0.0.1:8081/sberpay",
    ])
    func `a private host or an odd port takes no live money, and may be tested with`(address: String) {
        #expect(faults(address) == ["baseUrl"])
        #expect(faults(address, isLive: false).isEmpty)
    }

    @Test(arguments: [
        "https://", "https://user@gate.example.com", "https://gate.example.com:99999", "https://gate.example.com:",
        "https://gate.example.com:0443", "https://256.1.1.1", "https://-gate.example.com", "https://gate..example.com",
        "http://gate.example.com", "gate.example.com", "https://gate.example.com/a b",
    ])
    func `a malformed address is a fault of any account`(address: String) {
        #expect(faults(address) == ["baseUrl"])
        #expect(faults(address, isLive: false) == ["baseUrl"])
    }

    @Test func `proxies are named by networks, and nothing else is taken`() throws {
        var environment = ["DATABASE_URL": "postgresql:///x", "PAYSTREAM_MASTER_KEY_FILE": "/x"]
        environment["PAYSTREAM_TRUSTED_PROXIES"] = "10.0.0.0/8, 127.0.0.1/32"
        environment["PAYSTREAM_CONNECTIONS_PER_ADDRESS"] = "64"
        let configuration = try DaemonConfiguration(environment: environment)
        #expect(configuration.trustedProxies.count == 2)
        #expect(configuration.connectionsPerAddress == 64)
        for (name, value) in [
            ("PAYSTREAM_TRUSTED_PROXIES", "10.0.0.0"), ("PAYSTREAM_TRUSTED_PROXIES", "nginx"),
            ("PAYSTREAM_CONNECTIONS_PER_ADDRESS", "0"), ("PAYSTREAM_CONNECTIONS_PER_ADDRESS", "many"),
        ] {
            let wrong = environment.merging([name: value]) { $1 }
            #expect(throws: UsageError.self) { _ = try DaemonConfiguration(environment: wrong) }
        }
    }
}
