import Ecommpay
import Portmone
import ProviderKit

/// The providers whose adapters can be held against vector files.
enum Providers {
    static let workbenches: [String: any AdapterWorkbench] = [
        "ecommpay": EcommpayWorkbench(), "portmone": PortmoneWorkbench(),
    ]
}
