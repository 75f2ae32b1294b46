import Http
import Kernel
import Payments
import ProviderKit

extension Problem {
    /// A refusal by an adapter, before anything is sealed or stored.
    init(_ failure: PlanFailure) {
        self.init(
            status: 422,
            code: failure.code,
            detail: failure.detail,
            members: failure.path.map { [("path", .string($0))] } ?? []
        )
        remedy = Remedy.corrected
    }

    /// The same refusal as a decision's, before anything is stored.
    init(_ rejection: Rejection) {
        self.init(
            status: 422,
            code: rejection.code,
            detail: rejection.detail,
            members: rejection.path.map { [("path", .string($0))] } ?? []
        )
    }

    /// A member that fits its form and would change nothing beside the others.
    static func notAllowed(_ path: String, _ detail: String) -> Problem {
        Problem(PlanFailure(code: "value_not_allowed", path: path, detail: detail))
    }

    /// The same problem about a payment of an account in this mode.
    func with(_ mode: AccountFacts.Mode?) -> Problem {
        var copy = self
        copy.headers.set("Paystream-Mode", mode?.rawValue)
        return copy
    }

    /// The same refusal of a capture, with the figures that it comes from.
    func with(_ plan: CapturePlan?) -> Problem {
        guard let plan, status == 422 else { return self }
        var copy = self
        copy.members["capturePlan"] = plan.json
        return copy
    }

    /// A code of ours under another status: the same word for a member at fault and for a path.
    init(status: Int, code: ProblemCode, _ detail: String, path: String? = nil) {
        let members = path.map { [("path", Json.string($0))] } ?? []
        self.init(status: status, code: code.rawValue, detail: detail, members: members)
    }
}
