import CMicrohttpd
import CShims
import Glibc
import Http

/// The functions libmicrohttpd calls, on its socket threads.
enum WireCallbacks {
    // MARK: Connections

    /// Refuses a connection before anything is spent on it.
    static let admit: MHD_AcceptPolicyCallback = { context, address, _ in
        guard let loop = unsafe ServerLoop.from(context) else { return .NO }
        return loop.core.admits(unsafe ListenSocket.text(of: address)) ? .YES : .NO
    }

    static let connection: MHD_NotifyConnectionCallback = { context, wire, slot, event in
        guard let loop = unsafe ServerLoop.from(context), let wire = unsafe wire, let slot = unsafe slot else { return }
        switch event {
        case .CONNECTION_NOTIFY_STARTED:
            let info = ConnectionInfo(remoteAddress: unsafe ListenSocket.text(of: shim_server_peer(wire)))
            let deadline = MonotonicInstant.now.advanced(by: loop.core.configuration.transferTime)
            let connection = unsafe ServerConnection(
                socket: shim_server_socket(wire),
                info: info,
                loop: loop,
                deadline: deadline
            )
            unsafe slot.pointee = unsafe Unmanaged.passRetained(connection).toOpaque()
            loop.core.opened(connection)
        default:
            guard let held = unsafe slot.pointee else { return }
            unsafe slot.pointee = nil
            loop.closed()
            loop.core.closed(unsafe Unmanaged<ServerConnection>.fromOpaque(held).takeRetainedValue())
        }
    }

    // MARK: Requests

    /// The request line is in: the exchange begins with the raw target.
    static let target: shim_target_callback = { context, target, wire in
        guard let loop = unsafe ServerLoop.from(context), let target = unsafe target, let wire = unsafe wire,
            let held = unsafe shim_server_connection_context(wire)
        else { return nil }
        let connection = unsafe Unmanaged<ServerConnection>.fromOpaque(held).takeUnretainedValue()
        connection.enter(.receiving, until: .now.advanced(by: loop.core.configuration.transferTime))
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: target, count: strlen(target)))
        // Nobody asks the library for parameters, and it has no answer where their entries outgrow the connection's memory.
        let written = unsafe UnsafeMutablePointer(mutating: target)
        for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "&") {
            unsafe written[place] = CChar(bitPattern: UInt8(ascii: "x"))
        }
        // Behind the target stand a space, the version and the line's end.
        let begin = UInt(bitPattern: target) + UInt(bytes.count + " HTTP/1.1\r\n".utf8.count)
        let exchange = unsafe Exchange(
            target: bytes,
            headersBegin: begin,
            connection: connection,
            loop: loop,
            wire: wire
        )
        return unsafe Unmanaged.passRetained(exchange).toOpaque()
    }

    /// The answer is out or the connection is gone: the exchange ends.
    static let completed: MHD_RequestCompletedCallback = { context, _, slot, _ in
        guard let loop = unsafe ServerLoop.from(context), let slot = unsafe slot, let held = unsafe slot.pointee else {
            return
        }
        unsafe slot.pointee = nil
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(held).takeRetainedValue()
        exchange.pipe?.end(BodyFailure(.cut))
        exchange.answer?.pipe.abandon()
        exchange.answer?.stop()
        let patience = loop.core.configuration.idleTimeout + loop.core.configuration.transferTime
        exchange.connection.enter(.idle, until: .now.advanced(by: patience))
    }

    /// Called with the head, then with pieces of the body, then at its end, then again when an answer is there.
    static let handle: MHD_AccessHandlerCallback = { context, wire, _, method, version, data, size, slot in
        guard let loop = unsafe ServerLoop.from(context), let wire = unsafe wire, let method = unsafe method,
            let size = unsafe size, let held = unsafe slot?.pointee
        else { return .NO }
        loop.worked()
        let exchange = unsafe Unmanaged<Exchange>.fromOpaque(held).takeUnretainedValue()
        let step = unsafe WireStep(core: loop.core, exchange: exchange, wire: wire)
        switch exchange.stage {
        case .head:
            return step.head(
                method: unsafe String(cString: method),
                version: unsafe version.map { unsafe String(cString: $0) } ?? ""
            )
        case .body where unsafe size.pointee > 0:
            let piece = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
            unsafe size.pointee = 0
            return unsafe step.body(piece)
        case .body:
            return step.end()
        case .streaming where unsafe size.pointee > 0:
            let piece = unsafe UnsafeRawBufferPointer(start: data, count: size.pointee)
            let (result, left) = unsafe step.stream(piece)
            unsafe size.pointee = left
            return result
        case .streaming:
            return step.streamEnd()
        case .suspended:
            guard let answer = exchange.takeAnswer() else { return .YES }
            return step.answer(answer)
        case .answered:
            return .YES
        }
    }
}

extension ServerLoop {
    /// The loop behind a callback's context: it outlives its daemon.
    static func from(_ context: UnsafeMutableRawPointer?) -> ServerLoop? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<ServerLoop>.fromOpaque(context).takeUnretainedValue()
    }
}
