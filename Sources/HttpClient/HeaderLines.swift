import CCurl
import Glibc
import Http

/// The header lines of one request as libcurl reads them, in one piece of memory.
///
/// libcurl reads the list where it lies and keeps no copy of it, so it must stay until the transfer is over. It may hold
/// credentials: they are wiped before the memory is given back.
@safe struct HeaderLines {
    private let memory: UnsafeMutableRawBufferPointer

    /// Lays the lines out: the list's nodes first, the texts behind them.
    init(_ headers: HttpHeaders, userAgent: String) {
        var count = 0
        var bytes = 0
        Self.forEach(headers, userAgent) { name, mark, value in
            count += 1
            bytes += name.utf8.count + mark.utf8.count + value.utf8.count + 1
        }
        let nodeBytes = unsafe count * MemoryLayout<curl_slist>.stride
        unsafe memory = .allocate(byteCount: nodeBytes + bytes, alignment: MemoryLayout<curl_slist>.alignment)
        let nodes = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<nodeBytes]).bindMemory(to: curl_slist.self)
        let texts = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[nodeBytes...]).bindMemory(to: CChar.self)
        var line = 0
        var end = 0
        Self.forEach(headers, userAgent) { name, mark, value in
            let begin = end
            for byte in name.utf8 { unsafe Self.put(byte, texts, &end) }
            for byte in mark.utf8 { unsafe Self.put(byte, texts, &end) }
            for byte in value.utf8 { unsafe Self.put(byte, texts, &end) }
            unsafe Self.put(0, texts, &end)
            let text = unsafe texts.baseAddress.map { unsafe $0 + begin }
            line += 1
            let next = unsafe line < count ? nodes.baseAddress.map { unsafe $0 + line } : nil
            unsafe nodes.initializeElement(at: line - 1, to: curl_slist(data: text, next: next))
        }
    }

    /// The first node; there is always one.
    var list: UnsafeMutableRawPointer? { unsafe memory.baseAddress }

    func free() {
        if let start = unsafe memory.baseAddress { unsafe explicit_bzero(start, memory.count) }
        unsafe memory.deallocate()
    }

    private static func put(_ byte: UInt8, _ texts: UnsafeMutableBufferPointer<CChar>, _ end: inout Int) {
        unsafe texts[end] = CChar(bitPattern: byte)
        end += 1
    }

    /// Fields that libcurl adds where they are missing.
    private static let addedByCurl = ["Expect", "Accept", "Content-Type"]

    /// Fields that say where the request ends, which is the client's to say.
    private static let framing = ["Content-Length", "Transfer-Encoding", "Connection", "Expect"]

    private static func isOurs(_ name: String) -> Bool { framing.contains { HttpHeaders.isSame($0, name) } }

    /// Each line as its name, what stands behind it, and its value.
    private static func forEach(
        _ headers: HttpHeaders,
        _ userAgent: String,
        _ body: (_ name: String, _ mark: String, _ value: String) -> Void
    ) {
        if !userAgent.isEmpty, headers["User-Agent"] == nil { body("User-Agent", ": ", userAgent) }
        for field in headers.fields where !isOurs(field.name) {
            body(field.name, field.value.isEmpty ? ";" : ": ", field.value)
        }
        // A name without a value takes back a field that libcurl would add: the request is sent as it was given.
        for name in addedByCurl where isOurs(name) || headers[name] == nil { body(name, ":", "") }
    }
}
