package import Kernel
package import Payments

/// Calls about a user's utility bills; bodies only, the address is the account's `merchantBillsUrl`.
///
/// Passwords, tokens and credentials are values that the caller has opened for the moment of sending.
package enum MerchantBills {
    /// The user's own login and password, once; the answer's credentials stand for them until the password changes.
    package static func credentials(login: String, password: String) -> Json {
        call("getcred", [("login", .string(login)), ("password", .string(password))])
    }

    /// Whether a saved card can still be used.
    package static func checkToken(_ token: String, contractNumber: String, credentials: String) -> Json {
        call(
            "checkToken",
            [
                ("token", .string(token)), ("contractNumber", .string(contractNumber)),
                ("credentials", .string(credentials)),
            ]
        )
    }

    /// Token and credentials may be sealed holes of a template.
    package static func commission(_ bills: [BillLine], token: Json, credentials: Json) -> Json {
        call(
            "getBillsCommission",
            [("bills", list(bills)), ("token", token), ("gPayToken", ""), ("credentials", credentials)]
        )
    }

    /// Pays bills; the CVV stays empty, for a server never has one.
    ///
    /// All members are there, unused ones empty.
    package static func pay(_ bills: [BillLine], token: Json, credentials: Json) -> Json {
        call(
            "payBillsSdk",
            [
                ("bills", list(bills)), ("token", token), ("cvv2", ""), ("gPayToken", ""),
                ("credentials", credentials),
            ]
        )
    }

    /// A device wallet pays one bill only.
    package static func mayPayByWallet(_ count: Int) -> Bool { count == 1 }

    /// Bills as every call lists them: the provider's id and the exact amount in hryvnia.
    static func list(_ bills: [BillLine]) -> Json {
        .array(bills.map { ["id": .string($0.id), "billAmount": .string($0.amount.decimal)] })
    }

    private static func call(_ method: String, _ data: [(String, Json)]) -> Json {
        ["method": .string(method), "params": ["data": .object(JsonObject(data))], "id": "1"]
    }
}

/// Answers about a user's utility bills.
package enum BillAnswer: Hashable, Sendable {
    /// The provider's knowledge of a saved card.
    package struct Card: Hashable, Sendable {
        package let mask: String?
        package let expiry: String?
        package let contractNumber: String?

        /// An empty mask means that the token can't be used.
        package var isUsable: Bool { mask != nil }
    }

    /// The price of all bills.
    package struct Price: Hashable, Sendable {
        package let amount: Money
        package let commission: Money
        package let billIds: [String]
    }

    /// The stand-in for the user's password: text, or sealed at ingest.
    case credentials(Json)
    case card(Card)
    case price(Price)
    /// No bill of these ids: nothing may be paid.
    case unknownBills
    /// One object per bill, to be held against what was asked for.
    case bills([BillReport])
    /// Refused as a whole. For a payment nothing follows from it about any bill.
    case refused(code: String?, text: String?)
    case unreadable

    /// Whether an answer says that the user's credentials are stale: the user is asked, nothing is tried again by itself.
    package var asksForPassword: Bool { if case .refused = self { true } else { false } }

    private enum Limits {
        static let rows = 20_000
    }

    package init(_ body: [UInt8]) {
        guard let json = (try? Json(body)) ?? (try? Json(body, limits: .repeating)), json.members != nil else {
            self = .unreadable
            return
        }
        if let error = json["error"], !error.isNull {
            self = .refused(
                code: error["code"]?.scalarText ?? json["errorCode"]?.scalarText,
                text: error["message"]?.scalarText ?? error.scalarText
            )
            return
        }
        guard let result = json["result"] else {
            self = .unreadable
            return
        }
        self = Self.read(result)
    }

    private static func read(_ result: Json) -> BillAnswer {
        if let items = result.items { return .bills(items.prefix(Limits.rows).map { BillReport($0) }) }
        if let credentials = result["credentials"] {
            return Token.present(credentials).map { .credentials($0) } ?? .unreadable
        }
        if let payees = result["payeeData"]?.items {
            guard !payees.isEmpty else { return .unknownBills }
            guard let amount = Amounts.read(result["amount"]?.scalarText, Amounts.hryvnia),
                let commission = Amounts.read(result["commission"]?.scalarText, Amounts.hryvnia)
            else { return .unreadable }
            let ids = payees.prefix(Limits.rows).compactMap { $0["id"]?.scalarText }
            return .price(Price(amount: amount, commission: commission, billIds: ids))
        }
        if result["cardMask"] != nil {
            let row = Row(result)
            return .card(
                Card(mask: row.cardMask, expiry: row.text("expirationdate"), contractNumber: row.text("contractnumber"))
            )
        }
        return .unreadable
    }
}
