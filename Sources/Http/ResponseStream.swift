/// The body of an answer that is written while it goes out, for as long as its writer has something to say.
package final class ResponseStream: Sendable, Hashable {
    private let write: @Sendable (any StreamSink) -> @Sendable () -> Void

    /// Takes what is called once, where the answer is sent: it begins to write and gives what stops it when nobody reads any more.
    ///
    /// In the end it ends the sink, stopped or not.
    package init(_ write: @escaping @Sendable (any StreamSink) -> @Sendable () -> Void) { self.write = write }

    /// Begins to write; what it gives stops the writer.
    package func begin(_ sink: any StreamSink) -> @Sendable () -> Void { write(sink) }

    package static func == (one: ResponseStream, other: ResponseStream) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Where the pieces of a streamed answer go.
package protocol StreamSink: Sendable {
    /// Hands a piece over once there is room for it. `then` is told false where it is not: the reader has gone, or the server drains.
    func send(_ piece: [UInt8], then: @escaping @Sendable (Bool) -> Void)
    /// Ends the answer behind what was handed over; the writer says nothing more.
    func end()
}
