import Foundation
import Glibc

/// An HTTPS server with certificates made for it, run by Python; it answers with what the handshake agreed on.
final class TlsServer {
    /// Where the certificates are: `ca.pem`, `client.pem`, `client.key`.
    let folder: URL
    let port: UInt16
    private let process: Process

    /// What is wrong with a server that has the right authority's name in its certificate.
    enum Fault: String, CaseIterable {
        case expired, notYetValid, selfSigned, oldProtocol
    }
    private let input = Pipe()

    /// Starts it with a certificate for `host`, asking for a client certificate where told.
    init(host: String = "IP:127.0.0.1", wantsClient: Bool = false, fault: Fault? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(TlsServer.authority.utf8).write(to: folder.appendingPathComponent("ca.cnf"))
        try Data().write(to: folder.appendingPathComponent("index.txt"))
        for command in TlsServer.certificates(host, fault) { try TlsServer.run(command, in: folder) }
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", TlsServer.program, wantsClient ? "client" : "any", fault?.rawValue ?? ""]
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
    private static func certificates(_ host: String, _ fault: Fault?) -> [[String]] {
        let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        let signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-days", "2"]
        let leaf = ["-addext", "basicConstraints=critical,CA:FALSE"]
        let server =
            ["req", "-subj", "/CN=server", "-addext", "subjectAltName=\(host)", "-keyout", "server.key"] + key + leaf
        let span: (String, String)
        var commands = [
            ["req", "-x509", "-subj", "/CN=test authority", "-days", "2", "-keyout", "ca.key", "-out", "ca.pem"] + key,
            ["req", "-x509", "-subj", "/CN=client", "-keyout", "client.key", "-out", "client.pem"] + key + leaf
                + signed,
        ]
        switch fault {
        case .oldProtocol, nil: return commands + [server + ["-x509", "-out", "server.pem"] + signed]
        case .selfSigned: return commands + [server + ["-x509", "-out", "server.pem", "-days", "2"]]
        case .expired: span = ("20200101000000Z", "20200201000000Z")
        case .notYetValid: span = ("20900101000000Z", "20910101000000Z")
        }
        commands.append(server + ["-new", "-out", "server.csr"])
        commands.append([
            "ca", "-batch", "-notext", "-config", "ca.cnf", "-in", "server.csr", "-out", "server.pem",
            "-startdate", span.0, "-enddate", span.1,
        ])
        return commands
    }

    /// What `openssl ca` wants to know; it alone makes certificates for other times than now.
    private static let authority = """
        [ca]
        default_ca = here
        [here]
        dir = .
        database = index.txt
        new_certs_dir = .
        certificate = ca.pem
        private_key = ca.key
        default_md = sha256
        policy = any
        copy_extensions = copy
        unique_subject = no
        rand_serial = yes
        [any]
        commonName = supplied
        """

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
        if sys.argv[2] == 'oldProtocol':
            context.set_ciphers('ALL:@SECLEVEL=0')
            context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
        server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        server.daemon_threads = True
        print(server.server_address[1], flush=True)
        server.socket = context.wrap_socket(server.socket, server_side=True)
        server.serve_forever()
        """
}
