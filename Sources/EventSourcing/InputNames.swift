package import Kernel

/// Names that must mean the same wherever an input is made.
package enum InputNames {
    /// The namespace of every derived input id.
    package static let namespace = Uuid(high: 0x7061_7973_7472_5EA0, low: 0x8000_0000_0000_0001)

    /// The text whose version 5 UUID is a command's input id.
    package static func command(merchant: MerchantNumber, key: String) -> String { "command:\(merchant):\(key)" }
}
