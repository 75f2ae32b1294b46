import Api
import Http
import Kernel
import TestKit

/// Endpoints about keys and about what waits for a second person.
extension StatusTour {
    var isAboutAccess: Bool {
        ["createKey", "rotateKey", "revokeKey", "setPersons", "approveChange", "rejectChange", "getRequest"]
            .contains(route.id)
    }

    /// What the path names.
    func accessValues() async throws -> [String: String] {
        if route.id == "rotateKey" {
            // Another's key that counts as a person is not rotated.
            let body: Json = ["name": "plain", "role": "auditor"]
            let made = try await api.send(.post, "/v1/keys", body, key: "tour-key", token: "psk_operator")
            return ["key": try made.expect(200).json["id"]?.text ?? ""]
        }
        if route.id == "getRequest" { return ["request": try await api.get("/v1/payments").header("Request-Id") ?? ""] }
        guard route.id == "approveChange" || route.id == "rejectChange" else {
            return ["key": "\(MemoryAccess.known)"]
        }
        let operating = "psk_operator"
        try await api.send(.put, "/v1/merchant/persons", ["persons": 2], key: "tour-two", token: operating).expect(200)
        let wanted: Json = ["accounts": ["ecommpay-eur"]]
        let proposed = try await api.send(.put, "/v1/routing", wanted, key: "tour-change", token: operating)
        return ["change": try proposed.expect(202).json["id"]?.text ?? ""]
    }

    /// A body that is accepted.
    var accessBody: Json? {
        switch route.id {
        case "createKey": ["name": "tour", "role": "auditor"]
        case "rotateKey": ["overlapSeconds": 60]
        case "revokeKey": ["reason": "left"]
        case "setPersons": ["persons": 2]
        case "rejectChange": ["reason": "no"]
        case "getRequest": nil
        default: [:]
        }
    }
}
