import Api
import Crypto
package import Engine
package import EventSourcing
package import Kernel
package import Payments
package import ProviderKit
import Store
package import Telemetry

/// Looks at the certificates that accounts show to their providers, before a provider refuses one that has ended.
package struct CertificateWatch: Sendable {
    /// A certificate among an account's secrets.
    package struct Known: Hashable, Sendable {
        package let account: AccountFacts
        package let secret: String
        package let end: Timestamp
    }

    /// How soon a certificate ends.
    package enum Verdict: Hashable, Sendable {
        case good, soon, urgent, ended

        package init(_ end: Timestamp, at now: Timestamp) {
            switch end.since(now) {
            case ...Duration.zero: self = .ended
            case ..<CertificateWatch.urgent: self = .urgent
            case ..<CertificateWatch.soon: self = .soon
            default: self = .good
            }
        }
    }

    /// A new one takes its days at the provider.
    package static let soon = Duration.seconds(30 * 86_400)
    package static let urgent = Duration.seconds(7 * 86_400)

    package let vault: any Vault
    package let adapters: AdapterRegistry

    package init(vault: any Vault, adapters: AdapterRegistry) {
        self.vault = vault
        self.adapters = adapters
    }

    /// The certificates of open accounts.
    package func certificates(of accounts: [Account], _ merchant: MerchantNumber) async -> [Known] {
        var found: [Known] = []
        for account in accounts where account.isOpen {
            guard let facts = account.facts, let sealed = account.configuration?.secrets,
                let declaration = adapters[facts.provider]?.declaration,
                let secrets = try? await vault.secrets(sealed, account: facts.id, merchant: merchant)
            else { continue }
            for name in declaration.secrets + declaration.optionalSecrets {
                guard let end = secrets[name].flatMap(CertificateEnd.read) else { continue }
                found.append(Known(account: facts, secret: name, end: end))
            }
        }
        return found
    }

    package static let metric = (
        name: "paystream_certificate_end_seconds",
        help: "When a certificate ends that an account shows to its provider, in seconds since 1970."
    )

    /// Tells figures and log of one certificate.
    package func tell(_ known: Known, _ metrics: MetricRegistry, _ log: Logger, at now: Timestamp) {
        metrics.gauge(
            Self.metric.name,
            help: Self.metric.help,
            labels: [
                "account": known.account.name, "provider": known.account.provider, "secret": known.secret,
            ]
        ).set(known.end.seconds)
        let fields: KeyValuePairs<String, LogValue> = [
            "account": .text(known.account.name), "end": .text(known.end.wholeSeconds),
            "provider": .text(known.account.provider), "secret": .text(known.secret),
        ]
        switch Verdict(known.end, at: now) {
        case .good: break
        case .soon: log.warning("a certificate ends within thirty days", fields)
        case .urgent: log.error("a certificate ends within a week", fields)
        case .ended: log.error("a certificate has ended", fields)
        }
    }

    /// The finding for a person who asks for it.
    package static func finding(_ known: Known, at now: Timestamp) -> Finding {
        let what = "certificate \(known.secret) of \(known.account.name)"
        let end = known.end.wholeSeconds
        return switch Verdict(known.end, at: now) {
        case .good: Finding(.ok, what, "ends \(end)")
        case .soon, .urgent: Finding(.warn, what, "ends \(end): get a new one and configure the account with it")
        case .ended: Finding(.fail, what, "ended \(end): the provider takes no request")
        }
    }
}
