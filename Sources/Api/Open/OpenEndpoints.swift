import Http
import Kernel

/// Where providers and payers' browsers come.
enum OpenEndpoints {
    private static let back = "/v1/return/{merchant}/{account}/{reference}"

    static let all: [Endpoint] = [
        .open(
            "notification",
            "/v1/notifications/{provider}/{merchant}/{account}",
            method: .post,
            body: .raw("application/json"),
            by: Api.notification
        )
        .documented(
            .entrances,
            "Take a provider's notification",
            .text("text/plain"),
            problems: [400, 404, 422, 429, 503]
        )
        .with {
            $0.most = .notification
            $0.otherMethod = .get
            $0.plainProblems = [400, 503]
        },
        .open("browserReturn", back, by: Api.browserReturn)
            .documented(
                .entrances,
                "Tell the payer that we are checking",
                .text("text/html"),
                [200, 303],
                problems: [404, 422]
            ),
        .open(
            "bankReturn",
            back,
            method: .post,
            body: .raw("application/x-www-form-urlencoded", ["type": "object"], isNeeded: false),
            by: Api.bankReturn
        )
        .documented(
            .entrances,
            "Take what the payer's bank posts",
            .text("text/html"),
            [200, 303],
            problems: [404, 422, 429]
        ),
    ]
}
