package import Kernel

extension Json {
    /// Every hole in here that only the sender's memory fills.
    package var onceHoles: [Json] {
        switch self {
        case .null, .bool, .number, .string: []
        case .array(let items): items.flatMap(\.onceHoles)
        case .object(let object): OnceHole.isHole(self) ? [self] : object.members.flatMap(\.value.onceHoles)
        }
    }

    /// The same value with every sealed hole and every hole for memory opened; `path` names the place for failures.
    package func opened(with materials: Materials, path: String = "") throws(FinishFailure) -> Json {
        switch self {
        case .null, .bool, .number, .string: return self
        case .array(let items):
            var out: [Json] = []
            out.reserveCapacity(items.count)
            for (index, item) in items.enumerated() {
                out.append(try item.opened(with: materials, path: "\(path)\(index)."))
            }
            return .array(out)
        case .object(let object):
            if object.count <= 2, object[Sealed.mark] != nil || OnceHole.isHole(self) {
                guard let value = materials.open(self) else {
                    throw FinishFailure.erased(path: String(path.dropLast()))
                }
                return value
            }
            var out: [(String, Json)] = []
            out.reserveCapacity(object.count)
            for member in object.members {
                switch member.value {
                case .array, .object:
                    out.append((member.name, try member.value.opened(with: materials, path: "\(path)\(member.name).")))
                case .null, .bool, .number, .string: out.append((member.name, member.value))
                }
            }
            return .object(JsonObject(out))
        }
    }
}
