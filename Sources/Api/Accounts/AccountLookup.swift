import Kernel
import Payments
import ProviderKit

extension [Account] {
    /// The account of an id.
    subscript(id: Uuid?) -> Account? { first { $0.id == id } }

    func named(_ name: String) -> Account? { first { $0.configuration?.name == name } }

    /// The account that a caller names by its name or its id.
    func called(_ text: String) -> Account? { first { $0.configuration?.name == text || $0.id == Uuid(text) } }
}

extension AccountSettings {
    /// Settings for questions to an adapter: nothing is sent by them, and so they hold no address.
    init(_ account: AccountFacts, _ values: Json) {
        self.init(account: account, values: values, notificationUrl: "", returnUrl: "")
    }
}
