/// Why a command could not do its work; the process ends with code 1.
package struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
