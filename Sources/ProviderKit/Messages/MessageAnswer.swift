/// The answer to a message that does no harm when it is said twice: about a credential or a series.
package enum MessageAnswer: Hashable, Sendable {
    case answered(status: Int, body: [UInt8])
    case notSent(reason: String)
    /// Bytes left and nothing usable came back.
    case noAnswer(reason: String)
}
