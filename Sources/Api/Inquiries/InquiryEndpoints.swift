import Kernel

/// Questions to a provider about an account while somebody waits.
enum InquiryEndpoints {
    private static let one = "/v1/accounts/{account}"

    static let all: [Endpoint] = [
        .asking("testConnection", one + "/test-connection", .optional(.empty), scope: .admin, by: Api.testConnection)
            .documented(.configuration, "Ask the provider whether the account's credentials work", "ConnectionTest"),
        .asking("openSession", one + "/sessions", .json(SessionForm.schema), by: Api.openSession)
            .documented(.device, "Open a session of the provider's kit for one payer's app", "ClientSession")
            .ids(["instruments.*"]),
        .reading("listProducts", one + "/products", query: ProductQuery.parameters, by: Api.listProducts)
            .documented(.device, "List the ways to pay at an account", "ProductList", problems: [404]),
        .reading("getProduct", one + "/products/{product}", query: ProductQuery.parameters, by: Api.getProduct)
            .documented(.device, "Read one way to pay with its fields", "Product", problems: [404]),
        .asking(
            "checkFields",
            one + "/products/{product}/checks",
            .json(FieldsForm.schema),
            scope: .read,
            by: Api.checkFields
        )
        .documented(.device, "Run a product's rules on what the payer entered, card data excepted", "FieldCheck")
        .with { $0.exempt = .fields },
        .asking("cardPrefix", one + "/card-prefixes", .json(CardPrefixForm.schema), scope: .read, by: Api.cardPrefix)
            .documented(.device, "Ask what a card's first six to eight digits tell", "CardPrefix"),
    ]
}
