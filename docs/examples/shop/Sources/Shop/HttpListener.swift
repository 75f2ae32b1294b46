import Foundation

struct HttpRequest: Sendable {
    let method: String
    /// The parts of the path.
    let path: [String]
    let headers: [String: String]
    let body: Data
}

struct HttpAnswer: Sendable {
    var status: Int
    var headers: [String: String] = [:]
    var body = Data()

    static func json(_ status: Int, _ value: some Encodable) -> HttpAnswer {
        let body = (try? JSONEncoder().encode(value)) ?? Data("{}".utf8)
        return HttpAnswer(status: status, headers: ["Content-Type": "application/json"], body: body)
    }

    static func text(_ status: Int, _ text: String) -> HttpAnswer {
        HttpAnswer(status: status, headers: ["Content-Type": "text/plain"], body: Data(text.utf8))
    }
}

/// As much of HTTP/1.1 as an example needs: one request a connection, bounded in size and time.
///
/// Use a real server in a shop.
enum HttpListener {
    typealias Handler = @Sendable (HttpRequest) async -> HttpAnswer

    struct Failure: Error { let call: String }

    private static let mostBytes = 1 << 20
    private static let mostConnections = 64

    /// Listens on the loopback address and gives the port.
    static func start(port: UInt16, _ handler: @escaping Handler) throws -> UInt16 {
        signal(SIGPIPE, SIG_IGN)
        let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard server >= 0 else { throw Failure(call: "socket") }
        var yes: Int32 = 1
        setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let bound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(server, pointer, length) == 0 && listen(server, 64) == 0
                    && getsockname(server, pointer, &length) == 0
            }
        }
        guard bound else { throw Failure(call: "bind") }
        Thread.detachNewThread { takeAll(on: server, handler) }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func takeAll(on server: Int32, _ handler: @escaping Handler) {
        let places = DispatchSemaphore(value: mostConnections)
        while true {
            places.wait()
            let connection = accept(server, nil, nil)
            guard connection >= 0 else {
                places.signal()
                continue
            }
            Thread.detachNewThread {
                var patience = timeval(tv_sec: 10, tv_usec: 0)
                for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
                    setsockopt(connection, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
                }
                let request = read(from: connection)
                Task {
                    let answer = if let request { await handler(request) } else { HttpAnswer.text(400, "no request") }
                    write(answer, to: connection)
                    close(connection)
                    places.signal()
                }
            }
        }
    }

    /// Reads a head and as much of a body as it announces.
    private static func read(from connection: Int32) -> HttpRequest? {
        var bytes = Data()
        var chunk = [UInt8](repeating: 0, count: 16_384)
        let end = Data("\r\n\r\n".utf8)
        while bytes.count <= mostBytes {
            if let head = bytes.range(of: end), let request = request(bytes, head) { return request }
            let count = recv(connection, &chunk, chunk.count, 0)
            guard count > 0 else { return nil }
            bytes += chunk[..<count]
        }
        return nil
    }

    /// Nothing where the body is not all there.
    private static func request(_ bytes: Data, _ head: Range<Data.Index>) -> HttpRequest? {
        let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let body = bytes[head.upperBound...]
        guard let length = Int(headers["content-length"] ?? "0"), length >= 0, body.count >= length else { return nil }
        let path = words[1].split(separator: "?")[0].split(separator: "/").map(String.init)
        return HttpRequest(method: String(words[0]), path: path, headers: headers, body: Data(body.prefix(length)))
    }

    private static func write(_ answer: HttpAnswer, to connection: Int32) {
        var head = "HTTP/1.1 \(answer.status) \(answer.status < 400 ? "Done" : "Not done")\r\nConnection: close\r\n"
        for (name, value) in answer.headers { head += "\(name): \(value)\r\n" }
        if answer.status != 204 { head += "Content-Length: \(answer.body.count)\r\n" }
        var rest = Array(Data((head + "\r\n").utf8) + answer.body)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, 0) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
