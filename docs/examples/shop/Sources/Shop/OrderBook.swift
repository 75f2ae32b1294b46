import Foundation
import PaystreamClient

/// An order, and how far it is.
struct Order: Codable, Sendable {
    let number: Int
    /// Its name at Paystream: the payment's reference, and the key of its commands.
    let reference: String
    let item: String
    let amount: Money
    var isRefunded = false
    /// Parcels that were sent: none or one, whatever comes twice.
    var parcels = 0
}

/// The shop's database: lines that are only added, each on the disk before anybody acts on it.
actor OrderBook {
    struct Unwritable: Error {}

    /// One line of the file.
    private enum Line: Codable {
        case placed(reference: String, item: String, amount: Money)
        case fulfilled(order: Int, event: String)
        case refunded(order: Int, event: String)
    }

    private let shop: String
    private let file: FileHandle
    private(set) var orders: [Order] = []

    init(of shop: String, file path: URL) throws {
        self.shop = shop
        let manager = FileManager.default
        if !manager.fileExists(atPath: path.path), !manager.createFile(atPath: path.path, contents: nil) {
            throw Unwritable()
        }
        file = try FileHandle(forUpdating: path)
        let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
        var orders: [Order] = []
        var whole = 0
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            Self.apply(try JSONDecoder().decode(Line.self, from: Data(line.utf8)), to: &orders)
            whole += line.utf8.count + 1
        }
        // A line that a crash cut short was never acted on.
        try file.truncate(atOffset: UInt64(whole))
        try file.seekToEnd()
        self.orders = orders
    }

    /// Takes an order down and gives it its number.
    func place(item: String, amount: Money) throws -> Order {
        try add(.placed(reference: "\(shop)-\(orders.count + 1)", item: item, amount: amount))
        return orders[orders.count - 1]
    }

    func order(_ number: Int) -> Order? {
        orders.indices.contains(number - 1) ? orders[number - 1] : nil
    }

    func order(_ reference: String) -> Order? { orders.first { $0.reference == reference } }

    /// Sends the parcel, once.
    func fulfil(_ order: Order, because event: String) throws {
        guard self.order(order.number)?.parcels == 0 else { return }
        // A parcel that leaves the house is a line here; in your shop, a row in the transaction that keeps the event.
        try add(.fulfilled(order: order.number, event: event))
    }

    func refunded(_ order: Order, because event: String) throws {
        guard self.order(order.number)?.isRefunded == false else { return }
        try add(.refunded(order: order.number, event: event))
    }

    private func add(_ line: Line) throws {
        var bytes = try JSONEncoder().encode(line)
        bytes.append(UInt8(ascii: "\n"))
        try file.write(contentsOf: bytes)
        try file.synchronize()
        Self.apply(line, to: &orders)
    }

    private static func apply(_ line: Line, to orders: inout [Order]) {
        switch line {
        case .placed(let reference, let item, let amount):
            orders.append(Order(number: orders.count + 1, reference: reference, item: item, amount: amount))
        case .fulfilled(let order, _): orders[order - 1].parcels += 1
        case .refunded(let order, _): orders[order - 1].isRefunded = true
        }
    }
}
