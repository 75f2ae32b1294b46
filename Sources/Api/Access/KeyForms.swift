import Http
import Kernel
import Payments

/// `POST /v1/keys`.
struct KeyForm {
    let name: String
    let role: Role?
    let scopes: [Scope]
    let networks: [SourceNetwork]?
    let expiresAt: Timestamp?
    let limit: RateLimit?

    static let nameBytes = 100
    static let networkBytes = 50
    static let mostNetworks = 50

    init(_ body: Json, at now: Timestamp) throws(Problem) {
        var form = try Form(body)
        name = try form.needed("name", bytes: Self.nameBytes)
        role = try form.word("role")
        let scopes = try Self.scopes(form.value("scopes"))
        networks = try Self.networks(form.value("networks"))
        expiresAt = try form.time("expiresAt")
        limit = try form.rateLimit("limit")
        try form.end()
        guard (role == nil) != (scopes == nil) else {
            throw Problem(.roleUnclear, "A key has a role, or scopes that are named.", path: "role")
        }
        self.scopes = role?.scopes ?? scopes ?? []
        if let expiresAt, expiresAt <= now {
            throw Problem(.numberOutOfRange, "A key expires in the future.", path: "expiresAt")
        }
    }

    private static func scopes(_ json: Json?) throws(Problem) -> [Scope]? {
        guard let json else { return nil }
        guard let items = json.items, !items.isEmpty else {
            throw Problem(.typeWrong, "A list of scopes is needed here.", path: "scopes")
        }
        guard items.count <= Scope.allCases.count else {
            throw Problem(.tooMany, "Each scope is named once.", path: "scopes")
        }
        var found: [Scope] = []
        for (index, item) in items.enumerated() {
            guard let scope = item.text.flatMap(Scope.init(rawValue:)) else {
                let known = Scope.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(.wordUnknown, "Known words are: \(known).", path: "scopes.\(index)")
            }
            if !found.contains(scope) { found.append(scope) }
        }
        return found
    }

    private static func networks(_ json: Json?) throws(Problem) -> [SourceNetwork]? {
        guard let json else { return nil }
        guard let items = json.items else { throw Problem(.typeWrong, "A list is needed here.", path: "networks") }
        guard items.count <= mostNetworks else {
            throw Problem(.tooMany, "At most \(mostNetworks) networks.", path: "networks")
        }
        var found: [SourceNetwork] = []
        for (index, item) in items.enumerated() {
            guard let network = item.text.flatMap(SourceNetwork.init(given:)) else {
                throw Problem(
                    .networkInvalid,
                    "A network is written as in 10.0.0.0/8 or 2001:db8::/32, an address as in 192.0.2.1.",
                    path: "networks.\(index)"
                )
            }
            if !found.contains(network) { found.append(network) }
        }
        return found
    }
}

/// `POST /v1/keys/{key}/rotate`.
struct RotationForm {
    let overlap: Duration

    static let longestOverlap = 30 * 86_400
    private static let usualOverlap: Int64 = 86_400

    init(_ body: Json) throws(Problem) {
        var form = try Form(body)
        let seconds = try form.integer("overlapSeconds", in: 0...Int64(Self.longestOverlap))
        overlap = .seconds(seconds ?? Self.usualOverlap)
        try form.end()
    }
}

extension Form {
    /// Reads `{"requests": 100, "seconds": 60}`.
    fileprivate mutating func rateLimit(_ name: String) throws(Problem) -> RateLimit? {
        guard let value = value(name) else { return nil }
        var form = try Form(value, at: path.appending(name))
        let requests = try form.integer("requests", in: 1...RateLimit.mostRequests)
        let seconds = try form.integer("seconds", in: 1...RateLimit.mostSeconds)
        try form.end()
        guard let requests else { throw form.missing("requests") }
        guard let seconds else { throw form.missing("seconds") }
        return RateLimit(requests: requests, seconds: seconds)
    }
}

extension SourceNetwork {
    /// Reads a network, or an address that stands for itself.
    package init?(given text: String) {
        if let network = SourceNetwork(text) {
            self = network
        } else if let address = SourceAddress(text) {
            self.init(address)
        } else {
            return nil
        }
    }
}

extension Caller {
    /// Refuses a key that may more than the key that asks for it: in what it does, from where, for how long, or how often.
    func checkGrant(
        _ scopes: Set<Scope>,
        _ networks: [SourceNetwork],
        _ expiresAt: Timestamp?,
        _ limit: RateLimit?
    ) throws(Problem) {
        for scope in Scope.allCases where scopes.contains(scope) && !self.scopes.contains(scope) {
            throw Problem(
                .grantExceeded,
                "The key that asks has no such scope itself.",
                path: "scopes",
                members: [("scope", .string(scope.rawValue))]
            )
        }
        if !self.networks.isEmpty {
            let isInside = networks.allSatisfy { network in self.networks.contains { network.isWithin($0) } }
            guard !networks.isEmpty, isInside else {
                throw Problem(.grantExceeded, "The key that asks may not be used from there itself.", path: "networks")
            }
        }
        if let end = self.expiresAt {
            guard let expiresAt, expiresAt <= end else {
                throw Problem(.grantExceeded, "The key that asks expires earlier itself.", path: "expiresAt")
            }
        }
        guard (limit ?? Api.standardRate).isWithin(self.limit ?? Api.standardRate) else {
            throw Problem(.grantExceeded, "The key that asks may not send as many requests itself.", path: "limit")
        }
    }
}
