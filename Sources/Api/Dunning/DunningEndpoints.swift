import Http
import Kernel

/// Policies of what follows a declined charge, named by schedules.
enum DunningEndpoints {
    static let all: [Endpoint] = [
        .reading("listDunning", "/v1/dunning-policies", by: Api.listDunning)
            .documented(.schedules, "List the dunning policies that schedules may name", "DunningPolicyPage"),
        .asking(
            "keepDunning",
            "/v1/dunning-policies/{policy}",
            .json(DunningForm.schema),
            method: .put,
            scope: .admin,
            by: Api.keepDunning
        )
        .documented(.schedules, "Keep a dunning policy as the next version of its name", "DunningPolicy", problems: []),
    ]
}
