import Http
package import Kernel

/// A fault of an address in an account's settings, beyond what its adapter's schema says.
package struct AccountAddressFault: Hashable, Sendable {
    /// The member that holds it.
    package let path: JsonPath
    package let reason: String

    /// The faults of all members that hold an address; private hosts and odd ports are no fault of a test account.
    package static func all(in settings: Json, isLive: Bool) -> [AccountAddressFault] { find(settings, .root, isLive) }

    private static func find(_ json: Json, _ path: JsonPath, _ isLive: Bool) -> [AccountAddressFault] {
        switch json {
        case .null, .bool, .number: return []
        case .array(let items):
            return items.enumerated().flatMap { find($1, path.appending(String($0)), isLive) }
        case .object(let object):
            return object.members.flatMap { find($0.value, path.appending($0.name), isLive) }
        case .string(let text):
            guard text.hasPrefix("http:") || text.hasPrefix("https:") || path.steps.last?.hasSuffix("Url") == true,
                let reason = reason(text, isLive)
            else { return [] }
            return [AccountAddressFault(path: path, reason: reason)]
        }
    }

    private static func reason(_ text: String, _ isLive: Bool) -> String? {
        guard let host = WebHost(of: text) else { return "is no https address with a host" }
        guard host.isWellFormed else { return "has a malformed host" }
        if let number = host.portNumber {
            guard number > 0 else { return "has a malformed port" }
            if isLive, number != 443 { return "names port \(number), and live money goes to 443" }
        }
        guard isLive else { return nil }
        if !text.hasPrefix("https://") { return "is not https, and the account is live" }
        return host.isPrivate() ? "is a private host, and the account is live" : nil
    }
}
