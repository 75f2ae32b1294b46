import Conformance
import Http
import Kernel
import Portmone
import ProviderKit
import Xml

/// One notification: what is read, what follows, and the answer.
struct NoticeCase {
    private let item: Json
    private let request: HttpRequest
    private let shop: CaseShop

    init(_ item: Json) {
        self.item = item
        var shop = CaseShop()
        if let payee = item.at("account", "payeeId")?.scalarText { shop.settings = [("payeeId", .string(payee))] }
        self.shop = shop
        let given = item["request"] ?? [:]
        let body: [UInt8]
        if let form = given["form"]?.members {
            body = Array(FormEncoding.encode(form.members.map { ($0.name, $0.value.text ?? "") }).utf8)
        } else {
            body = CallCase.bytes(given["body"])
        }
        request = HttpRequest(
            method: .post,
            target: "/",
            headers: HttpHeaders([("Content-Type", given["contentType"]?.text ?? "application/json")]),
            body: body
        )
    }

    private var verdict: Authentication {
        CaseShop.adapter.authenticate(request, shop.account, AccountSecrets([:]))
    }

    var violations: [String] {
        Comparison.violations(expected: item["expected"], actual: actual) + replyViolations
    }

    private var actual: [String: Json] {
        guard case .unsigned = verdict, let notice = Notification(request.body) else {
            return ["reject": true, "moneyChange": false, "stateEvents": 0]
        }
        let known = (item["knownOrders"] ?? item["known_orders"])?.items?.compactMap(\.scalarText) ?? []
        let first = notice.bills[0]
        // Nothing inbound moves money: its facts are none.
        let facts = CaseShop.adapter.interpret(.notification(body: request.body), shop.interpretation)
        return [
            "reject": false,
            "bills": .array(notice.bills.map(words)),
            "then": "result",
            "shopBillId": text(first.billId),
            "shopOrderNumber": text(first.billNumber),
            "moneyChange": .bool(!facts.isEmpty),
            "alert": .bool(!notice.bills.allSatisfy { known.contains($0.billNumber ?? "") }),
            "stateEvents": .integer(Int64(distinctDeliveries)),
        ]
    }

    /// So many events a repeated delivery leads to: a hint moves nothing, however often it comes, and the question that it
    /// leads to is asked once.
    private var distinctDeliveries: Int {
        let count = max(1, min(100, item["repeat"]?.integer ?? 1))
        return Set((0..<count).map { _ in verdict }).count
    }

    private func words(_ bill: Notification.Bill) -> Json {
        [
            "billId": text(bill.billId), "billNumber": text(bill.billNumber), "payeeId": text(bill.payeeId),
            "amount": text(CaseShop.money(bill.amount)?.decimal),
            "commission": text(CaseShop.money(bill.commission)?.decimal),
            "payDate": text(bill.payDate), "authCode": text(bill.authCode),
            "contractNumber": text(bill.contractNumber),
        ]
    }

    private var reply: HttpResponse {
        switch verdict {
        case .rejected(let reason): CaseShop.adapter.reply(.rejected(reason: reason), to: request)
        case .verified, .unsigned, .unrecognised: CaseShop.adapter.reply(.stored, to: request)
        }
    }

    private var replyViolations: [String] {
        let reply = reply
        var found: [String] = []
        let body = String(decoding: reply.body, as: UTF8.self)
        if let code = item["replyCode"]?.scalarText {
            let actual = XmlDocument.root(reply.body)?.child("ERROR_CODE")?.text
            let given = actual ?? (try? Json(reply.body))?["errorCode"]?.scalarText
            if given != code { found.append("replyCode: expected \(code), got \(given ?? "none")") }
        }
        guard let expected = item["reply"] else { return found }
        if let status = expected["status"]?.integer, status != Int64(reply.status) {
            found.append("reply.status: expected \(status), got \(reply.status)")
        }
        found += Comparison.text(
            "reply.contentType",
            expected: expected["contentType"],
            actual: reply.headers["Content-Type"] ?? ""
        )
        if let wanted = expected["body"]?.members {
            let given = (try? Json(reply.body)) ?? .null
            for member in wanted.members where member.value != "<any>" {
                found += Comparison.differences(member.value, given[member.name] ?? .null, "reply.\(member.name)")
            }
            for name in wanted.names where given[name] == nil { found.append("reply.\(name): missing") }
        } else {
            found += Comparison.text("reply.body", expected: expected["body"], actual: body)
        }
        return found
    }

    private func text(_ value: String?) -> Json { value.map(Json.string) ?? .null }
}
