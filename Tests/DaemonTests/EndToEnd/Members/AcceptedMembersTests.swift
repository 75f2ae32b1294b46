import Http
import Kernel
import Testing

/// No accepted member is dropped in silence.
///
/// The members are asked of the daemon itself: a refusal of an unknown one names those that are known there. Each is then
/// posted by each way of paying, and must be found in what the provider or the payer's device is told, or be refused by
/// its name.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct AcceptedMembersTests {
    @Test(arguments: MemberShop.allCases)
    func `each member of a payment's details is told to the provider or refused by its name`(shop: MemberShop)
        async throws
    {
        try await Stage.run("e2emembers\(shop.rawValue)") { stage, daemon in
            let provider = try stage.toldProvider()
            let ways = try await shop.open(stage, daemon, provider)
            var carried: Set<String> = []
            var known: Set<String> = []
            for way in ways {
                let trial = MemberTrial(stage: stage, daemon: daemon, provider: provider, shop: shop, way: way)
                let found = try await trial.run()
                for member in found.dropped { Issue.record("\(shop) \(way.name) drops details.\(member)") }
                for member in found.unsampled { Issue.record("details.\(member) of \(shop) has no sample") }
                carried.formUnion(found.carried)
                known.formUnion(found.known)
            }
            for member in known.subtracting(carried).subtracting(shop.carriedNowhere).sorted() {
                Issue.record("\(shop) carries details.\(member) by no way")
            }
            #expect(!carried.isEmpty)
        }
    }
}

/// One way of paying, and what a payment of it needs at least.
struct MemberWay: Sendable {
    /// Where the outcome of a member can be seen.
    enum Window: Sendable {
        case message, parameters, page
    }

    let name: String
    let body: Json
    let windows: [Window]
    var resource = "payments"
}

/// Posts the members of one way, one by one.
struct MemberTrial: Sendable {
    struct Found {
        var known: [String] = []
        var carried: [String] = []
        var dropped: [String] = []
        var unsampled: [String] = []
    }

    let stage: Stage
    let daemon: DaemonProcess
    let provider: ToldProvider
    let shop: MemberShop
    let way: MemberWay
    private let baselines = Locked<[String: Seen?]>([:])
    private let counter = Locked(0)

    init(stage: Stage, daemon: DaemonProcess, provider: ToldProvider, shop: MemberShop, way: MemberWay) {
        self.stage = stage
        self.daemon = daemon
        self.provider = provider
        self.shop = shop
        self.way = way
    }

    func run() async throws -> Found {
        var found = Found()
        try await walk([], &found)
        return found
    }

    /// Goes through the members of an object that the schema knows.
    private func walk(_ place: [String], _ found: inout Found) async throws {
        for name in try await known(at: place) {
            let path = place + [name]
            let text = path.joined(separator: ".")
            if shop.samples[text] != nil {
                try await judge(path, &found)
            } else if shop.samples.keys.contains(where: { $0.hasPrefix(text + ".0.") }) {
                try await walk(path + ["0"], &found)
            } else if shop.samples.keys.contains(where: { $0.hasPrefix(text + ".") }) {
                try await walk(path, &found)
            } else {
                found.unsampled.append(text)
            }
        }
    }

    /// The names that a refusal of an unknown member tells.
    private func known(at place: [String]) async throws -> [String] {
        let stranger = place + ["stranger"]
        guard case .refused(let problem) = try await post(base.setting(stranger, "?"), about: stranger) else {
            throw Stage.Failure(description: "\(way.name) takes details.\(stranger.joined(separator: "."))")
        }
        guard let names = problem["detail"]?.text?.split(separator: ":", maxSplits: 1).last,
            let list = names.split(separator: "known here are ").last, names.contains("known here are ")
        else { throw Stage.Failure(description: "\(way.name) \(place): \(problem.canonicalText)") }
        // What to do follows in a sentence of its own.
        return list.prefix { $0 != "." }.split(separator: ", ").map(String.init)
    }

