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
    package func dropped(of details: Json, at place: JsonPath = .root) -> JsonPath? {
        if details.isNull || paths.contains(where: { $0.covers(place) }) { return nil }
        let isOnTheWay = paths.contains { path in
            path.steps.count > place.steps.count
                && JsonPath(steps: Array(path.steps.prefix(place.steps.count))).covers(place)
        }
        switch details {
        case .object(let object) where isOnTheWay || place == .root:
            for member in object.members {
                if let found = dropped(of: member.value, at: place.appending(member.name)) { return found }
            }
            return nil
        case .array(let items) where isOnTheWay:
            for (index, item) in items.enumerated() {
                if let found = dropped(of: item, at: place.appending(String(index))) { return found }
            }
            return nil
        case .null, .bool, .number, .string, .array, .object: return isOnTheWay ? nil : place
        }
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
