import Crypto
package import Kernel

/// A user of Portmone's own cabinet, whose bills may be paid in bulk.
package struct PortmoneUser: Hashable, Sendable {
    package let login: String
    package var password: Secret
    /// Counts password changes: what stood for an earlier password stands for nothing any more.
    package var generation = 1

    package var credentials: String {
        Hex.encode(Hmac.sha256(key: password, Array("\(login):\(generation)".utf8)))
    }
}

/// The wish in a bill's id, by the letters before its first hyphen: what the simulated provider is to do.
package enum PortmoneBillWord: String, CaseIterable, Sendable {
    /// Refused by the bank.
    case declined
    case cancelled
    case held
    /// Neither paid nor a reason.
    case blank
    /// Left out of the answer; it is paid.
    case missing
    /// Reported twice, the second time as an error.
    case twice
    /// The answer also names a bill that nobody asked for.
    case foreign
    /// The payer's bank wants a step; the walk through the bills stops here.
    case secure
    /// Paid, and the answer says that nothing was.
    case zero
    /// Paid with one hryvnia less.
    case short
    /// The whole call is refused after this bill was paid.
    case broken
    /// The bills up to this one are paid, and nobody hears of it.
    case lost
    /// No bill of this id.
    case unknown

    init?(of id: String) { self.init(rawValue: String(id.prefix { $0 != "-" })) }
}

/// Bulk payment of utility bills.
extension PortmoneSimulator {
    /// Money of bills stands under this account in the ledger.
    package static let utilities = "utilities"

    mutating func merchantBillsReceived(_ body: [UInt8]) -> SandboxAnswer {
        guard let json = try? Json(body), let method = json["method"]?.text, let data = json.at("params", "data") else {
            return .json(200, Self.billRefusal("10", "Bad request"))
        }
        if takeFault(method, [.html]) != nil { return .page(200, "<html><body>Out of order</body></html>") }
        let (result, isLost) = merchantBills(method, data)
        var answer = SandboxAnswer.json(200, result)
        if isLost { answer.fate = .lost }
        if let fault = takeFault(method, [.slow, .lostAnswer, .errorAfter]) {
            switch fault.kind {
            case .slow: answer.delay = .milliseconds(fault.milliseconds)
            case .lostAnswer: answer.fate = .lost
            case .errorAfter: answer = .json(200, Self.billRefusal("500", "Service unavailable"))
            case .html, .unknownStatus, .duplicateNotice, .withheldNotice: break
            }
        }
        return answer
    }

    static func billRefusal(_ code: String, _ text: String) -> Json {
        ["id": "1", "error": ["code": .string(code), "message": .string(text)]]
    }

    private mutating func merchantBills(_ method: String, _ data: Json) -> (answer: Json, isLost: Bool) {
        if method == "getcred" {
            guard let user = users[data["login"]?.text ?? ""], user.password == Secret(data["password"]?.text ?? "")
            else { return (Self.billRefusal("1", "Login or password is incorrect"), false) }
            return (["result": ["credentials": .string(user.credentials)], "id": "1"], false)
        }
        guard let user = users.values.first(where: { $0.credentials == data["credentials"]?.text }) else {
            return (Self.billRefusal("1", "Login or password is incorrect"), false)
        }
        let token = data["token"]?.text ?? ""
        switch method {
        case "checkToken":
            let isUsable = !token.isEmpty && !token.hasPrefix("OLD")
            let card: Json = [
                "cardMask": .string(isUsable ? "444433******1111" : ""),
                "expirationDate": .string(isUsable ? "1230" : ""), "contractNumber": .string(user.login),
            ]
            return (["result": card, "id": "1"], false)
        case "getBillsCommission": return (commission(data), false)
        case "payBillsSdk":
            guard !token.isEmpty, !token.hasPrefix("OLD") else {
                return (Self.billRefusal("20", "Card is not available"), false)
            }
            return paid(data)
        default: return (Self.billRefusal("10", "Unknown method"), false)
        }
    }

