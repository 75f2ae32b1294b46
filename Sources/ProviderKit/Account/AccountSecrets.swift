package import Kernel

/// The secrets of an account by name, as in `secretKey`; lent by the shell for one call.
package struct AccountSecrets: Sendable {
    private let values: [String: Secret]

    package init(_ values: [String: Secret]) { self.values = values }

    package subscript(_ name: String) -> Secret? { values[name] }
}

/// The secrets, plain values and time that the shell lends for signing.
package struct Materials: Sendable {
    package let secrets: AccountSecrets
    /// Opens a sealed personal value in its own kind, flag, number or text; `nil` where its subject was erased.
    package let open: @Sendable (Json) -> Json?
    package let now: Timestamp

    package init(secrets: AccountSecrets, open: @escaping @Sendable (Json) -> Json?, now: Timestamp) {
        self.secrets = secrets
        self.open = open
        self.now = now
    }
}

extension Materials {
    /// The secret of this name; an empty one is as good as none.
    package func secret(_ name: String) throws(FinishFailure) -> Secret {
        guard let secret = secrets[name], !secret.isEmpty else { throw .missingSecret(name) }
        return secret
    }

    /// The same as text.
    package func text(_ name: String) throws(FinishFailure) -> String {
        let bytes = try secret(name)
        guard let text = bytes.withBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw .malformedTemplate("\(name) is no text")
        }
        return text
    }
}
