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
        "payment.cancelled": .scene { try await $0.cancelOrder() },
        "payment.expired": .scene { try await $0.abandon() },
        "payment.unknown": .scene { try await $0.pay(7744) },
        "payment.lateSuccess": .scene { try await $0.pay(7743) },
        "payment.updated": .scene { try await $0.cancelled() },
    ]

    static let operations: [String: Way] = [
        "refund.pending": .scene { try await $0.followUp("refund", of: 7700) },
        "refund.succeeded": .scene { try await $0.followUp("refund", of: 7700) },
        "refund.failed": .scene { try await $0.followUp("refund", of: 7776) },
        "refund.unknown": .never(silence),
        "refund.reversed": .scene { try await $0.reverseRefund() },
        "dispute.opened": .scene { try await $0.dispute(nil) },
        "dispute.won": .scene { try await $0.dispute("won") },
        "dispute.lost": .scene { try await $0.dispute("lost") },
        "item.opened": .scene { try await $0.pay(7763) },
        "item.closed": .never("two persons close it, who agree on how it ends, or evidence that comes later does"),
    ]

    /// Why nobody can make what a provider's silence leads to.
    static let silence = "it takes a provider that is silent for as long as its account asks it, which is days"

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

    /// Somebody asks for a payment to be cancelled that its payer may still pay.
    private func cancelled() async throws -> String {
        let id = try await pay(7700, isOpened: false)
        try await ecommpay.perform("void", id, Self.title)
        return id
    }

    /// Dolyame closes an order that nobody paid; at the others a payer may still pay it.
    private func cancelOrder() async throws -> String {
        let stage = stage(DolyameScenes.provider)
        let id = try await DolyameScenes(stage).create(Self.title)
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
}
