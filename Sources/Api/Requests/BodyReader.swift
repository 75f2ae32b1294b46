package import Http
import Kernel

/// A request's body that is still coming in, piece by piece; whoever reads slowly slows the sender down.
package protocol BodyReader: Sendable {
    /// The next piece; `nil` at the end.
    func next() async throws(BodyFailure) -> [UInt8]?
}

/// A body that is whole already.
final class WholeBody: BodyReader {
    private let bytes: Locked<[UInt8]>

    init(_ bytes: [UInt8]) { self.bytes = Locked(bytes) }

    func next() async throws(BodyFailure) -> [UInt8]? {
        bytes.withLock { bytes in
            defer { bytes = [] }
            return bytes.isEmpty ? nil : bytes
        }
    }
}
