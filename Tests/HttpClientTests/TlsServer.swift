import Foundation
import Glibc

/// An HTTPS server with certificates made for it, run by Python; it answers with what the handshake agreed on.
final class TlsServer {
    /// Where the certificates are: `ca.pem`, `client.pem`, `client.key`.
    let folder: URL
    let port: UInt16
    private let process: Process
    private let input = Pipe()

    /// Starts it with a certificate for `host`, asking for a client certificate where told.
    init(host: String = "IP:127.0.0.1", wantsClient: Bool = false) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for command in TlsServer.certificates(host) { try TlsServer.run(command, in: folder) }
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", TlsServer.program, wantsClient ? "client" : "any"]
        process.currentDirectoryURL = folder
        let output = Pipe()
        process.standardOutput = output
        // The server ends with its input: it does not outlive a test run that is killed.
        process.standardInput = input
        process.standardError = FileHandle.nullDevice
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let number = UInt16(line.trimmingCharacters(in: .whitespacesAndNewlines)) else {
            throw POSIXError(.EPIPE)
        }
        port = number
    }

    func stop() {
        // Not a polite signal: children of a pool's thread inherit its mask, which blocks those.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appendingPathComponent(name))) }

    private static func run(_ arguments: [String], in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
    }

    /// An authority, and a server's and a client's certificate signed by it.
    private static func certificates(_ host: String) -> [[String]] {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
        let signed = ["-CA", "ca.pem", "-CAkey", "ca.key"]
        return [
            ["req", "-x509", "-subj", "/CN=test authority", "-keyout", "ca.key", "-out", "ca.pem"] + key,
            ["req", "-x509", "-subj", "/CN=server", "-addext", "subjectAltName=\(host)", "-keyout", "server.key"]
                + ["-addext", "basicConstraints=critical,CA:FALSE", "-out", "server.pem"] + key + signed,
            ["req", "-x509", "-subj", "/CN=client", "-keyout", "client.key", "-out", "client.pem"]
                + ["-addext", "basicConstraints=critical,CA:FALSE"] + key + signed,
        ]
    }

    private static let program = """
        import http.server, os, ssl, sys, threading
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'
            def do_POST(self):
                self.rfile.read(int(self.headers['Content-Length']))
                names = dict(x[0] for x in self.connection.getpeercert()['subject']) if sys.argv[1] == 'client' else {}
                body = (str(self.connection.selected_alpn_protocol()) + ' ' + names.get('commonName', '-')).encode()
                self.send_response(200)
                self.send_header('Content-Length', str(len(body)))
                self.end_headers()
                self.wfile.write(body)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain('server.pem', 'server.key')
        context.set_alpn_protocols(['h2', 'http/1.1'])
        if sys.argv[1] == 'client':
            context.verify_mode = ssl.CERT_REQUIRED
            context.load_verify_locations('ca.pem')
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.serve_forever()
        """
}
