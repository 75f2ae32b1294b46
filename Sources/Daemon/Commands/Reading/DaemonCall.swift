import Crypto
import Http
import HttpClient
import Kernel

/// One call of the daemon that PAYSTREAM_URL and PAYSTREAM_KEY name, as commands make it.
enum DaemonCall {
    /// Sends a request, prints the answer, and stops the client; anything but 2xx ends the command.
    static func print(_ method: HttpMethod, _ path: String, _ body: Json?, _ given: ScatteredArguments) async throws
        -> Int32
    {
        let (address, token) = try AccountsCommand.daemon()
        let client = ApiClient(address: address, key: token)
        let key = given["key"] ?? "cli-\(SystemRandom().uuid(at: WallClock.now()))"
        do throws(ApiClient.Failure) {
            let answer = try await client.call(method, path, body, key: method == .post ? key : nil)
            await client.stop()
            StandardStream.output.write(answer.canonicalText + "\n")
            return 0
        } catch {
            await client.stop()
            throw CommandFailure(error.description)
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
