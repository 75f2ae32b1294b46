import Glibc
import SystemKit

/// A receiver of webhooks that misbehaves below HTTP: a program in another language.
struct RawReceiver: Sendable {
    enum Habit: String, Sendable {
        /// TLS with a certificate that nobody vouches for.
        case unvouched
        /// 200 and a body without an end, as fast as it is taken.
        case endless
        /// 200 and a body that comes byte by byte.
        case slowBody = "slow-body"
        /// A head that comes byte by byte.
        case slowHead = "slow-head"
    }

    let address: String
    private let child: ChildProcess

    init(_ habit: Habit, in stage: Stage) async throws {
        let file = "\(stage.folder)/receiver-\(habit.rawValue)"
        child = try ChildProcess.start(
            "/usr/bin/python3",
            ["-c", Self.script, habit.rawValue, file],
            environment: ["PATH": "/usr/bin:/bin"],
            outputFile: file + ".log"
        )
        let port = try await stage.found("a receiver listens") {
            FileTree.text(file + ".log")?.split(separator: "\n").first { $0.hasPrefix("port ") }?.dropFirst(5)
        }
        address = "\(habit == .unvouched ? "https" : "http")://127.0.0.1:\(port)/hooks"
    }

    func stop() async {
        kill(child.id, SIGKILL)
        let child = child
        _ = await OwnThread.run { child.wait() }
    }

    private static let script = """
        import socket, ssl, subprocess, sys, threading, time
        habit, file = sys.argv[1:]
        server = socket.create_server(("127.0.0.1", 0))
        context = None
        if habit == "unvouched":
            words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
            words += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file + ".key", "-out", file + ".crt"]
            subprocess.run(words, check=True, stderr=subprocess.DEVNULL)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(file + ".crt", file + ".key")
        print("port", server.getsockname()[1], flush=True)
        head = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/plain\\r\\nContent-Length: 1000000000\\r\\n\\r\\n"
        def serve(connection):
            try:
                if context: connection = context.wrap_socket(connection, server_side=True)
                connection.recv(65536)
                if habit == "slow-head":
                    for byte in head:
                        connection.sendall(bytes([byte]))
                        time.sleep(2)
                connection.sendall(head)
                while True:
                    connection.sendall(b"a" * (1 if habit == "slow-body" else 65536))
                    if habit == "slow-body": time.sleep(0.5)
            except OSError:
                pass
            finally:
                connection.close()
        while True:
            threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
        """
}
