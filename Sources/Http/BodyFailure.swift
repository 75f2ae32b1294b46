/// Why a body has no end.
package struct BodyFailure: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable {
        /// The sender went away or was too slow.
        case cut
        /// More than the route takes.
        case tooLarge = "too_large"
    }

    package let code: Code

    package init(_ code: Code) { self.code = code }
}
