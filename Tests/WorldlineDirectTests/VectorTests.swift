import Conformance
import Kernel
import ProviderKit
import TestKit
import Testing
import WorldlineConformance
import WorldlineDirect

/// The provider's vector files, judged by the adapter's own code.
struct VectorTests {
    private let files = VectorFiles("worldline")

    @Test func `every case of every vector file passes`() throws {
        let judge = CaseJudge(WorldlineSuite())
        let documents = try files.documents()
        #expect(!documents.isEmpty || !files.areDemanded, "vector files are missing")
        var passed = 0
        var failed = 0
        for (kind, document) in documents {
            for item in document["cases"]?.items ?? [] {
                let violations = judge.violations(kind: kind, item: item, file: document)
                if violations.isEmpty { passed += 1 } else { failed += 1 }
                #expect(violations == [], "\(kind)/\(item["id"]?.text ?? "?")")
            }
        }
        print("worldline vectors: \(passed) passed, \(failed) failed, in \(documents.count) files")
    }

    @Test func `the suite knows every kind of file that there is`() throws {
        let kinds = try files.documents().map(\.kind)
        #expect(Set(kinds).isSubset(of: WorldlineSuite().kinds))
    }

    @Test func `the suite tells right from wrong`() {
        let bench = WorldlineSuite()
        let input: Json = ["status": "CAPTURED", "statusCode": 9, "statusCategory": "COMPLETED"]
        func judge(_ lifecycle: String) -> [String] {
            let item: Json = [
                "scope": "payment", "input": input, "prior_lifecycle": "authorized",
                "expected": ["lifecycle": .string(lifecycle)],
            ]
            return bench.violations(kind: "status_mapping_vectors", item: item, file: [:])
        }
        #expect(judge("captured") == [])
        #expect(judge("failed").count == 1)
        let value: Json = ["input": " a\r\n  b", "expected": "a b"]
        #expect(bench.violations(kind: "v1hmac_header_canonicalization_vectors", item: value, file: [:]) == [])
        let wrong: Json = ["input": " a\r\n  b", "expected": "a  b"]
        #expect(bench.violations(kind: "v1hmac_header_canonicalization_vectors", item: wrong, file: [:]).count == 1)
        #expect(bench.violations(kind: "nonsense", item: [:], file: [:]).count == 1)
    }
}
