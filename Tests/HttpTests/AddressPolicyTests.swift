import Http
import Testing

struct AddressPolicyTests {
    private static let special = [
        "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.1.2.3",
        "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.170", "192.0.2.1", "192.88.99.1",
        "192.168.0.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255",
        "240.0.0.1", "255.255.255.255",
        "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::7f00:1", "::10.0.0.1", "64:ff9b::7f00:1",
        "64:ff9b::169.254.169.254", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1", "2002:7f00:1::", "2002:a00:1::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254", "fe80::1",
        "fec0::1", "ff02::1",
    ]
    private static let global = [
        "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255", "172.15.255.255", "172.32.0.0", "192.0.1.1", "192.167.255.255", "198.17.255.255",
        "198.20.0.0", "223.255.255.255", "2606:4700::1111", "2a00:1450:4001::1", "2001:4860:4860::8888",
        "64:ff9b::8.8.8.8", "::ffff:8.8.8.8",
    ]

    @Test(arguments: special) func `what leads inside is refused`(_ text: String) throws {
        #expect(!AddressPolicy().permits(try #require(SourceAddress(text))))
    }

    @Test(arguments: global) func `what is public is permitted`(_ text: String) throws {
        #expect(AddressPolicy().permits(try #require(SourceAddress(text))))
    }

    @Test func `networks of one's own are permitted, and public ones refused, by name`() throws {
        let own = try #require(SourceNetwork("10.1.0.0/16"))
        let part = try #require(SourceNetwork("10.1.2.0/24"))
        let policy = AddressPolicy(permitted: [own], refused: [part, try #require(SourceNetwork("8.8.8.0/24"))])
        let judged = try ["10.1.0.1", "10.2.0.1", "10.1.2.1", "8.8.8.8", "8.8.4.4"].map { text in
            policy.permits(try #require(SourceAddress(text)))
        }
        #expect(judged == [true, false, false, false, true])
        #expect(!policy.permits(try #require(SourceAddress("64:ff9b::8.8.8.8"))), "a gateway leads on")
    }
}
