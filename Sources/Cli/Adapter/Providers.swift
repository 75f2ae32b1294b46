import Conformance
import DolyameConformance
import EcommpayConformance
import PortmoneConformance
import SberPayConformance
import WorldlineConformance

/// The providers whose adapters can be held against vector files.
enum Providers {
    static let suites: [String: any ConformanceSuite] = [
        "dolyame": DolyameSuite(), "ecommpay": EcommpaySuite(), "portmone": PortmoneSuite(),
        "sberpay": SberPaySuite(),
        "worldline": WorldlineSuite(),
    ]
}