    private func judge(_ path: [String], _ found: inout Found) async throws {
        let text = path.joined(separator: ".")
        guard let sample = shop.samples[text] else { return }
        found.known.append(text)
        var details = shop.beside[text].map { base.merged(with: $0) } ?? base
        for name in shop.together[text] ?? [] {
            details = details.setting(name.split(separator: ".").map(String.init), shop.samples[name] ?? .null)
        }
        let without = shop.opposites[text].map { details.setting(path, $0) } ?? details.removing(path)
        switch try await post(details.setting(path, sample), about: path) {
        case .refused(let problem):
            let named = problem["path"]?.text ?? ""
            // The member, the object that it is of, or one that it needs beside it.
            let places = ([text] + (shop.together[text] ?? [])).map { "details." + $0.prefix { $0 != "." } }
            guard places.contains(where: { named.hasPrefix($0) }) else {
                throw Stage.Failure(description: "\(way.name) \(text): \(problem.canonicalText)")
            }
        case .taken(let seen, let used):
            if let text = sample.text, seen.text.contains(text) {
                found.carried.append(path.joined(separator: "."))
                return
            }
            // What else was needed beside it stands in both.
            var before = without
            for (name, value) in used where name != path { before = before.setting(name, value) }
            if let plain = try await baseline(before), plain.facts == seen.facts {
                found.dropped.append(text)
            } else {
                found.carried.append(text)
            }
        }
    }

    private var base: Json { way.body["details"] ?? [:] }

    private enum Outcome {
        case refused(Json)
        case taken(Seen, used: [([String], Json)])
    }

    /// Posts a payment; members that are missing beside the one in question are added from the samples.
    private func post(_ wanted: Json, about path: [String]) async throws -> Outcome {
        var details = wanted
        var used: [([String], Json)] = []
        for _ in 0..<16 {
            let answer = try await create(details)
            guard answer.status == 422 else {
                guard answer.status < 300, let id = answer.body["id"]?.text else {
                    throw Stage.Failure(description: "\(way.name) \(path): \(answer.body.canonicalText)")
                }
                return .taken(try await look(id), used: used)
            }
            guard let place = answer.body["path"]?.text, place.hasPrefix("details."),
                let sample = shop.samples[String(place.dropFirst(8))]
            else { return .refused(answer.body) }
            let missing = place.split(separator: ".").dropFirst().map(String.init)
            guard details.value(at: missing) == nil else { return .refused(answer.body) }
            used.append((missing, sample))
            details = details.setting(missing, sample)
        }
        throw Stage.Failure(description: "\(way.name) \(path) never has enough")
    }

    private func create(_ details: Json) async throws -> (status: Int, body: Json) {
        let number = counter.withLock { count in
            count += 1
            return count
        }
        let response = try await stage.exchange(
            daemon,
            .post,
            "/v1/\(way.resource)",
            way.body.setting(["details"], details),
            key: "\(way.name)-\(number)"
        )
        return (response.status, (try? Json(response.body)) ?? .null)
    }

    /// What is seen without a member; `nil` where nothing is taken without it.
    private func baseline(_ details: Json) async throws -> Seen? {
        let key = details.canonicalText
        if let known = baselines.withLock({ $0[key] }) { return known }
        let answer = try await create(details)
        var seen: Seen?
        if answer.status < 300, let id = answer.body["id"]?.text { seen = try await look(id) }
        baselines.withLock { $0[key] = seen }
        return seen
    }

