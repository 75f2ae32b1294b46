package import Conformance
import Dolyame
package import Kernel
import ProviderKit

/// Holds vector files of this provider against the adapter's own code.
package struct DolyameSuite: ConformanceSuite {
    package init() {}

    package var kinds: [String] { Kind.allCases.map(\.rawValue) }

    enum Kind: String, CaseIterable {
        case authHeaders = "auth_headers"
        case clientInfo = "client_info"
        case commitRequests = "commit_requests"
        case correctionAndDelivery = "correction_and_delivery"
        case createRequests = "create_requests"
        case discountSpreading = "discount_spreading"
        case errors
        case itemSums = "item_sums"
        case orderIds = "order_ids"
        case orderInfoResponses = "order_info_responses"
        case refundRequests = "refund_requests"
        case sdkOutcomes = "sdk_outcomes"
        case sequences
        case sourceNetworks = "source_networks"
        case webhooks
    }

    package func form(of kind: String) -> CaseForm? { Kind(rawValue: kind)?.form }

    package func violations(kind: String, item: Json, file: Json) -> [String] {
        switch Kind(rawValue: kind) {
        case .authHeaders: HeaderCases.violations(item)
        case .clientInfo: ValueCases.clientInfo(item)
        case .commitRequests: RequestCases.commit(item)
        case .correctionAndDelivery: RequestCases.correctionOrDelivery(item)
        case .createRequests: RequestCases.create(item)
        case .discountSpreading: ValueCases.discount(item)
        case .errors: ErrorCases.violations(item)
        case .itemSums: ValueCases.itemSum(item)
        case .orderIds: ValueCases.orderId(item)
        case .orderInfoResponses: OrderInfoCases.violations(item)
        case .refundRequests: RequestCases.refund(item)
        case .sdkOutcomes: SdkCases.violations(item)
        case .sequences: SequenceCase(item).violations
        case .sourceNetworks: WebhookCases.sourceNetwork(item)
        case .webhooks: WebhookCases.webhook(item)
        case nil: ["unknown kind \(kind)"]
        }
    }
}

/// Compares what a case expects with what the adapter concluded.
enum Comparison {
    /// Each member that is expected must have been decided and be the same; `null` and absence are equal.
    static func violations(_ expected: Json?, _ actual: [String: Json], unheeded: Set<String> = []) -> [String] {
        guard let members = expected?.members else { return ["the case expects nothing"] }
        return members.members.compactMap { member in
            guard !unheeded.contains(member.name) else { return nil }
            guard let value = actual[member.name] else {
                return member.value.isNull ? nil : "\(member.name): nothing was decided"
            }
            if isSame(member.value, value) { return nil }
            return "\(member.name): expected \(member.value.canonicalText), got \(value.canonicalText)"
        }
    }

    /// Lists of texts compare as sets, amounts as decimals, everything else by structure.
    static func isSame(_ left: Json, _ right: Json) -> Bool {
        switch (left, right) {
        case (.array(let one), .array(let two)):
            guard one.count == two.count else { return false }
            if one.allSatisfy({ $0.text != nil }) {
                return Set(one.map(\.canonicalText)) == Set(two.map(\.canonicalText))
            }
            return zip(one, two).allSatisfy { isSame($0, $1) }
        case (.object(let one), .object(let two)):
            return one.count == two.count
                && one.members.allSatisfy { member in two[member.name].map { isSame(member.value, $0) } ?? false }
        case (.number(let one), .number(let two)): return isSame(decimal: one.text, two.text)
        case (.string(let one), .string(let two)): return one == two || isSame(decimal: one, two)
        default: return left.canonical == right.canonical
        }
    }

    private static func isSame(decimal left: String, _ right: String) -> Bool {
        guard let one = try? Rubles.kopecks(.string(left)), let two = try? Rubles.kopecks(.string(right)) else {
            return left == right
        }
        return one == two
    }

    static func set(_ rules: Set<Rule>) -> Json { .array(rules.sorted().map { .string($0.rawValue) }) }

    static func amount(_ kopecks: Int64?) -> Json { kopecks.map { .string(Rubles.text($0)) } ?? .null }
}
