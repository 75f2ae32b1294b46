import Kernel
import Testing

@testable import Daemon

struct CertificateWatchTests {
    private static let now = Timestamp(seconds: 1_772_445_600)

    @Test(arguments: [
        (31 * 86_400, CertificateWatch.Verdict.good), (29 * 86_400, .soon), (6 * 86_400, .urgent), (0, .ended),
        (-5, .ended),
    ])
    func `a certificate is told of a month before its end, and louder in its last week`(
        _ seconds: Int64,
        _ verdict: CertificateWatch.Verdict
    ) {
        #expect(CertificateWatch.Verdict(Self.now.adding(.seconds(seconds)), at: Self.now) == verdict)
    }
}