    private func commission(_ data: Json) -> Json {
        let bills = data["bills"]?.items ?? []
        let ids = bills.compactMap { $0["id"]?.text }
        guard !ids.contains(where: { PortmoneBillWord(of: $0) == .unknown }) else {
            return [
                "id": "1",
                "result": ["amount": 0, "commission": 0, "payeeData": [], "totalCommissionText": ""],
            ]
        }
        let amounts = bills.compactMap { amount($0) }
        let total = amounts.reduce(Int64(0)) { $0 + $1.minor }
        return [
            "id": "1",
            "result": [
                "amount": .string(Self.text(total)), "commission": .string(Self.text(50 * Int64(ids.count))),
                "payeeData": .array(
                    ids.map { ["id": .string($0), "description": "Water", "commission": "0.50"] }
                ),
                "totalCommissionText": .string(Self.text(50 * Int64(ids.count))),
            ],
        ]
    }

    private static func text(_ minor: Int64) -> String {
        Currency("UAH").map { Money(minor, $0).decimal } ?? "0.00"
    }

    private func amount(_ bill: Json) -> Money? {
        guard let hryvnia = Currency("UAH"), let text = bill["billAmount"]?.text else { return nil }
        return try? Money(decimal: text, hryvnia)
    }

    /// Walks through the bills in their order.
    private mutating func paid(_ data: Json) -> (answer: Json, isLost: Bool) {
        var rows: [Json] = []
        for bill in data["bills"]?.items ?? [] {
            guard let id = bill["id"]?.text, let sum = amount(bill), sum.minor > 0 else {
                return (Self.billRefusal("30", "A bill is malformed"), false)
            }
            switch PortmoneBillWord(of: id) {
            case .declined: rows.append(row(id, sum, "REJECTED", paid: 0, error: "51", "Declined by the bank"))
            case .cancelled: rows.append(row(id, sum, "CANCELED", paid: 0))
            case .held: rows.append(row(id, sum, "PREAUTH", paid: 0))
            case .blank: rows.append(row(id, sum, "", paid: 0))
            case .unknown: rows.append(row(id, sum, "", paid: 0, error: "404", "No such bill"))
            case .missing: charge(id, sum)
            case .twice:
                rows.append(chargedRow(id, sum))
                rows.append(row(id, sum, "", paid: 0, error: "7", "Bill is paid already"))
            case .foreign:
                rows.append(row("99\(id)", sum, "PAYED", paid: sum.minor))
                rows.append(chargedRow(id, sum))
            case .zero:
                charge(id, sum)
                rows.append(row(id, sum, "PAYED", paid: 0))
            case .short:
                let less = Money(max(1, sum.minor - 100), sum.currency)
                charge(id, less)
                rows.append(row(id, sum, "PAYED", paid: less.minor))
            case .secure where utilityBills[id] == nil:
                utilityBills[id] = PortmoneUserBill(amount: sum, isPaid: false, payments: 0)
                rows.append(secureRow(id, sum))
                return (["result": .array(rows), "id": "1"], false)
            case .broken:
                charge(id, sum)
                return (Self.billRefusal("500", "Service unavailable"), false)
            case .lost:
                charge(id, sum)
                return (["result": [], "id": "1"], true)
            case .secure, nil: rows.append(chargedRow(id, sum))
            }
        }
        return (["result": .array(rows), "id": "1"], false)
    }

    private mutating func chargedRow(_ id: String, _ sum: Money) -> Json {
        charge(id, sum)
            ? row(id, sum, "PAYED", paid: sum.minor)
            : row(id, sum, "", paid: 0, error: "7", "Bill is paid already")
    }

    /// Takes money for a bill; the provider refuses a bill that was paid, and counts that it was asked to.
    @discardableResult
    mutating func charge(_ id: String, _ sum: Money) -> Bool {
        var bill = utilityBills[id] ?? PortmoneUserBill(amount: sum, isPaid: false, payments: 0)
        bill.payments += 1
        let isFirst = !bill.isPaid
        bill.isPaid = true
        utilityBills[id] = bill
        guard isFirst else { return false }
        book(.charge, sum, SandboxLedger.Owner(account: Self.utilities, payment: id), id)
        return true
    }

