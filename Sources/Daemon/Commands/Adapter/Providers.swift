import Dolyame
import Ecommpay
import Portmone
import ProviderKit
import SberPay
import WorldlineDirect

/// The providers whose adapters can be held against vector files.
enum Providers {
    static let workbenches: [String: any AdapterWorkbench] = [
        "dolyame": DolyameWorkbench(), "ecommpay": EcommpayWorkbench(), "portmone": PortmoneWorkbench(),
        "sberpay": SberPayWorkbench(),
        "worldline": WorldlineWorkbench(),
    ]
}
