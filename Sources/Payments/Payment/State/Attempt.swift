package import Kernel

/// One try of a payment at one provider account.
package struct Attempt: Hashable, Sendable {
    package let number: Int
    /// Our reference of the payment at the provider.
    package let reference: String
    /// When the provider's link dies.
    package let deadline: Timestamp
    package var endings: Set<AttemptEnding> = []
    /// Whether a person or the absence of the payment closed it: the provider said nothing of the kind.
    package var closedByUs = false
    /// Whether it was told as refused or expired: so ended before its success was known.
    package private(set) var wasToldAsEnded = false
    /// The furthest word for the payment that came without a usable operation.
    package var reading: AttemptReading?
    /// When the provider first said that it does not know the reference.
    package var notRegisteredAt: Timestamp?

    package var isOpen: Bool { endings.isEmpty }

    /// The ending that counts where several were seen: refusal, then cancellation, then expiry.
    package var strongestEnding: AttemptEnding? { endings.max { $0.rank < $1.rank } }

    /// Whether the payment was told as failed, so that a success is a late one.
    var wasGivenUp: Bool { closedByUs || wasToldAsEnded }

    /// Takes an ending in; a refusal that comes behind the success is stale news of an earlier try.
    mutating func end(_ ending: AttemptEnding, isPaid: Bool) {
        endings.insert(ending)
        switch ending {
        case .declined, .expired: if !isPaid { wasToldAsEnded = true }
        case .cancelled: break  // A provider says so of a hold that was given back, too.
        }
    }
}

extension AttemptEnding {
    fileprivate var rank: (Int, String, String, Int) {
        switch self {
        case .declined(let decline): (2, decline.code ?? "", decline.reason.rawValue, decline.tableVersion)
        case .cancelled: (1, "", "", 0)
        case .expired: (0, "", "", 0)
        }
    }
}

extension AttemptReading {
    /// Joins two readings whose order nobody knows: the one that is further along counts.
    func joined(_ other: AttemptReading?) -> AttemptReading {
        guard let other else { return self }
        return rank < other.rank ? other : self
    }

    private var rank: (Int, Int, String) {
        switch self {
        case .ambiguous: (0, 0, "")
        case .processing: (1, 0, "")
        case .waiting(.retryInForm(let left, let seconds)):
            // Fewer tries left is later.
            (2, -(min(left ?? .max, .max - 1)), String(seconds ?? 0))
        case .waiting(let action): (2, .min, String(decoding: action.canonical, as: UTF8.self))
        case .moneyWithoutOperation(let word): (3, 0, word)
        }
    }
}
