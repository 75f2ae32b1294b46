import Dolyame
import Ecommpay
import Portmone
import ProviderKit
import WorldlineDirect

/// The providers whose adapters can be held against vector files.
enum Providers {
    static let workbenches: [String: any AdapterWorkbench] = [
        "dolyame": DolyameWorkbench(), "ecommpay": EcommpayWorkbench(), "portmone": PortmoneWorkbench(),
        "worldline": WorldlineWorkbench(),
    ]
}
