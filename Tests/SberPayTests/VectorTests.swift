import Conformance
import Kernel
import ProviderKit
import SberPay
import SberPayConformance
import TestKit
import Testing

/// The provider's vector files, judged by the adapter's own code.
struct VectorTests {
    private let files = VectorFiles("sberpay")

    @Test func `every case of every vector file passes`() throws {
        let judge = CaseJudge(SberPaySuite())
        let documents = try files.documents()
        #expect(!documents.isEmpty || !files.areDemanded, "vector files are missing")
        var passed = 0
        var failed = 0
        for (kind, document) in documents {
            for item in (document["cases"]?.items ?? []) + (document["object_cases"]?.items ?? []) {
                let violations = judge.violations(kind: kind, item: item, file: document)
                if violations.isEmpty { passed += 1 } else { failed += 1 }
                #expect(violations == [], "\(kind)/\(item["id"]?.text ?? "?")")
            }
        }
        print("sberpay vectors: \(passed) passed, \(failed) failed, in \(documents.count) files")
    }

    @Test func `the suite knows every kind of file that there is`() throws {
        let kinds = try files.documents().map(\.kind)
        #expect(Set(kinds).isSubset(of: SberPaySuite().kinds))
    }
}
