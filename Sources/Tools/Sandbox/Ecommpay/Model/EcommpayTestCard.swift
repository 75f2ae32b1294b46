import Kernel

/// The cards a payer can choose from; only masked numbers exist here.
package enum EcommpayTestCard: String, Hashable, Sendable, CaseIterable {
    case visaApproved = "visa-approved"
    case visaDeclined = "visa-declined"
    case visaChallenge = "visa-challenge"
    case mastercardChallengeDeclined = "mastercard-challenge-declined"
    case visaSeriesWrongData = "visa-series-wrong-data"
    case visaSeriesNoFunds = "visa-series-no-funds"

    package var masked: String {
        switch self {
        case .visaApproved: "400000******0077"
        case .visaDeclined: "411111******1111"
        case .visaChallenge: "431422******0056"
        case .mastercardChallengeDeclined: "554433******0045"
        case .visaSeriesWrongData: "400000******0119"
        case .visaSeriesNoFunds: "400000******0135"
        }
    }

    package var brand: String {
        switch self {
        case .visaApproved, .visaDeclined, .visaChallenge, .visaSeriesWrongData, .visaSeriesNoFunds: "visa"
        case .mastercardChallengeDeclined: "mastercard"
        }
    }

    /// The card's purpose, as the page tells the payer.
    package var purpose: String {
        switch self {
        case .visaApproved: "approved at once"
        case .visaDeclined: "declined"
        case .visaChallenge: "3-D Secure, then approved"
        case .mastercardChallengeDeclined: "3-D Secure, then declined"
        case .visaSeriesWrongData: "approved; later debits of its series fail with 10102"
        case .visaSeriesNoFunds: "approved; later debits of its series fail with 10105"
        }
    }

    /// The course of a payment whose payer just pays with this card.
    var plan: EcommpayPlan {
        switch self {
        case .visaApproved, .visaSeriesWrongData, .visaSeriesNoFunds: EcommpayPlan([.approve])
        case .visaDeclined: EcommpayPlan([.decline], code: .generalDecline)
        case .visaChallenge: EcommpayPlan([.threeDS])
        case .mastercardChallengeDeclined: EcommpayPlan([.threeDS])
        }
    }

    /// Whether the issuer declines after a passed challenge.
    var declinesAfterChallenge: Bool { self == .mastercardChallengeDeclined }

    /// `account.id`: one number per card.
    var accountId: Int64 {
        switch self {
        case .visaApproved: 7_279_477
        case .visaDeclined: 7_279_411
        case .visaChallenge: 7_279_487
        case .mastercardChallengeDeclined: 7_279_445
        case .visaSeriesWrongData: 7_279_419
        case .visaSeriesNoFunds: 7_279_435
        }
    }

    /// The token of the card in a project: 64 characters, always the same.
    package func token(project: Int64) -> String {
        var seed: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(project)/\(rawValue)".utf8 { seed = (seed ^ UInt64(byte)) &* 0x100_0000_01B3 }
        var random = SplitMix64(seed: seed)
        return (0..<4).map { _ in Uuid(high: 0, low: random.next()).compact.suffix(16) }.joined()
    }

    /// The card that a token of this project stands for.
    static func withToken(_ token: String, project: Int64) -> EcommpayTestCard? {
        allCases.first { $0.token(project: project) == token }
    }
}
