/// The body of an answer that lies in an open file: it is sent from there and never stands in memory whole.
package final class ResponseFile: Sendable, Hashable {
    /// Open for reading from its begin; closed with this value.
    package let descriptor: Int32
    /// Bytes of the body.
    package let count: Int
    private let close: @Sendable () -> Void

    /// `close` closes the file, once.
    package init(descriptor: Int32, count: Int, close: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.count = count
        self.close = close
    }

    deinit { close() }

    package static func == (one: ResponseFile, other: ResponseFile) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
