import Glibc
import Kernel
import Testing

/// A file of published and composed cases, read where it lies outside the repository.
struct VectorFile {
    let json: Json
    let cases: [Json]

    /// Where the vectors are: `PAYSTREAM_VECTORS`, or the nearest `shared/vectors` above the package.
    static let root: String? = {
        if let named = getenv("PAYSTREAM_VECTORS") { return String(cString: named) }
        var folder = #filePath
        while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
            folder = String(folder[..<slash])
            let candidate = folder + "/shared/vectors"
            if access(candidate, R_OK) == 0 { return candidate }
        }
        return nil
    }()

    /// Loads a file; without the vectors the test is skipped here and fails where `CI` is `true`.
    static func load(_ name: String) throws -> VectorFile? {
        guard let root else {
            let isCI = getenv("CI").map { String(cString: $0) } == "true"
            #expect(!isCI, "the vectors are missing, and CI needs them")
            print("vectors: 1 file skipped (\(name)): no vectors here")
            return nil
        }
        guard let file = fopen("\(root)/\(name)", "r") else {
            Issue.record("\(name) is missing")
            return nil
        }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let json = try Json(bytes, limits: JsonLimits(bytes: 16 << 20, depth: 64))
        let cases = json["cases"]?.items ?? []
        #expect(!cases.isEmpty, "\(name) holds cases")
        print("vectors: \(name): \(cases.count) cases")
        return VectorFile(json: json, cases: cases)
    }
}
