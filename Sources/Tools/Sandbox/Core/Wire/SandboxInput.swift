package import Kernel

/// Everything that can come into a simulator, as the journal keeps it.
package enum SandboxInput: Hashable, Sendable {
    case request(SandboxRequest)
    case deliveryEnded(DeliveryAttempt, DeliveryReply)
    case timeReached
    /// The process began again after an end.
    case resumed

    /// One line of the journal, without the line break.
    package func line(at time: Timestamp) -> [UInt8] {
        var members: [(String, Json?)] = [("t", .integer(time.microseconds))]
        switch self {
        case .request(let request):
            members += [
                ("k", "request"), ("m", .string(request.method)), ("p", .string(request.path)),
                ("q", request.query.isEmpty ? nil : .string(request.query)),
                ("b", request.body.isEmpty ? nil : .string(Base64.encode(request.body))),
                ("w", request.wantsPage ? true : nil), ("h", Self.headers(request.headers)),
            ]
        case .deliveryEnded(let attempt, let reply):
            members += [
                ("k", "ended"), ("d", .integer(attempt.delivery)), ("n", .integer(Int64(attempt.number))),
            ]
            switch reply {
            case .status(let status): members.append(("s", .integer(Int64(status))))
            case .noAnswer: break
            }
        case .timeReached: members.append(("k", "time"))
        case .resumed: members.append(("k", "resumed"))
        }
        return Json.compact(members).compactBytes
    }

    /// Reads a line back; `nil` for anything that `line(at:)` does not write.
    package init?(line: [UInt8], time: inout Timestamp) {
        guard let json = try? Json(line), let micros = json["t"]?.integer else { return nil }
        time = Timestamp(microseconds: micros)
        switch json["k"]?.text {
        case "request":
            guard let method = json["m"]?.text, let path = json["p"]?.text,
                let body = json["b"]?.text.map({ Base64.decode($0) }) ?? []
            else { return nil }
            self = .request(
                SandboxRequest(
                    method: method,
                    path: path,
                    query: json["q"]?.text ?? "",
                    body: body,
                    wantsPage: json["w"]?.flag ?? false,
                    headers: Self.headers(json["h"])
                )
            )
        case "ended":
            guard let delivery = json["d"]?.integer, let number = json["n"]?.integer else { return nil }
            let reply = json["s"]?.integer.map { DeliveryReply.status(Int($0)) } ?? .noAnswer
            self = .deliveryEnded(DeliveryAttempt(delivery: delivery, number: Int(number)), reply)
        case "time": self = .timeReached
        case "resumed": self = .resumed
        default: return nil
        }
    }

    private static func headers(_ headers: [String: String]) -> Json? {
        guard !headers.isEmpty else { return nil }
        return .object(JsonObject(headers.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }

    private static func headers(_ json: Json?) -> [String: String] {
        let members = json?.members?.members ?? []
        return Dictionary(members.map { ($0.name, $0.value.text ?? "") }) { first, _ in first }
    }
}
