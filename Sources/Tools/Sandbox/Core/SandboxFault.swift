/// Something that goes wrong on demand, so many times.
package protocol CountedFault: Hashable, Sendable {
    /// How often it still strikes.
    var times: Int { get set }
}

/// A fault of a simulator whose kinds are words and whose points are names of calls.
package struct SandboxFault<Kind: RawRepresentable<String> & Hashable & Sendable>: CountedFault {
    package let kind: Kind
    /// As in `capture`; `nil` for any point.
    package let on: String?
    /// How long what it strikes is held back.
    package let milliseconds: Int64
    /// For so long the key of a struck request counts as at work.
    package var busy: Int64 = 0
    package var times: Int
}
