package import Kernel

/// The bodies of the provider's methods, members in the order of its document.
package enum Bodies {
    static func create(
        id: String,
        _ bill: Bill,
        client: Json?,
        fiscal: Json?,
        addresses: [(String, String?)],
        data: Json?,
        _ money: (Int64) -> Json
    ) -> Json {
        .compact(
            [
                (
                    "order",
                    .compact([
                        ("id", .string(id)), ("amount", money(bill.amount)),
                        ("prepaid_amount", bill.prepaid.map(money)),
                        ("items", items(bill.basket, money)),
                    ])
                ), ("client_info", client), ("fiscalization_settings", fiscal),
            ] + addresses.map { ($0.0, $0.1.map(Json.string)) } + [("data", data)]
        )
    }

    package static func commit(_ bill: Bill, fiscal: Json?, _ money: (Int64) -> Json) -> Json {
        .compact([
            ("amount", money(bill.amount)), ("items", items(bill.basket, money)),
            ("prepaid_amount", bill.prepaid.map(money)), ("fiscalization_settings", fiscal),
        ])
    }

    package static func refund(_ bill: Bill, fiscal: Json?, _ money: (Int64) -> Json) -> Json {
        .compact([
            ("amount", money(bill.amount)), ("returned_items", items(bill.basket, money)),
            ("refunded_prepaid_amount", bill.prepaid.map(money)), ("fiscalization_settings", fiscal),
        ])
    }

    /// A correction without positions gives all back.
    package static func correction(_ bill: Bill, _ money: (Int64) -> Json) -> Json {
        .compact([
            ("amount", money(bill.amount)), ("refunded_prepaid_amount", bill.prepaid.map(money)),
            ("new_items", bill.basket.positions.isEmpty ? nil : items(bill.basket, money)),
        ])
    }

    /// The body is needed, each member is not.
    package static func completeDelivery(_ bill: Bill?, _ money: (Int64) -> Json) -> Json {
        .compact([
            (
                "order",
                bill.map { bill in
                    .compact([
                        ("amount", money(bill.amount)), ("prepaid_amount", bill.prepaid.map(money)),
                        ("items", items(bill.basket, money)),
                    ])
                }
            )
        ])
    }

    private static func items(_ basket: Basket, _ money: (Int64) -> Json) -> Json {
        .array(basket.positions.map { $0.wire(money) })
    }
}