    /// What the provider and the payer's device are told of a payment.
    private func look(_ id: String) async throws -> Seen {
        var seen = Seen()
        let reference = try await stage.providerName(daemon, id, at: way.resource)
        for window in way.windows {
            switch window {
            case .message:
                let message = try await stage.until("\(way.name) sends \(reference)") {
                    provider.messages(naming: reference).first.map { .done($0) } ?? .notYet("silence")
                }
                seen.take(message.body, of: reference)
                seen.take(Array("device=\(message.device)".utf8), of: reference)
            case .parameters:
                let given = try await stage.until("\(way.name) has parameters for \(id)") {
                    let path = "/v1/\(way.resource)/\(id)/app-parameters"
                    let answer = try await stage.exchange(daemon, .post, path, [:])
                    return answer.status == 200 ? .done(answer.body) : .notYet("\(answer.status)")
                }
                seen.take(given, of: reference)
            case .page:
                let action = try await stage.call(daemon, .get, "/v1/\(way.resource)/\(id)/next-action")
                let query = action["url"]?.text?.split(separator: "?", maxSplits: 1).last ?? ""
                seen.take(Array(query.utf8), of: reference)
            }
        }
        return seen
    }
}

/// Everything that was told of one payment, without what differs between any two.
struct Seen: Equatable, Sendable {
    private(set) var facts: Set<String> = []
    private(set) var text = ""

    /// Members that change by themselves.
    private static let volatile: Set<String> = [
        "dt", "signature", "expTime", "expirationDate", "best_before", "sessionTimeout", "expiresAt", "payment",
        "checksum", "deepLink", "formUrl", "bankInvoiceId", "orderId",
    ]

    mutating func take(_ bytes: [UInt8], of reference: String) {
        let body: Json
        if let json = try? Json(bytes) {
            body = json
        } else {
            let pairs = FormEncoding.decode(String(decoding: bytes, as: UTF8.self)) ?? []
            body = .object(JsonObject(pairs.map { ($0.name, .string($0.value)) }))
        }
        text += body.canonicalText
        add(body, "", reference)
    }

    private mutating func add(_ json: Json, _ place: String, _ reference: String) {
        switch json {
        case .object(let object):
            for member in object.members where !Self.volatile.contains(member.name) {
                add(member.value, "\(place)/\(member.name)", reference)
            }
        case .array(let items):
            for (index, item) in items.enumerated() { add(item, "\(place)/\(index)", reference) }
        case .string(let text):
            facts.insert("\(place)=\(text.split(separator: reference, omittingEmptySubsequences: false))")
        case .null, .bool, .number: facts.insert("\(place)=\(json.canonicalText)")
        }
    }
}

extension Json {
    func merged(with other: Json) -> Json {
        var object = members ?? JsonObject([])
        for member in other.members?.members ?? [] { object[member.name] = member.value }
        return .object(object)
    }

    /// Lists are tried by their first item.
    private static func place(_ step: String) -> Int? { step == "0" ? 0 : nil }

    /// The same without what stands at a place.
    func removing(_ path: [String]) -> Json {
        guard let step = path.first, value(at: [step]) != nil else { return self }
        let rest = Array(path.dropFirst())
        if let index = Self.place(step) {
            var items = items ?? []
            items[index] = items[index].removing(rest)
            return .array(items)
        }
        var object = members ?? JsonObject([])
        object[step] = rest.isEmpty ? nil : object[step]?.removing(rest)
        return .object(object)
    }

    func value(at path: [String]) -> Json? {
        path.reduce(Json?.some(self)) { value, step in
            Self.place(step).map { index in value?.items.flatMap { $0.indices.contains(index) ? $0[index] : nil } }
                ?? value?[step]
        }
    }

    /// The same with a value at a place; objects, and lists where a step is a number, are made on the way.
    func setting(_ path: [String], _ value: Json) -> Json {
        guard let step = path.first else { return value }
        let rest = Array(path.dropFirst())
        if let index = Self.place(step) {
            var items = items ?? []
            while items.count <= index { items.append([:]) }
            items[index] = items[index].setting(rest, value)
            return .array(items)
        }
        var object = members ?? JsonObject([])
        object[step] = (object[step] ?? [:]).setting(rest, value)
        return .object(object)
    }
}
