import Dolyame
import Ecommpay
import Kernel
import Portmone
import ProviderKit
import SberPay
import WorldlineDirect

extension SimulatedProvider {
    /// Every provider, with the settings of an account as its merchants have them.
    package static let all: [SimulatedProvider] = [
        SimulatedProvider(
            adapter: EcommpayAdapter(),
            settings: ["currencies": ["EUR"], "multipleCaptures": true, "partialVoid": true, "projectId": 42],
            currency: "EUR"
        ),
        SimulatedProvider(
            adapter: PortmoneAdapter(),
            settings: ["login": "shop", "payeeId": "1185", "refundAbsenceSeconds": 7200],
            currency: "UAH"
        ),
        SimulatedProvider(
            adapter: DolyameAdapter(),
            settings: ["login": "shop", "partnerId": "partner-1", "webhookNetworks": ["127.0.0.0/8"]],
            currency: "RUB"
        ),
        SimulatedProvider(
            adapter: SberPayAdapter(),
            settings: ["dialect": "ecom", "userName": "shop-api"],
            currency: "RUB"
        ),
        SimulatedProvider(
            adapter: WorldlineAdapter(),
            settings: ["currencies": ["EUR"], "merchantId": "shop"],
            currency: "EUR"
        ),
    ]

    package static func named(_ name: String) -> SimulatedProvider? { all.first { $0.name == name } }
}
