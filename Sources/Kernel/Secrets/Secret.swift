/// Bytes that must not be shown: they print as `‹secret›` and are reached through `withBytes` only.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }
    package init(_ text: String) { bytes = Array(text.utf8) }

    package var isEmpty: Bool { bytes.isEmpty }
    package var count: Int { bytes.count }

    /// Lends the bytes to `body`; they must not outlive it.
    package func withBytes<Result, Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Result) throws(Failure)
        -> Result
    {
        try body(bytes)
    }

    package var description: String { "‹secret›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
