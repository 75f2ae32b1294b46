package import Kernel
package import ProviderKit

/// Sealed values whose box spells its plain text, and what opens them: what tests of adapters plan and finish with.
package enum SpelledSeal {
    /// A sealed text that `open` reads again.
    package static func seal(_ text: String) -> Json { seal(value: .string(text)) }

    /// A sealed value that `open` reads again.
    package static func seal(value: Json) -> Json {
        let box = value.compactBytes + [UInt8](repeating: 0x20, count: Sealed.tagBytes)
        let nonce = [UInt8](repeating: 7, count: Sealed.nonceBytes)
        return Sealed(keyId: Uuid(high: 3, low: 4), nonce: nonce, box: box)?.json ?? .null
    }

    package static func open(_ json: Json) -> Json? {
        Sealed(json).flatMap { try? Json(Array($0.box.dropLast(Sealed.tagBytes))) }
    }

    /// Materials that open what `seal` made, and of what stands in memory alone the values of `once`, or each by its name.
    package static func materials(
        _ secrets: [String: Secret],
        erased: Bool = false,
        once: [String: String]? = nil,
        at now: Timestamp
    ) -> Materials {
        Materials(
            secrets: AccountSecrets(secrets),
            open: { json in
                if erased { return nil }
                if let name = OnceHole.name(json) { return (once.map { $0[name] } ?? name).map(Json.string) }
                return open(json)
            },
            now: now
        )
    }
}
