import Crypto
import Kernel

/// A message to an address of a merchant, as far as it is more than a notice.
struct WorldlineEvent: Hashable, Sendable {
    let merchant: String
    /// The value that the address must give back, where it is checked.
    let echo: String?
    let fault: WorldlineFaultKind?
    /// The payment that it is about, by the merchant's name for it.
    let reference: String?
}

/// Events: signed under the newest key, repeated five times, gathered into lists where the portal says so.
extension WorldlineSimulator {
    /// Tells every address of a change.
    mutating func announce(_ payment: WorldlinePayment, _ operation: WorldlinePayment.Operation?) {
        guard let merchant = merchants[payment.merchant] else { return }
        let status = operation?.status ?? payment.begun
        let isRefundObject = status == .refundRequested || status == .refundUncertain
        let about: (String, Json)
        if isRefundObject, let operation {
            about = ("refund", json(operation, of: payment))
        } else {
            about = ("payment", json(payment, operation))
        }
        var seen: Set<String> = []
        for url in payment.webhookUrls + merchant.webhookUrls where seen.insert(url).inserted {
            let event: Json = [
                "apiVersion": "v1", "created": .string(Self.created(now, inList: merchant.batch > 1)),
                "id": .string(nextUuid()), "merchantId": .string(merchant.id), "type": .string(status.event),
                about.0: about.1,
            ]
            if merchant.batch > 1 {
                gather(event, merchant, url)
            } else {
                send(event.compactBytes, merchant, url, payment.reference)
            }
        }
    }

    /// Both forms that the provider is known to write.
    private static func created(_ time: Timestamp, inList: Bool) -> String {
        let text = time.wholeSeconds.dropLast()
        return inList ? "\(text).000+0000" : "\(text).0000000+00:00"
    }

    private mutating func gather(_ event: Json, _ merchant: WorldlineMerchant, _ url: String) {
        let place = "\(merchant.id)|\(url)"
        if gathered[place] == nil { add(.gathered(place), after: WorldlineTimings.gathering) }
        gathered[place, default: []].append(event)
        if gathered[place]?.count ?? 0 >= merchant.batch { flush(place) }
    }

    mutating func flush(_ place: String) {
        guard let events = gathered.removeValue(forKey: place), let line = place.firstIndex(of: "|"),
            let merchant = merchants[String(place[..<line])]
        else { return }
        send(Json.array(events).compactBytes, merchant, String(place[place.index(after: line)...]), nil)
    }

    mutating func send(
        _ body: [UInt8],
        _ merchant: WorldlineMerchant,
        _ url: String,
        _ reference: String?,
        echo: String? = nil
    ) {
        let fault = echo == nil ? takeFault("event", Set(WorldlineFaultKind.allCases.filter(\.isOfEvents))) : nil
        // An address is checked once; a spoiled event is nothing that the platform would repeat.
        let isRepeated = echo == nil && (fault == nil || fault?.kind == .duplicateEvent)
        for _ in 0..<(fault?.kind == .duplicateEvent ? 2 : 1) {
            var notice = SandboxNotice(
                id: Int64(events.count),
                url: url,
                contentType: "application/json",
                body: body,
                pauses: isRepeated ? WorldlineTimings.retries.map(configuration.timings.lived) : []
            )
            notice.accepted = 200...299
            events.append(
                WorldlineEvent(merchant: merchant.id, echo: echo, fault: fault?.kind, reference: reference)
            )
            if fault?.kind == .withheldEvent {
                core.notices[notice.id] = notice
            } else {
                tell(notice, after: configuration.timings.event)
            }
        }
    }

    /// Signed under the key that is the newest when it leaves.
    package func dressed(_ delivery: SandboxDelivery, _ notice: SandboxNotice) -> SandboxDelivery? {
        let event = events[Int(notice.id)]
        guard let key = merchants[event.merchant]?.webhookKeys.last else { return nil }
        var delivery = delivery
        if let echo = event.echo {
            delivery.kind = .echo(Array(echo.utf8))
            delivery.headers["X-GCS-Webhooks-Endpoint-Verification"] = echo
            return delivery
        }
        if event.fault == .truncatedEvent { delivery.body.removeLast(delivery.body.count - delivery.body.count / 2) }
        let secret = event.fault == .forgedEvent ? Secret("nobody's secret") : key.secret
        delivery.headers["X-GCS-KeyId"] = event.fault == .unknownKeyEvent ? "nobodys-key" : key.id
        delivery.headers["X-GCS-Signature"] = WorldlineSignature.sign(delivery.body, secret)
        delivery.headers["retry-count"] = String(delivery.attempt.number - 1)
        return delivery
    }

    // MARK: Tools of the server interface

    func checkWebhookKey(_ body: Json, _ merchant: WorldlineMerchant) throws(WorldlineRefusal) -> SandboxAnswer {
        try WorldlineShape.webhookKey.check(body)
        let key = merchant.webhookKeys.last { $0.id == body["key"]?.text }
        let isValid = key.map { WorldlineSignature.sign([], $0.secret) == body["secret"]?.text } ?? false
        return .json(200, ["result": isValid ? "Valid" : "Invalid"])
    }

    mutating func sendTestEvent(_ body: Json, _ merchant: WorldlineMerchant) throws(WorldlineRefusal) -> SandboxAnswer {
        try WorldlineShape.webhookTest.check(body)
        let event: Json = [
            "apiVersion": "v1", "created": .string(Self.created(now, inList: false)), "id": .string(nextUuid()),
            "merchantId": .string(merchant.id), "payment": ["id": "9999_9", "status": "CREATED"],
            "type": "payment.test",
        ]
        for url in body["url"]?.text.map({ [$0] }) ?? merchant.webhookUrls {
            send(event.compactBytes, merchant, url, nil)
        }
        return SandboxAnswer(status: 204, contentType: "application/json", body: .bytes([]))
    }
}
