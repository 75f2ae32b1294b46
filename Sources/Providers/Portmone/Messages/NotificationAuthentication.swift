import Crypto
import Http
import Kernel
import ProviderKit

/// Decides what a notification is worth: at most a hint, for nothing inbound is signed.
enum NotificationAuthentication {
    /// The member of the registered address' query that only the provider should know.
    static let keyQueryName = "key"

    /// 1. The address carries the account's notification key, where it has one.
    /// 2. The body is readable and names bills.
    /// 3. Each bill names our payee, where it names one.
    static func verdict(
        _ request: HttpRequest,
        _ settings: AccountSettings,
        _ secrets: AccountSecrets
    ) -> Authentication {
        if let key = secrets[PortmoneDeclaration.notificationKeyName], !key.isEmpty {
            let given = request.query?.first { $0.name == keyQueryName }?.value ?? ""
            let isRight = key.withBytes { constantTimeEquals($0, Array(given.utf8)) }
            guard isRight else { return .rejected(reason: "notification_key_mismatch") }
        }
        guard let notice = Notification(request.body) else {
            return Notification.otherRoot(of: request.body).map { .unrecognised(what: $0) }
                ?? .rejected(reason: NotificationReply.unreadable)
        }
        let payeeId = settings.values["payeeId"]?.text
        guard notice.bills.allSatisfy({ $0.payeeId == nil || $0.payeeId == payeeId }) else {
            return .rejected(reason: "foreign_payee")
        }
        let isSingle = notice.bills.count == 1
        return .unsigned(
            VerifiedNotification(
                keyId: "none",
                events: notice.bills.map { bill in
                    let number = bill.billNumber.flatMap { $0.isEmpty || $0.utf8.count > 255 ? nil : $0 }
                    return NotifiedEvent(
                        deliveryId: nil,
                        references: number.map { [("payment", $0)] } ?? [],
                        content: isSingle ? nil : bill.json
                    )
                }
            )
        )
    }
}

/// The answers that the provider expects, in the notification's own form.
enum NotificationReply {
    static let unreadable = "malformed_notification"

    static func answer(_ verdict: NotificationVerdict, to request: HttpRequest) -> HttpResponse {
        switch Notification.form(of: request.body) {
        case .xml: xml(verdict)
        case .json: json(verdict, request)
        }
    }

    static func xml(_ verdict: NotificationVerdict) -> HttpResponse {
        let (status, code, reason) = words(verdict)
        let text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><RESULT><ERROR_CODE>\(code)</ERROR_CODE>"
            + "<REASON>\(reason)</REASON></RESULT>"
        return HttpResponse(status: status, contentType: "text/xml", body: Array(text.utf8))
    }

    /// `responseId` is any unique text: a digest of what is answered.
    private static func json(_ verdict: NotificationVerdict, _ request: HttpRequest) -> HttpResponse {
        let (status, code, reason) = words(verdict)
        let id = Hex.encode(Array(Digest.sha256(request.body).prefix(16)))
        return .json(
            status,
            ["errorCode": .string(String(code)), "reason": .string(reason), "responseId": .string(id)]
        )
    }

    private static func words(_ verdict: NotificationVerdict) -> (status: Int, code: Int, reason: String) {
        switch verdict {
        case .stored: (200, 0, "OK")
        case .rejected(Self.unreadable): (400, 1, "Parse Error")
        case .rejected: (400, 2, "Validation Error")
        case .unavailable: (503, 3, "Unavailable")
        }
    }
}