    private func row(
        _ id: String,
        _ sum: Money,
        _ status: String,
        paid: Int64,
        error: String = "0",
        _ text: String = ""
    ) -> Json {
        [
            "api": false, "billId": .string(id), "status": .string(status), "billAmount": .string(sum.decimal),
            "paidAmount": .string(Self.text(paid)), "commission": .string(paid > 0 ? "0.50" : "0"),
            "authCode": .string(paid > 0 ? "67037Z" : ""), "contractNumber": "0001", "payDate": "",
            "payeeName": "Water", "errorCode": .string(error), "errorMessage": .string(text), "mpiFlag": "N",
        ]
    }

    private func secureRow(_ id: String, _ sum: Money) -> Json {
        [
            "billId": .string(id), "status": "CREATED", "billAmount": .string(sum.decimal), "paidAmount": "0",
            "errorCode": "0", "errorMessage": "", "mpiFlag": "Y",
            "actionMPI": .string(configuration.address + "/portmone/acs"), "md": .string("md-\(id)"),
            "pareq": "cGFyZXE=", "termUrl": .string(configuration.address + "/portmone/term"),
        ]
    }

    // MARK: Behind the counter

    /// The user's password is changed in the cabinet; the payer passes or fails a bank's step; an app pays.
    mutating func utilitiesTouched(_ path: [String], _ fields: ControlFields) -> SandboxAnswer {
        switch path.first {
        case "users":
            guard let login = fields.text("login"), let password = fields.text("password"), !login.isEmpty else {
                return .refused(422, "bad_user", "login and password are needed.")
            }
            let generation = (users[login]?.generation ?? 0) + 1
            users[login] = PortmoneUser(login: login, password: Secret(password), generation: generation)
            return .json(200, ["login": .string(login), "generation": .integer(Int64(generation))])
        case "bills": return billTouched(fields)
        default: return .notFound
        }
    }

    private mutating func billTouched(_ fields: ControlFields) -> SandboxAnswer {
        if let given = fields.json["parameters"] { return appPaidBills(given) }
        guard let id = fields.text("bill"), let bill = utilityBills[id] else {
            return .notFound
        }
        switch fields.text("action") {
        case "pass":
            charge(id, bill.amount)
            return .json(200, ["bills": [row(id, bill.amount, "PAYED", paid: bill.amount.minor)]])
        case "fail":
            return .json(200, ["bills": [row(id, bill.amount, "REJECTED", paid: 0, error: "51", "Not confirmed")]])
        default: return .refused(422, "unknown_action", "action is pass or fail.")
        }
    }

    /// The app's SDK pays what the daemon gave it, and tells what became of each bill.
    private mutating func appPaidBills(_ given: Json) -> SandboxAnswer {
        let (order, card) = (given["payParams"] ?? [:], given["tokenParams"] ?? [:])
        guard let user = users.values.first(where: { $0.credentials == card["credentials"]?.text }) else {
            return .refused(409, "credentials", "The credentials are stale.")
        }
        guard order["contractNumber"]?.text == user.login, let bills = order["paymentBills"]?.items else {
            return .refused(422, "bad_parameters", "contractNumber and paymentBills are needed.")
        }
        let named: [Json] = bills.map { ["id": $0["billId"] ?? "", "billAmount": $0["billAmount"] ?? ""] }
        let (answer, _) = paid(["bills": .array(named)])
        return .json(200, ["bills": answer["result"] ?? []])
    }

    /// The bills' books: how often each was asked to be paid, and whether it was.
    func utilitiesShown() -> SandboxAnswer {
        let bills = utilityBills.sorted { $0.key < $1.key }
        return .json([
            "paid": .integer(Int64(bills.count { $0.value.isPaid })),
            "repeated": .array(bills.filter { $0.value.payments > 1 }.map { .string($0.key) }),
            "charged": .integer(
                ledger.entries.reduce(Int64(0)) {
                    $0 + ($1.owner.account == Self.utilities ? $1.amount.minor : 0)
                }
            ),
        ])
    }
}

/// A bill as the provider knows it.
package struct PortmoneUserBill: Hashable, Sendable {
    package let amount: Money
    package var isPaid: Bool
    /// How often its money was asked for.
    package var payments: Int
}
