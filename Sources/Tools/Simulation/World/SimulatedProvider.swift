package import Kernel
package import ProviderKit

/// A provider of a simulation: its real adapter, and the settings of an account there.
package struct SimulatedProvider: Sendable {
    package let adapter: any Adapter
    package let settings: Json
    /// The code of what its payments are in.
    package let currency: String

    package init(adapter: any Adapter, settings: Json, currency: String) {
        self.adapter = adapter
        self.settings = settings
        self.currency = currency
    }

    package var name: String { adapter.declaration.id }
}
