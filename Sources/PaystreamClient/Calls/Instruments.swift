/// Saved means of payment.
public struct Instruments: Sendable {
    let exchange: Exchange

    public func get(_ id: String) async throws(PaystreamError) -> Instrument {
        try await exchange.read(Call(path: ["v1", "instruments", id]))
    }

    public func list(
        customer: String? = nil,
        status: InstrumentStatus? = nil,
        account: String? = nil,
        limit: Int? = nil
    ) -> Pages<Instrument> {
        let query = [
            ("customer", customer), ("status", status?.rawValue), ("account", account),
            ("limit", limit.map { "\($0)" }),
        ]
        return Pages(exchange: exchange, call: Call(path: ["v1", "instruments"], query: query))
    }

    /// Removes it here, and at the provider where that can be asked for.
    public func remove(_ id: String, _ options: CommandOptions = .init()) async throws(PaystreamError) -> Instrument {
        try await command(.delete, ["v1", "instruments", id], options)
    }

    /// Asks the provider whether it still keeps the credential.
    public func check(_ id: String, _ options: CommandOptions = .init()) async throws(PaystreamError) -> Instrument {
        try await command(.post, ["v1", "instruments", id, "check"], options)
    }

    private func command(
        _ method: Call.Method,
        _ path: [String],
        _ options: CommandOptions
    ) async throws(PaystreamError) -> Instrument {
        var call = Call(method: method, path: path)
        call.apply(options)
        return try await exchange.decide(call, as: Instrument.self)
    }
}
