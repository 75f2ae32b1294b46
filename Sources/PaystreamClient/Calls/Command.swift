import Foundation

/// What every command may be given.
public struct CommandOptions: Sendable {
    /// The command's name: the same key and command are answered the same, whenever they are sent again.
    public var key: String
    /// How long the daemon may wait for the outcome before it answers; a minute at most.
    public var wait: Duration
    /// The version that the command is meant for; at another one it is refused with `precondition_failed`.
    public var ifVersion: Int?

    public init(key: String? = nil, wait: Duration = .zero, ifVersion: Int? = nil) {
        self.key = key ?? Self.freshKey()
        self.wait = wait
        self.ifVersion = ifVersion
    }

    public static func key(_ key: String) -> CommandOptions { CommandOptions(key: key) }

    private static func freshKey() -> String { UUID().uuidString.lowercased() }
}

/// A body without members.
struct NoMembers: Encodable {}

extension Exchange {
    /// A command: keyed, repeated until it is decided.
    func command<Value: Decodable>(
        _ path: [String],
        _ body: some Encodable & Sendable,
        _ options: CommandOptions,
        method: Call.Method = .post,
        as type: Value.Type = Value.self
    ) async throws(PaystreamError) -> Value {
        var call = Call(method: method, path: path, body: try self.body(body), key: options.key)
        call.apply(options)
        return try await decide(call, as: type)
    }
}

extension Call {
    /// The headers of a command.
    mutating func apply(_ options: CommandOptions) {
        key = options.key
        let seconds = options.wait.components.seconds
        if seconds > 0 {
            headers["Prefer"] = "wait=\(seconds)"
            wait = .seconds(seconds)
        }
        if let version = options.ifVersion { headers["If-Match"] = "\"\(version)\"" }
    }
}
