/// The adapters of this daemon by provider id, passed in from where they are composed.
package struct AdapterRegistry: Sendable {
    private let adapters: [String: any Adapter]

    package init(_ adapters: [any Adapter]) {
        self.adapters = Dictionary(uniqueKeysWithValues: adapters.map { ($0.declaration.id, $0) })
    }

    package subscript(_ provider: String) -> (any Adapter)? { adapters[provider] }

    package var ids: [String] { adapters.keys.sorted() }
}
