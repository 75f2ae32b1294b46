import Engine
package import Http
package import HttpClient

/// The wire as the engine knows it.
package struct CurlTransport: Transport {
    package let client: HttpClient

    package func send(_ request: OutgoingRequest, aboutToSend: @escaping @Sendable () -> Bool) async -> ExchangeOutcome
    {
        await client.send(request, aboutToSend: aboutToSend)
    }
}
