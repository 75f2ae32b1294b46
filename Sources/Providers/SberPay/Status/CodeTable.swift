import Payments

/// `actionCode`: why a try ended as it did, as versioned data; `orderStatus` decides the outcome, never the code.
package enum CodeTable {
    static let version = 1

    /// The steps that may follow a code, in the words of our reference.
    package enum Class: String, Hashable, Sendable, CaseIterable {
        case ok
        /// Not final.
        case pend
        /// The order's life ended.
        case exp
        /// This order is dead; a new one may work.
        case order
        /// A later try may work.
        case soft
        /// The outcome is unknown.
        case unk
        /// Only with the payer present.
        case tds
        case hard
        case fraud
        /// Terminal, amount, rule or permission.
        case cfg
        /// The merchant gave the order up.
        case merchant
    }

    package struct Entry: Hashable, Sendable {
        package let kind: Class
        /// `nil` where the code is no decline.
        let reason: DeclineClass?
    }

    package static func entry(_ code: Int64) -> Entry? { entries[code] }

    /// The decline that a code stands for, as the order it came with was refused; `kind` is the account's own reading.
    static func decline(_ code: Int64?, _ kind: Class?) -> Decline {
        let known = code.flatMap { entries[$0] }
        let reason = kind.map { $0 == known?.kind ? known?.reason ?? .unknown : self.reason(of: $0) } ?? .unknown
        return Decline(reason: reason, code: code.map(String.init), tableVersion: version)
    }

    private static func reason(of kind: Class) -> DeclineClass {
        switch kind {
        case .ok, .pend, .unk: .unknown
        case .exp, .order, .soft: .soft
        case .tds: .stepUpRequired
        case .hard, .merchant: .hard
        case .fraud: .fraud
        case .cfg: .configuration
        }
    }

    private static let groups: [(Class, DeclineClass?, [Int64])] = [
        (.ok, nil, [0, 400]),
        (.pend, nil, [-9000, -100, 1001, 2008]),
        (.exp, .soft, [-2007]),
        (.order, .soft, [-2013, 2022]),
        (.soft, .insufficientFunds, [116]),
        (.soft, .soft, [-20010, 121, 123, 903, -999]),
        (.soft, .providerDown, [-2018, 15, 103, 907, 909, 910, 2023, 151018]),
        (.unk, .unknown, [433, 434, 435, 151019]),
        (
            .tds, .stepUpRequired,
            [-2020, -2019, -2017, -2016, -2015, -2012, -2011, -2010, -2006, -2005]
        ),
        (.tds, .instrumentInvalid, [71015]),
        (.hard, .instrumentInvalid, [53, 101, 111, 125, 208]),
        (.hard, .hard, [1, 5, 81, 100, 104, 106, 107, 118, 119, 120, 209, 902, 904, 913]),
        (.fraud, .fraud, [-2101, -2003, -2001, -2000, 999]),
        (
            .cfg, .configuration,
            [-2002, 109, 110, 914, 2002, 2003, 2004, 2005, 2006, 2009, 2014, 2015, 2016, 341014]
        ),
        (.merchant, .hard, [4005]),
    ]

    private static let entries: [Int64: Entry] = {
        var entries: [Int64: Entry] = [:]
        for (kind, reason, codes) in groups {
            for code in codes {
                assert(entries[code] == nil, "a code stands in one group")
                entries[code] = Entry(kind: kind, reason: reason)
            }
        }
        return entries
    }()
}
