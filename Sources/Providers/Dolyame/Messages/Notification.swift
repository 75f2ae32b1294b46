import Kernel

/// A notification, which is a hint, because nothing in it can be proved.
struct Notification: Hashable {
    let id: String
    let status: String
    let isDemo: Bool

    /// Reads one JSON object with an order id and a status.
    init?(_ body: [UInt8]) {
        guard let json = try? Json(body), let id = json["id"]?.text, !id.isEmpty, let status = json["status"]?.text
        else { return nil }
        self.id = id
        self.status = status
        isDemo = json["demo"]?.flag ?? false
    }
}
