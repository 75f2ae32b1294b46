import Http

extension WebAddress {
    /// Whether the gateway takes an address to send a payer back to: 12 to 2048 characters, `http` or `https`.
    static func isReturn(_ text: String) -> Bool {
        (12...2048).contains(text.utf8.count) && (text.hasPrefix("https://") || text.hasPrefix("http://"))
            && FieldRules.isPrintable(text) && !text.utf8.contains(0x20)
    }
}
