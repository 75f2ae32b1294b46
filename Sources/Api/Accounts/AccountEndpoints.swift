/// A merchant's accounts at providers.
enum AccountEndpoints {
    static let all: [Endpoint] = [
        .command("configureAccount", "/v1/accounts", .json(AccountForm.schema), scope: .admin, by: Api.configureAccount)
            .documented(.configuration, "Make or reconfigure an account", "Account")
            .atOnce.with { $0.exempt = .settings },
        .command("closeAccount", "/v1/accounts/{account}/close", .optional(.empty), scope: .admin, by: Api.closeAccount)
            .documented(.configuration, "Close an account for good", "Account", problems: [404, 409])
            .atOnce,
        .reading("listAccounts", "/v1/accounts", by: Api.listAccounts)
            .documented(.configuration, "List the accounts", "AccountPage"),
    ]
}
