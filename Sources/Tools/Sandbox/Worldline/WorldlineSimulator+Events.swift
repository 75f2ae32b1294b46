import Crypto
import Kernel

/// A delivery to an address of a merchant, and how often it was tried.
package struct WorldlineNotice: Hashable, Sendable {
    package let id: Int64
    let merchant: String
    package let url: String
    package let body: [UInt8]
    /// The value that the address must give back, where it is checked.
    let echo: String?
    var fault: WorldlineFault.Kind?
    /// The payment that it is about, by the merchant's name for it.
    let reference: String?
    var attempts = 0
    var isOpen = false
    package var isDelivered = false
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
        if gathered[place] == nil { due.add(.gathered(place), due: now.adding(WorldlineTimings.gathering)) }
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
        let fault = echo == nil ? takeFault("event", Set(WorldlineFault.Kind.allCases.filter(\.isOfEvents))) : nil
        for _ in 0..<(fault?.kind == .duplicateEvent ? 2 : 1) {
            let notice = WorldlineNotice(
                id: Int64(notices.count),
                merchant: merchant.id,
                url: url,
                body: body,
                echo: echo,
                fault: fault?.kind,
                reference: reference
            )
            notices.append(notice)
            if fault?.kind == .withheldEvent { continue }
            due.add(
                .notice(DeliveryAttempt(delivery: notice.id, number: 1)),
                due: now.adding(configuration.timings.event)
            )
        }
    }

    mutating func noticeDue(_ attempt: DeliveryAttempt) {
        let index = Int(attempt.delivery)
        guard notices.indices.contains(index), !notices[index].isDelivered,
            notices[index].attempts == attempt.number - 1, let merchant = merchants[notices[index].merchant],
            let key = merchant.webhookKeys.last
        else { return }
        notices[index].attempts += 1
        notices[index].isOpen = true
        let notice = notices[index]
        let body = notice.fault == .truncatedEvent ? Array(notice.body.prefix(notice.body.count / 2)) : notice.body
        var delivery = SandboxDelivery(attempt: attempt, url: notice.url, contentType: "application/json", body: body)
        if let echo = notice.echo {
            delivery.kind = .echo(Array(echo.utf8))
            delivery.headers["X-GCS-Webhooks-Endpoint-Verification"] = echo
        } else {
            let secret = notice.fault == .forgedEvent ? Secret("nobody's secret") : key.secret
            delivery.headers["X-GCS-KeyId"] = notice.fault == .unknownKeyEvent ? "nobodys-key" : key.id
            delivery.headers["X-GCS-Signature"] = WorldlineSignature.sign(body, secret)
            delivery.headers["retry-count"] = String(attempt.number - 1)
        }
        actions.append(.deliver(delivery))
    }

    mutating func noticeEnded(_ attempt: DeliveryAttempt, _ reply: DeliveryReply) {
        let index = Int(attempt.delivery)
        guard notices.indices.contains(index), notices[index].isOpen, notices[index].attempts == attempt.number else {
            return
        }
        notices[index].isOpen = false
        if case .status(let status) = reply, (200..<300).contains(status) {
            notices[index].isDelivered = true
            return
        }
        // An address is checked once; a spoiled event is nothing that the platform would repeat.
        guard notices[index].echo == nil, notices[index].fault == nil || notices[index].fault == .duplicateEvent,
            WorldlineTimings.retries.indices.contains(attempt.number - 1)
        else { return }
        let pause = configuration.timings.lived(WorldlineTimings.retries[attempt.number - 1])
        due.add(
            .notice(DeliveryAttempt(delivery: attempt.delivery, number: attempt.number + 1)),
            due: now.adding(pause)
        )
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
