/// The body of an answer that is written while it goes out, for as long as its writer has something to say.
package final class ResponseStream: Sendable, Hashable {
    private let write: @Sendable (any StreamWriter) async -> Void

    /// `write` is called once, where the answer is sent; its task is cancelled when nobody reads any more.
    package init(_ write: @escaping @Sendable (any StreamWriter) async -> Void) { self.write = write }

    package func run(_ writer: any StreamWriter) async { await write(writer) }

    package static func == (one: ResponseStream, other: ResponseStream) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Where the pieces of a streamed answer go.
package protocol StreamWriter: Sendable {
    /// Hands a piece over once there is room for it; false where it is not: the reader has gone, or the server drains.
    func send(_ piece: [UInt8]) async -> Bool
}
