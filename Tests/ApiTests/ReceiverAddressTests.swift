import Http
import ProviderKit
import Testing

/// Addresses of receivers as they are judged when they are registered.
@Suite
struct ReceiverAddressTests {
    @Test(
        arguments: [
            "http://shop.com/hook", "https://", "https:///hook", "ftp://shop.com", "https://user:word@shop.com/",
            "shop.com",
            "https://user@shop.com/", "https://shop.com/#part", "https://sho p.com/", "https://-shop.com",
            "https://shop..com",
            "https://shop.com:0/", "https://shop.com:99999/", "https://shop.com:x/", "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://017700000001/", "https://1.2.3/",
            "https://[::1]/", "https://[::ffff:127.0.0.1]/", "https://[fe80::1%25eth0]/", "https://[1.1.1.1]/",
            "https://10.0.0.7/",
            "https://169.254.169.254/latest/meta-data", "https://localhost/", "https://intranet/",
            "https://db.internal/",
            "https://printer.local/", "https://a.localhost/", "http://localhost/", "http://127.0.0.1:8080/",
        ]
    )
    func `an address that leads inside, or that parsers read in two ways, is refused`(_ text: String) {
        #expect(ReceiverAddress.fault(text) != nil)
    }

    @Test func `public addresses are taken, and the machine itself where that is wanted`() {
        for text in [
            "https://shop.com", "https://hooks.shop.co.uk:8443/a?b=c", "https://8.8.8.8/",
            "https://[2606:4700::1]:443/",
        ] {
            #expect(ReceiverAddress.fault(text) == nil, "\(text)")
        }
        for text in ["http://localhost:4000/hook", "http://127.0.0.1:1/", "https://localhost/", "http://[::1]:5/"] {
            #expect(ReceiverAddress.fault(text) != nil && ReceiverAddress.fault(text, isLocal: true) == nil, "\(text)")
        }
        #expect(ReceiverAddress.fault("https://10.0.0.7/", isLocal: true) != nil)
    }
}
