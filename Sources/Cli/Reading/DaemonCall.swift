import Crypto
import Daemon
import Http
import HttpClient
import Kernel
import SystemKit

/// Calls of the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, as commands make them.
enum DaemonCall {
    /// The daemon and the key that are named in the environment, or in the file that `paystream dev` left.
    ///
    /// The file's key goes to the file's daemon alone.
    static func addressAndKey(
        given: [String: String] = ChildProcess.environment,
        left: [String: String] = DevFile.read()
    ) throws(UsageError) -> (address: String, key: Secret) {
        let isElsewhere = DevFile.isElsewhere(given, left)
        guard let address = given[DevFile.url] ?? left[DevFile.url],
            let key = given[DevFile.key] ?? (isElsewhere ? nil : left[DevFile.key])
        else {
            throw UsageError(
                "\(DevFile.url) and \(DevFile.key) name the daemon and an API key; 'paystream dev' sets both"
            )
        }
        return (DevFile.plain(address), Secret(key))
    }

    /// Sends a request and prints the answer for people, or as JSON; anything but 2xx ends the command.
    static func print(_ method: HttpMethod, _ path: String, _ body: Json?, _ given: ScatteredArguments) async throws
        -> Int32
    {
        let key = given["key"] ?? "cli-\(SystemRandom().uuid(at: WallClock.now()))"
        let answer = try await withClient { client in
            try await client.call(method, path, body, key: method == .post ? key : nil)
        }
        show(answer, given)
        return 0
    }

    /// Prints an answer for people, or as JSON where that is asked for.
    static func show(_ answer: Json, _ given: ScatteredArguments) {
        StandardStream.output.write(given.has("json") ? answer.canonicalText + "\n" : Sheet.text(answer))
    }

    /// Gives `body` a client and stops it behind it.
    static func withClient<Value: Sendable>(_ body: (ApiClient) async throws -> Value) async throws -> Value {
        let (address, token) = try addressAndKey()
        let client = ApiClient(address: address, key: token)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(client)) } catch { outcome = .failure(error) }
        await client.stop()
        switch outcome {
        case .success(let value): return value
        case .failure(let failure as ApiClient.Failure): throw CommandFailure(failure.description)
        case .failure(let failure): throw failure
        }
    }

    /// The JSON of a file; '-' stands for standard input.
    static func file(_ path: String) throws(UsageError) -> Json {
        guard let bytes = SmallFile.read(path == "-" ? "/dev/stdin" : path) else {
            throw UsageError("the file '\(path)' can't be read")
        }
        guard let body = try? Json(bytes, limits: .api) else { throw UsageError("'\(path)' is no JSON") }
        return body
    }
}

extension ApiClient {
    /// Tells of an account of the key's merchant that has another mode than `test`; `nil` where there is none.
    func liveAccount() async throws -> String? {
        let accounts: Json
        do throws(Failure) { accounts = try await call(.get, "/v1/accounts") } catch {
            throw CommandFailure(error.description)
        }
        guard let live = accounts["items"]?.items?.first(where: { $0["mode"]?.text != "test" }) else { return nil }
        return "the key's merchant has an account in mode \(live["mode"]?.text ?? "?"): '\(live["name"]?.text ?? "")'"
    }
}

extension ScatteredArguments {
    /// Says what was done: a sentence for people, or a line of JSON where that is asked for.
    func tell(_ sentence: String, _ json: Json) {
        StandardStream.output.write((has("json") ? json.canonicalText : sentence) + "\n")
    }
}
