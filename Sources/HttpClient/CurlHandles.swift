import CCurl
import CShims
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

    /// Waits for a socket, a timer of libcurl or `wake`, a second at most.
    func poll() { _ = unsafe curl_multi_poll(multi, nil, 0, 1000, nil) }

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

    /// Prepares a transfer; `nil` where libcurl refuses an option.
    init?(_ transfer: Transfer, _ configuration: HttpClientConfiguration, _ identity: ClientIdentity?) {
        guard let easy = unsafe curl_easy_init() else { return nil }
        unsafe pointer = unsafe easy
        guard isPrepared(transfer, configuration, identity) else {
            free(transfer)
            return nil
        }
    }

    static func == (left: EasyHandle, right: EasyHandle) -> Bool { unsafe left.pointer == right.pointer }
    func hash(into hasher: inout Hasher) { unsafe hasher.combine(pointer) }

    func free(_ transfer: Transfer) {
        unsafe curl_easy_cleanup(pointer)
        unsafe curl_slist_free_all(transfer.headerList)
        unsafe transfer.headerList = nil
    }

    private func set(_ option: CURLoption, _ value: Int) -> Bool {
        unsafe shim_easy_set_long(pointer, option, value) == CURLE_OK
    }

    private func set(_ option: CURLoption, _ text: String) -> Bool {
        unsafe text.withCString { unsafe shim_easy_set_text(pointer, option, $0) } == CURLE_OK
    }

    private func isPrepared(
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
            && set(CURLOPT_USERAGENT, configuration.userAgent) && set(CURLOPT_TCP_NODELAY, 1)
        guard plain, isCertified(configuration, identity), hasMethod(request), hasHeaders(transfer) else {
            return false
        }
        let raw = unsafe Unmanaged.passUnretained(transfer).toOpaque()
        for option in [CURLOPT_READDATA, CURLOPT_WRITEDATA, CURLOPT_HEADERDATA, CURLOPT_PREREQDATA] {
            guard unsafe shim_easy_set_pointer(pointer, option, raw) == CURLE_OK else { return false }
        }
        return unsafe shim_easy_set_read(pointer, readBody) == CURLE_OK
            && shim_easy_set_write(pointer, writeBody) == CURLE_OK
            && shim_easy_set_header(pointer, writeHeader) == CURLE_OK
            && shim_easy_set_prereq(pointer, askBeforeSending) == CURLE_OK
    }

    private func isCertified(_ configuration: HttpClientConfiguration, _ identity: ClientIdentity?) -> Bool {
        if let file = configuration.authoritiesFile, !set(CURLOPT_CAINFO, file) { return false }
        guard let identity else { return true }
        return set(CURLOPT_SSLCERT, identity.certificateFile) && set(CURLOPT_SSLKEY, identity.keyFile)
    }

    /// A mutating request gives its body by the read callback, which can't be rewound; an empty one takes a fresh
    /// connection, because there would be nothing to rewind.
    private func hasMethod(_ request: OutgoingRequest) -> Bool {
        switch request.method {
        case .get: set(CURLOPT_HTTPGET, 1)
        case .head: set(CURLOPT_NOBODY, 1)
        case .post, .put, .patch, .delete, .options:
            set(CURLOPT_POST, 1) && set(CURLOPT_CUSTOMREQUEST, request.method.rawValue)
                && set(CURLOPT_POSTFIELDSIZE, request.body.count)
                && (!request.body.isEmpty || (set(CURLOPT_FRESH_CONNECT, 1) && set(CURLOPT_FORBID_REUSE, 1)))
        }
    }

    private func hasHeaders(_ transfer: Transfer) -> Bool {
        var lines = transfer.request.headers.fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
        // Without this libcurl waits for an interim answer before it sends a long body.
        lines.append("Expect:")
        if transfer.request.headers["Content-Type"] == nil { lines.append("Content-Type:") }
        for line in lines {
            guard let longer = unsafe curl_slist_append(transfer.headerList, line) else { return false }
            unsafe transfer.headerList = unsafe longer
        }
        return unsafe shim_easy_set_pointer(pointer, CURLOPT_HTTPHEADER, transfer.headerList) == CURLE_OK
    }
}

extension Duration {
    fileprivate var milliseconds: Int {
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
    if let transfer = unsafe transfer(raw) {
        unsafe transfer.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count))
    }
    return size * count
}

private let askBeforeSending: curl_prereq_callback = { raw, _, _, _, _ in
    guard let transfer = unsafe transfer(raw) else { return CURL_PREREQFUNC_ABORT }
    guard transfer.hasStarted || transfer.aboutToSend() else {
        transfer.wasVetoed = true
        return CURL_PREREQFUNC_ABORT
    }
    transfer.hasStarted = true
    return CURL_PREREQFUNC_OK
}
