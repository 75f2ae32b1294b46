import Crypto
import Kernel
import Testing

struct CertificateEndTests {
    @Test func `the end of a certificate is read from its PEM text, and nothing else has one`() {
        #expect(CertificateEnd.read(Secret(RsaFixture.certificate))?.wholeSeconds == "2036-11-18T04:23:37Z")
        #expect(CertificateEnd.read(Secret(RsaFixture.publicKey)) == nil)
        #expect(CertificateEnd.read(Secret("unused")) == nil)
    }
}
