package import EventSourcing
package import Http
import Kernel
import Payments
package import Schedules

/// Dunning policies of a merchant: kept by name and version, named by schedules.
extension Api {
    /// Names that a merchant has at most.
    static let mostDunningPolicies = 100
    /// Holds for schedules that name none, where the merchant keeps one of this name.
    static let usualDunning = "default"

    func listDunning(_ call: Call) async throws(Problem) -> HttpResponse {
        let kept = try await policies(of: call.merchant)
        return Self.page(([.standard] + kept).map(\.shown), next: nil)
    }

    func keepDunning(_ call: Call) async throws(Problem) -> HttpResponse {
        let name = call.path["policy"] ?? ""
        let form = try DunningForm(call.body)
        guard DunningPolicy.isName(name) else {
            throw Problem(
                .dunningName,
                "A name is 1 to \(DunningPolicy.nameBytes) of a-z, 0-9, '-', '_' and '.', and begins with a letter."
            )
        }
        guard name != DunningPolicy.standard.name else {
            throw Problem(.dunningReserved, "The standard policy is the same for all.")
        }
        let kept = try await policies(of: call.merchant)
        guard kept.count < Self.mostDunningPolicies || kept.contains(where: { $0.name == name }) else {
            throw Problem(.tooMany, "At most \(Self.mostDunningPolicies) policies.")
        }
        let policy = form.policy(named: name, version: 1)
        let holds = try await keep(policy, by: call.actor.id, of: call.merchant)
        if holds.version > kept.first(where: { $0.name == name })?.version ?? 0 {
            let act = MerchantCommand.noteDunning(name: name, version: holds.version)
            try await note(act, as: "dunning \(name) \(holds.version)", call)
        }
        return .json(200, holds.shown)
    }

    private func policies(of merchant: MerchantNumber) async throws(Problem) -> [DunningPolicy] {
        try await asked { () async throws(StoreFailure) in try await reader.tables.policies(of: merchant) }
    }

    /// Keeps a policy as the next version of its name, unless the newest one says the same; answers the one that holds.
    package func keep(_ policy: DunningPolicy, by actor: String, of merchant: MerchantNumber) async throws(Problem)
        -> DunningPolicy
    {
        for _ in 0..<Self.mostRaces {
            let known = try await policies(of: merchant).first { $0.name == policy.name }
            if let known, policy.numbered(known.version) == known { return known }
            let next = policy.numbered((known?.version ?? 0) + 1)
            let isKept = try await asked { () async throws(StoreFailure) in
                try await reader.tables.keep(next, by: actor, of: merchant)
            }
            if isKept { return next }
        }
        throw .unavailable("others keep policies of this name all the time")
    }

    /// Others may take the next version's number so often.
    private static let mostRaces = 5

    /// A schedule's policy, with the newest version of the dunning policy that it names.
    func policy(_ form: PolicyForm, _ call: Call) async throws(Problem) -> FiringPolicy {
        let name = form.dunning ?? Self.usualDunning
        if name == DunningPolicy.standard.name { return form.policy(.standard) }
        let found = try await policies(of: call.merchant).first { $0.name == name }
        guard found != nil || form.dunning == nil else {
            throw Problem(.dunningUnknown, "There is no such dunning policy.", path: "policy.dunning")
        }
        return form.policy(found ?? .standard)
    }
}

extension DunningPolicy {
    /// Whether a policy may be kept by this name; one that begins with a digit could be taken for a number.
    static func isName(_ text: String) -> Bool {
        (1...nameBytes).contains(text.utf8.count)
            && text.utf8.first.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) } ?? false
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }

    var shown: Json {
        var members = json.members ?? JsonObject([])
        members["object"] = "dunning_policy"
        return .object(members)
    }
}
