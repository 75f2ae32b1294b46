package import Payments

/// The provider's error codes: why something was refused; status and HTTP code decide that it was.
package enum CodeTable {
    package static let version = 1

    /// The refusal that a code stands for.
    package static func decline(_ code: String?) -> Decline {
        Decline(reason: code.flatMap { reasons[$0] } ?? .unknown, code: code, tableVersion: version)
    }

    /// Codes that say "the same request is being worked on"; which of them comes depends on the provider's release.
    package static let inProgress: Set<String> = ["1409", "30001002"]

    private static let groups: [(DeclineClass, String)] = [
        (.insufficientFunds, "30511001"),
        (.fraud, "30591001 30431001 30411001 30071001"),
        (.instrumentInvalid, "30141001 30151001 30331001 30541001 21000020 21000120"),
        (.soft, "30041001 30171001"),
        (.stepUpRequired, "40001134 40001139"),
        (
            .providerDown,
            "30911001 30681001 30991001 30201001 40001135 40001137 40001138 40001146 50001081 9999"
        ),
        (.configuration, "30031001 30301001 50001087 9002"),
    ]

    private static let reasons: [String: DeclineClass] = {
        var reasons: [String: DeclineClass] = [:]
        for (reason, codes) in groups {
            for code in codes.split(separator: " ") { reasons[String(code)] = reason }
        }
        // The account's own fraud rules.
        for code in 30_001_100...30_001_180 { reasons[String(code)] = .fraud }
        return reasons
    }()
}
