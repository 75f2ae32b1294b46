import Daemon
import Http
import Kernel
import Sandbox

/// Payments, refunds, disputes and open items: at ecommpay, whose sandbox plays an amount's last digits by itself.
extension EventTrigger {
    static let payments: [String: Way] = [
        "payment.created": .scene { try await $0.pay(7700, isOpened: false) },
        "payment.actionRequired": .scene { try await $0.pay(7700, isOpened: false) },
        "payment.processing": .scene { try await $0.pay(7735) },
        "payment.authorised": .scene { try await $0.pay(7700, mode: "authorize") },
        "payment.captured": .scene { try await $0.pay(7700) },
        "payment.captureFailed": .scene { try await $0.followUp("capture", of: 7776, mode: "authorize") },
        "payment.released": .scene { try await $0.followUp("void", of: 7700, mode: "authorize") },
        "payment.releaseFailed": .scene { try await $0.followUp("void", of: 7776, mode: "authorize") },
        "payment.verified": .scene { try await $0.check(mode: "verify", cents: 0) },
        "payment.tokenised": .scene { try await $0.check(mode: "tokenize", cents: nil) },
        "payment.failed": .scene { try await $0.pay(7701) },
        "payment.cancelled": .scene { try await $0.cancel() },
        "payment.expired": .scene { try await $0.abandon() },
        "payment.unknown": .never("it is told once a provider has been silent for as long as the account asks it: days"),
        "payment.lateSuccess": .scene { try await $0.pay(7743) },
        "payment.updated": .scene { try await $0.pay(7711) },
    ]

    static let operations: [String: Way] = [
        "refund.pending": .scene { try await $0.followUp("refund", of: 7700) },
        "refund.succeeded": .scene { try await $0.followUp("refund", of: 7700) },
        "refund.failed": .scene { try await $0.followUp("refund", of: 7776) },
        "refund.unknown": .never("it is told once a provider has been silent for as long as the account asks it: days"),
        "refund.reversed": .scene { try await $0.reverseRefund() },
        "dispute.opened": .scene { try await $0.dispute(nil) },
        "dispute.won": .scene { try await $0.dispute("won") },
        "dispute.lost": .scene { try await $0.dispute("lost") },
        "item.opened": .scene { try await $0.pay(7743) },
        "item.closed": .scene { try await $0.settleLateSuccess() },
    ]

    private static let title = "trigger"

    /// A payment whose page is opened, where its amount plays by itself.
    private func pay(_ cents: Int64, mode: String = "sale", isOpened: Bool = true) async throws -> String {
        let id = try await ecommpay.create(Self.title, mode: mode, amount: EcommpayScenes.euros(cents))
        if isOpened { try await ecommpay.open(id) }
        return id
    }

    private func followUp(_ verb: String, of cents: Int64, mode: String = "sale") async throws -> String {
        let id = try await pay(cents, mode: mode)
        try await wait(id, for: mode == "sale" ? "captured" : "authorized")
        try await ecommpay.perform(verb, id, Self.title)
        return id
    }

    /// A payment without money, of a payer who enters a card.
    func check(mode: String, cents: Int64?) async throws -> String {
        let scenes = EcommpayScenes(ecommpay)
        let id = try await scenes.create(Self.title, mode: mode, cents: cents)
        try await scenes.pay(try await ecommpay.open(id))
        return id
    }

    /// Sber closes an order that nobody paid.
    private func cancel() async throws -> String {
        let stage = stage(SberPayScenes.provider)
        let id = try await stage.create(Self.title, mode: "sale", amount: ["currency": "RUB", "value": 49_900])
        _ = try await stage.page(of: id)
        try await stage.perform("void", id, Self.title)
        return id
    }

    /// A payer of Dolyame leaves.
    private func abandon() async throws -> String {
        let stage = stage(DolyameScenes.provider)
        let id = try await DolyameScenes(stage).create(Self.title)
        try await stage.submit([("choice", "abandon")], to: try await stage.page(of: id))
        return id
    }

    private func reverseRefund() async throws -> String {
        let id = try await followUp("refund", of: 7700)
        let payment = try await wait(id, for: "refunded")
        guard let reference = payment.at("attempt", "reference")?.text else {
            throw ApiClient.Failure(description: "\(id) has no reference")
        }
        try await control(
            "/sandbox/payments/\(SandboxMerchants.project)/\(reference)/dashboard",
            ["action": "refund_reverse"]
        )
        return id
    }

    private func dispute(_ ending: String?) async throws -> String {
        let id = try await pay(7700)
        try await wait(id, for: "captured")
        let amount: Json = ["amount": EcommpayScenes.euros(7700)]
        let path = "\(DemoStage.path(id))/disputes"
        let opened = try await api.call(.post, path, amount, key: ecommpay.key(Self.title, "dispute"))
        guard let ending else { return id }
        let dispute = opened["disputes"]?.items?.first?["id"]?.text ?? ""
        try await ecommpay.perform("disputes/\(dispute)/\(ending)", id, Self.title)
        return id
    }

    /// Money that came after the end needs a person, until it is given back.
    private func settleLateSuccess() async throws -> String {
        let id = try await pay(7743)
        try await wait(id, for: "captured")
        try await ecommpay.perform("refund", id, Self.title)
        return id
    }
}
