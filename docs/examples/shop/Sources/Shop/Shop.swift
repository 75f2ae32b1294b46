import Foundation
import PaystreamClient

/// A shop's backend: it takes orders, sends payers to pay, hears what became of payments, and sends each parcel once.
@main
struct Shop {
    static func main() async throws {
        let settings = try Settings(ProcessInfo.processInfo.environment)
        let book = try OrderBook(of: settings.name, file: settings.folder.appending(path: "orders.jsonl"))
        let paystream = Paystream(url: settings.paystream, key: settings.key)
        let till = Till(book: book, payments: paystream.payments)
        let counter = Counter(till: till, verifier: try settings.verifier())
        let port = try HttpListener.start(port: settings.port) { await counter.answer($0) }
        FileHandle.standardOutput.write(Data("the shop listens on http://127.0.0.1:\(port)\n".utf8))

        // What happened while the shop was closed is in the feed, and what webhooks bring twice is known by the book.
        let feed = paystream.events.reader(
            FileCheckpoint(settings.folder.appending(path: "feed.json")),
            EventFilter(types: ["payment.*", "refund.*"])
        )
        while settings.hasWebhooks {
            do { try await feed.catchUp(till.hear) } catch let error as PaystreamError where error.isPassing {}
            try await Task.sleep(for: .seconds(60))
        }
        try await feed.run(till.hear)
    }
}

/// What the shop is told at its start.
struct Settings {
    struct Missing: Error { let variable: String }

    let paystream: URL
    let key: Paystream.ApiKey
    /// The secrets of its webhook endpoint, with a comma between two; without one it follows the feed alone.
    let secrets: [String]
    /// What orders are named after: several shops may share a merchant.
    let name: String
    let folder: URL
    let port: UInt16

    var hasWebhooks: Bool { !secrets.isEmpty }

    init(_ environment: [String: String]) throws {
        func needed(_ name: String) throws -> String {
            guard let value = environment[name] else { throw Missing(variable: name) }
            return value
        }
        guard let url = URL(string: try needed("PAYSTREAM_URL")) else { throw Missing(variable: "PAYSTREAM_URL") }
        paystream = url
        key = .init(try needed("PAYSTREAM_KEY"))
        name = environment["SHOP_NAME"] ?? "shop"
        folder = URL(filePath: environment["SHOP_FOLDER"] ?? ".")
        port = environment["SHOP_PORT"].flatMap(UInt16.init) ?? 0
        secrets = (environment["SHOP_WEBHOOK_SECRETS"] ?? "").split(separator: ",").map(String.init)
    }

    func verifier() throws -> WebhookVerifier? {
        hasWebhooks ? try WebhookVerifier(secrets: secrets) : nil
    }
}
