public import Foundation

/// A client of a Paystream daemon, with one merchant's API key.
///
/// ```swift
/// let paystream = Paystream(url: URL(string: "http://127.0.0.1:8080")!, key: "psk_…")
/// let payment = try await paystream.payments.create(.init(mode: .sale, amount: Money(1999, "EUR")))
/// ```
///
/// Every command gets an idempotency key, made once for the call and kept over its repetitions. Name one yourself where
/// the call itself may be made again, as after a crash: the same key never moves money twice.
public struct Paystream: Sendable {
    let exchange: Exchange

    public init(url: URL, key: ApiKey, transport: any Transport = UrlSessionTransport()) {
        self.init(Configuration(url: url, key: key), transport: transport)
    }

    public init(_ configuration: Configuration, transport: any Transport = UrlSessionTransport()) {
        exchange = Exchange(configuration: configuration, transport: transport, clock: .system)
    }

    package init(_ configuration: Configuration, transport: any Transport, clock: ExchangeClock) {
        exchange = Exchange(configuration: configuration, transport: transport, clock: clock)
    }

    public var payments: Payments { Payments(exchange: exchange) }
    public var instruments: Instruments { Instruments(exchange: exchange) }
    public var schedules: Schedules { Schedules(exchange: exchange) }
    public var transfers: Transfers { Transfers(exchange: exchange) }
    public var billBatches: BillBatches { BillBatches(exchange: exchange) }
    public var events: Events { Events(exchange: exchange) }
    public var webhookEndpoints: WebhookEndpoints { WebhookEndpoints(exchange: exchange) }
    public var accounts: Accounts { Accounts(exchange: exchange) }
    public var reports: Reports { Reports(exchange: exchange) }
}

extension Paystream {
    public struct Configuration: Sendable {
        /// Where the daemon is; a path in it stands before the API's own.
        public var url: URL
        public var key: ApiKey
        public var retries = RetryPolicy()
        /// How long one attempt may take, beside what the daemon was asked to wait.
        public var attemptTimeout = Duration.seconds(30)
        /// How long a call may take with all its attempts, beside what the daemon was asked to wait.
        public var callTimeout = Duration.seconds(120)

        public init(url: URL, key: ApiKey) {
            self.url = url
            self.key = key
        }
    }

    /// An API key, `psk_…`; it does not print.
    public struct ApiKey: Sendable, ExpressibleByStringLiteral, CustomStringConvertible, CustomReflectable {
        let text: String

        public init(_ text: String) { self.text = text }
        public init(stringLiteral text: String) { self.text = text }

        public var description: String { "psk_…" }
        public var customMirror: Mirror { Mirror(self, children: []) }
    }
}
