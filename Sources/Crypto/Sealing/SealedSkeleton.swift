package import Kernel

/// Declares that the values at a path are personal and must be sealed at ingest.
package struct PersonalPath: Hashable, Sendable {
    package let path: JsonPath
    /// Bound into the envelope; who opens the value names it again, wherever the envelope was copied to.
    package let purpose: String
    package let equality: SubjectKey.Equality

    package init(_ path: JsonPath, purpose: String, equality: SubjectKey.Equality = .none) {
        self.path = path
        self.purpose = purpose
        self.equality = equality
    }
}

/// A document whose personal values stand sealed in place, so that it can be stored and decided upon.
package struct SealedSkeleton: Hashable, Sendable {
    package let json: Json
    /// How many values were sealed.
    package let sealedValues: Int

    /// Seals each declared value under the subject's key, with a fresh nonce each.
    ///
    /// A `null` is left as it is. A document from outside that carries the mark of a sealed value is refused.
    package init(
        _ document: Json,
        personal paths: [PersonalPath],
        key: SubjectKey,
        merchant: Int32,
        subject: Uuid,
        random: some RandomSource
    ) throws(SkeletonFailure) {
        if document.hasSealedMark, let place = document.placeOfSealedMark(.root) { throw .reservedName(place) }
        var count = 0
        var out = document
        for personal in paths {
            let context = SealContext(merchant: merchant, subject: subject, purpose: personal.purpose)
            out = out.replacing(personal.path) { value, _ in
                guard !value.isNull, Sealed(value) == nil else { return value }
                count += 1
                return key.seal(value, context, nonce: Nonce(from: random), equality: personal.equality).json
            }
        }
        json = out
        sealedValues = count
    }
}

/// Why a document could not be sealed.
package enum SkeletonFailure: Error, Hashable, Sendable {
    /// A member there is called `$sealed` or `$blind`.
    case reservedName(JsonPath)
}

extension Json {
    /// Whether a member has a name that only sealing may use.
    package var hasSealedMark: Bool {
        switch self {
        case .null, .bool, .number, .string: return false
        case .array(let items): return items.contains(where: \.hasSealedMark)
        case .object(let object):
            return object.members.contains {
                $0.name == Sealed.mark || $0.name == Sealed.blindMark || $0.value.hasSealedMark
            }
        }
    }

    /// The place of the first member with a name that only sealing may use.
    fileprivate func placeOfSealedMark(_ place: JsonPath) -> JsonPath? {
        switch self {
        case .null, .bool, .number, .string: return nil
        case .array(let items):
            for (index, item) in items.enumerated() {
                if let found = item.placeOfSealedMark(place.appending(String(index))) { return found }
            }
            return nil
        case .object(let object):
            for member in object.members {
                let here = place.appending(member.name)
                if member.name == Sealed.mark || member.name == Sealed.blindMark { return here }
                if let found = member.value.placeOfSealedMark(here) { return found }
            }
            return nil
        }
    }
}
