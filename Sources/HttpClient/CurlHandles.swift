import CCurl
import CShims
import Glibc
import Http
import Kernel

/// A libcurl multi handle: `wake` may be called from anywhere, everything else by its thread alone.
@safe final class MultiHandle: @unchecked Sendable {
    private let multi: UnsafeMutableRawPointer

    init(connectionsPerHost: Int) {
        // Once per process, and harmless to repeat.
        _ = curl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard let multi = unsafe curl_multi_init() else { preconditionFailure("libcurl gives a multi handle") }
        unsafe self.multi = unsafe multi
        _ = unsafe shim_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
        _ = unsafe shim_multi_set_long(multi, CURLMOPT_PIPELINING, 0)
    }

    func wake() { _ = unsafe curl_multi_wakeup(multi) }
    func add(_ easy: EasyHandle) { _ = unsafe curl_multi_add_handle(multi, easy.pointer) }
    func remove(_ easy: EasyHandle) { _ = unsafe curl_multi_remove_handle(multi, easy.pointer) }
    func free() { _ = unsafe curl_multi_cleanup(multi) }

    func perform() {
        var running: Int32 = 0
        _ = unsafe curl_multi_perform(multi, &running)
    }

    /// Waits for a socket, a timer of libcurl or `wake`, at most so many milliseconds.
    func poll(_ milliseconds: Int32) { _ = unsafe curl_multi_poll(multi, nil, 0, milliseconds, nil) }

    func nextFinished() -> (EasyHandle, CURLcode)? {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE, let easy = unsafe message.pointee.easy_handle else {
                continue
            }
            return (unsafe EasyHandle(pointer: easy), unsafe shim_message_result(message))
        }
        return nil
    }
}

/// A libcurl easy handle; the loop frees it once.
@safe struct EasyHandle: Hashable {
    let pointer: UnsafeMutableRawPointer

    init(pointer: UnsafeMutableRawPointer) { unsafe self.pointer = unsafe pointer }

    /// A handle without any option.
    init?() {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe pointer = unsafe easy
    }

    static func == (left: EasyHandle, right: EasyHandle) -> Bool { unsafe left.pointer == right.pointer }
    func hash(into hasher: inout Hasher) { unsafe hasher.combine(pointer) }

    func free() { unsafe curl_easy_cleanup(pointer) }

    /// Forgets all options of a transfer, its certificates with them; what stays is libcurl's own memory.
    func reset(_ transfer: Transfer) {
        unsafe curl_easy_reset(pointer)
        transfer.headerLines?.free()
        transfer.headerLines = nil
    }

    /// Bytes of head and body that were given to the connection.
    func sentBytes(_ transfer: Transfer) -> Int {
        var head = 0
        var body: curl_off_t = 0
        guard unsafe shim_easy_get_long(pointer, CURLINFO_REQUEST_SIZE, &head) == CURLE_OK,
            unsafe shim_easy_get_offset(pointer, CURLINFO_SIZE_UPLOAD_T, &body) == CURLE_OK
        else { return 1 }
        return max(head + Int(body), transfer.bodyOffset)
    }

    private func set(_ option: CURLoption, _ value: Int) -> Bool {
        unsafe shim_easy_set_long(pointer, option, value) == CURLE_OK
    }

    private func set(_ option: CURLoption, _ text: String) -> Bool {
        unsafe text.withCString { unsafe shim_easy_set_text(pointer, option, $0) } == CURLE_OK
    }

    private func set(_ option: CURLoption, _ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes {
            unsafe shim_easy_set_blob(pointer, option, $0.baseAddress, $0.count)
        } == CURLE_OK
    }

