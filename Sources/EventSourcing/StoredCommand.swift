package import Kernel

/// A command to one kind of stream, as its input holds it.
package protocol StoredCommand: JsonWritable {
    associatedtype Name: RawRepresentable<String> & CaseIterable & Sendable

    var name: Name { get }

    /// Reads a stored body.
    init(name: Name, _ json: Json) throws(CodecFailure)

    /// Reads a stored name; kinds of streams that share a command may say it in words of their own.
    static func name(_ text: String, in kind: StreamKind) -> Name?
}

extension StoredCommand {
    package static func name(_ text: String, in kind: StreamKind) -> Name? { Name(rawValue: text) }
}

extension InputRecord {
    /// Reads the command that the input holds.
    package func command<Command: StoredCommand>(as: Command.Type = Command.self) throws(CodecFailure) -> Command {
        guard kind == .command, let name = Command.name(name, in: stream.kind), let json = try? Json(body) else {
            throw CodecFailure("name")
        }
        return try Command(name: name, json)
    }
}
