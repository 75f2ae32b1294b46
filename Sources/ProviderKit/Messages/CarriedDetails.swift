package import Kernel
package import Payments

/// The use that a command's `details` are for.
package enum DetailsUse: Hashable, Sendable {
    case payment(PaymentMode, PaymentMethod)
    /// The charges of a schedule, and the pages on which its customer confirms one.
    case schedule
    case operation(OperationKind)
    case auxiliary(AuxiliaryKind)
}

/// The members of `details` that one use takes to the provider or to the payer's device.
///
/// A member that the schema knows and this use has no place for is refused by its name: nothing that was accepted is dropped.
package struct CarriedDetails: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// A path stands for all that is below it; `*` for any one step.
    private let paths: Set<JsonPath>

    package init(_ paths: some Sequence<String>) { self.paths = Set(paths.map { JsonPath($0) }) }
    package init(arrayLiteral elements: String...) { self.init(elements) }

    package static let everything = CarriedDetails([""])

    package static func + (carried: CarriedDetails, more: CarriedDetails) -> CarriedDetails {
        CarriedDetails(carried.paths.union(more.paths))
    }

    private init(_ paths: Set<JsonPath>) { self.paths = paths }

    /// The first member that would be dropped; a `null` asks for nothing.
    package func dropped(of details: Json) -> JsonPath? {
        var way: [String] = []
        return isDropped(details, &way) ? JsonPath(steps: way) : nil
    }

    /// Whether a value or something in it would be dropped; `way` leads to it then.
    private func isDropped(_ value: Json, _ way: inout [String]) -> Bool {
        if value.isNull || paths.contains(where: { $0.steps.count == way.count && $0.begins(with: way) }) {
            return false
        }
        let isOnTheWay = paths.contains { $0.steps.count > way.count && $0.begins(with: way) }
        switch value {
        case .object(let object) where isOnTheWay || way.isEmpty:
            for member in object.members {
                way.append(member.name)
                if isDropped(member.value, &way) { return true }
                way.removeLast()
            }
            return false
        case .array(let items) where isOnTheWay:
            for (index, item) in items.enumerated() {
                way.append(String(index))
                if isDropped(item, &way) { return true }
                way.removeLast()
            }
            return false
        case .null, .bool, .number, .string, .array, .object: return !isOnTheWay
        }
    }
}

extension JsonPath {
    /// Whether this path, read as a pattern, leads through a place or to it.
    fileprivate func begins(with way: [String]) -> Bool {
        zip(steps, way).allSatisfy { $0 == "*" || $0 == $1 }
    }
}

extension Adapter {
    /// Refuses details that the provider would never hear of.
    package func refuseDropped(_ details: Json, for use: DetailsUse, _ settings: AccountSettings) throws(PlanFailure) {
        guard let place = carried(details, for: use, settings).dropped(of: details) else { return }
        throw PlanFailure(
            code: "value_not_allowed",
            path: "details.\(place)",
            detail: "\(declaration.id) is told nothing of it by \(use.words): leave it out"
        )
    }
}

extension DetailsUse {
    fileprivate var words: String {
        switch self {
        case .payment(let mode, let method): "\(mode.rawValue) and the method \(method.rawValue)"
        case .schedule: "the charges of a schedule"
        case .operation(let kind): kind.rawValue
        case .auxiliary(let kind): kind.rawValue
        }
    }
}