    /// Sets the options of a transfer; false where libcurl refuses one.
    func isPrepared(
        _ transfer: Transfer,
        _ configuration: HttpClientConfiguration,
        _ identity: ClientIdentity?
    ) -> Bool {
        let request = transfer.request
        let plain =
            set(CURLOPT_URL, request.url) && set(CURLOPT_NOSIGNAL, 1) && set(CURLOPT_FOLLOWLOCATION, 0)
            && set(CURLOPT_TIMEOUT_MS, max(1, request.deadline.milliseconds))
            && set(CURLOPT_CONNECTTIMEOUT_MS, max(1, configuration.connectTimeout.milliseconds))
            && set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)) && set(CURLOPT_PROXY, "")
            && set(CURLOPT_PROTOCOLS_STR, "http,https") && set(CURLOPT_SSL_VERIFYPEER, 1)
            && set(CURLOPT_SSL_VERIFYHOST, 2) && set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            && set(CURLOPT_TCP_NODELAY, 1) && set(CURLOPT_PATH_AS_IS, 1) && set(CURLOPT_QUICK_EXIT, 1)
            && set(CURLOPT_MAXAGE_CONN, max(1, configuration.maximumRest.milliseconds / 1000))
        guard plain, isCertified(configuration, identity, request.authorities), hasMethod(request),
            hasHeaders(transfer, configuration.userAgent)
        else {
            return false
        }
        transfer.addresses = configuration.addresses
        let raw = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        for option in [
            CURLOPT_READDATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_PREREQDATA, CURLOPT_OPENSOCKETDATA,
        ] {
            guard unsafe shim_easy_set_pointer(pointer, option, raw) == CURLE_OK else { return false }
        }
        return unsafe shim_easy_set_read(pointer, readBody) == CURLE_OK
            && shim_easy_set_write(pointer, writeBody) == CURLE_OK
            && shim_easy_set_header(pointer, writeHeader) == CURLE_OK
            && shim_easy_set_prereq(pointer, askBeforeSending) == CURLE_OK
            && (configuration.addresses == nil
                || shim_easy_set_open_socket(pointer, openSocket) == CURLE_OK)
    }

    private func isCertified(
        _ configuration: HttpClientConfiguration,
        _ identity: ClientIdentity?,
        _ authorities: [UInt8]?
    ) -> Bool {
        if let file = configuration.authoritiesFile, !set(CURLOPT_CAINFO, file) { return false }
        if let authorities, !set(CURLOPT_CAINFO_BLOB, authorities) { return false }
        switch identity {
        case nil: return true
        case .files(let certificate, let key): return set(CURLOPT_SSLCERT, certificate) && set(CURLOPT_SSLKEY, key)
        case .pem(let certificate, let key):
            return set(CURLOPT_SSLCERT_BLOB, certificate) && key.withBytes { set(CURLOPT_SSLKEY_BLOB, $0) }
        }
    }

    /// A mutating request gives its body by the read callback, which can't be rewound; an empty one takes a fresh
    /// connection, because there would be nothing to rewind.
    private func hasMethod(_ request: OutgoingRequest) -> Bool {
        switch request.method {
        case .get: set(CURLOPT_HTTPGET, 1)
        case .head: set(CURLOPT_NOBODY, 1)
        case .post, .put, .patch, .delete, .options:
            set(CURLOPT_POST, 1)
                && (request.method == .post || set(CURLOPT_CUSTOMREQUEST, request.method.rawValue))
                && set(CURLOPT_POSTFIELDSIZE, request.body.count)
                && (!request.body.isEmpty || (set(CURLOPT_FRESH_CONNECT, 1) && set(CURLOPT_FORBID_REUSE, 1)))
        }
    }

    private func hasHeaders(_ transfer: Transfer, _ userAgent: String) -> Bool {
        let lines = HeaderLines(transfer.request.headers, userAgent: userAgent)
        transfer.headerLines = lines
        return unsafe shim_easy_set_pointer(pointer, CURLOPT_HTTPHEADER, lines.list) == CURLE_OK
    }
}

extension Duration {
    var milliseconds: Int {
        Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
    }
}

// MARK: What libcurl calls on its thread

private func transfer(_ raw: UnsafeMutableRawPointer?) -> Transfer? {
    guard let raw = unsafe raw else { return nil }
    return unsafe Unmanaged<Transfer>.fromOpaque(raw).takeUnretainedValue()
}

private let readBody: curl_read_callback = { buffer, size, count, raw in
    guard let transfer = unsafe transfer(raw), let buffer = unsafe buffer else { return 0 }
    return unsafe transfer.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

private let writeBody: curl_write_callback = { bytes, size, count, raw in
    guard let transfer = unsafe transfer(raw) else { return 0 }
    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer.receive(part) ? size * count : 0
}

private let writeHeader: curl_write_callback = { bytes, size, count, raw in
    guard let transfer = unsafe transfer(raw) else { return 0 }
    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
    return unsafe transfer.receiveHeader(line) ? size * count : 0
}

private let askBeforeSending: curl_prereq_callback = { raw, _, _, _, _ in
    guard let transfer = unsafe transfer(raw) else { return CURL_PREREQFUNC_ABORT }
    return transfer.maySend() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// Opens a socket for an address that libcurl is about to connect to, or none where it is refused: what a name server said
/// before, or says to somebody else, does not count.
private let openSocket: curl_opensocket_callback = { raw, _, address in
    guard let transfer = unsafe transfer(raw), let address = unsafe address,
        transfer.mayConnect(to: unsafe numeric(address))
    else { return CURL_SOCKET_BAD }
    let kind = unsafe address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return unsafe socket(address.pointee.family, kind, address.pointee.protocol)
}

private func numeric(_ address: UnsafeMutablePointer<curl_sockaddr>) -> SourceAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let start = unsafe UnsafeRawPointer(address) + offset
    let bytes: [UInt8]
    switch unsafe address.pointee.family {
    case AF_INET:
        let four = unsafe start.loadUnaligned(as: sockaddr_in.self).sin_addr
        bytes = unsafe withUnsafeBytes(of: four) { unsafe Array($0) }
    case AF_INET6:
        let sixteen = unsafe start.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        bytes = unsafe withUnsafeBytes(of: sixteen) { unsafe Array($0) }
    default: return nil
    }
    return SourceAddress(bytes: bytes)
}
