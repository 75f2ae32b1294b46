import Http
import Testing

/// Addresses that may go into a setting or a request.
struct WebAddressTests {
    @Test(arguments: [
        "https://shop.example.com/thanks?a=1", "https://shop.example.com:8443", "https://[2001:db8::1]:8443/x",
        "http://localhost:3000/", "http://127.0.0.1", "http://[::1]:80/", "https://shop.example.com:/",
    ])
    func `an address has a host and perhaps a port`(_ text: String) {
        #expect(WebAddress.isAbsolute(text))
    }

    @Test(arguments: [
        "", "shop.example.com", "//shop.example.com", "https://", "https:///x", "https://:443/", "https://a@b/",
        "https://[::1", "https://[::1]x.example.com/", "http://[::1].example.com/", "http://localhost:x.example.com/",
        "http://127.0.0.1:80x/", "https://shop.example.com:123456/", "http://shop.example.com/", "ftp://127.0.0.1/",
        "javascript:alert(1)", "https://shop.example.com/ x", "https://shop.example.com/#x",
        "https://sh\u{F6}p.example/",
    ])
    func `anything else is none`(_ text: String) {
        #expect(!WebAddress.isAbsolute(text))
    }
}
