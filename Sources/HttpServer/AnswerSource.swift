import CMicrohttpd
import Glibc
import Http

/// Gives the library the bytes of a streamed answer, on the connection's socket thread.
final class AnswerSource {
    /// Bytes that the library asks for at once, at most.
    static let blockBytes = 32 * 1024
    /// So long a connection may wait for its writer: writers say something far more often.
    private static let patience = Duration.seconds(600)

    private let core: ServerCore
    private let exchange: Exchange
    private let pipe: AnswerPipe

    init(core: ServerCore, exchange: Exchange, pipe: AnswerPipe) {
        self.core = core
        self.exchange = exchange
        self.pipe = pipe
    }

    static let read: MHD_ContentReaderCallback = { context, _, buffer, most in
        guard let context = unsafe context, let buffer = unsafe buffer else { return endOfStream }
        let source = unsafe Unmanaged<AnswerSource>.fromOpaque(context).takeUnretainedValue()
        return unsafe source.next(UnsafeMutableRawBufferPointer(start: buffer, count: most))
    }

    static let release: MHD_ContentReaderFreeCallback = { context in
        if let context = unsafe context { unsafe Unmanaged<AnswerSource>.fromOpaque(context).release() }
    }

    /// What the library calls the end of a body of unknown length.
    private static let endOfStream = -1

    private func next(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        exchange.connection.loop.worked()
        guard let count = unsafe pipe.take(into: buffer) else { return Self.endOfStream }
        guard count > 0 else {
            core.awaitWriter(exchange, atMost: Self.patience)
            // The writer may have said something, or ended, in between.
            if pipe.isReady { exchange.unpark() }
            return 0
        }
        exchange.connection.enter(.answering, until: .now.advanced(by: core.configuration.transferTime))
        return count
    }
}

/// Gives the library the bytes of a file, on the connection's socket thread.
///
/// The library would send a file by itself, and tell nobody of it: its client would have one time for all of it, and the loop would take its runs
/// for vain ones.
final class FileSource {
    private let core: ServerCore
    private let exchange: Exchange
    private let file: ResponseFile

    init(core: ServerCore, exchange: Exchange, file: ResponseFile) {
        self.core = core
        self.exchange = exchange
        self.file = file
    }

    static let read: MHD_ContentReaderCallback = { context, position, buffer, most in
        guard let context = unsafe context, let buffer = unsafe buffer else { return broken }
        let source = unsafe Unmanaged<FileSource>.fromOpaque(context).takeUnretainedValue()
        return unsafe source.next(UnsafeMutableRawBufferPointer(start: buffer, count: most), from: position)
    }

    static let release: MHD_ContentReaderFreeCallback = { context in
        if let context = unsafe context { unsafe Unmanaged<FileSource>.fromOpaque(context).release() }
    }

    /// What the library calls a body that ends early: the connection is cut.
    private static let broken = -2

    private func next(_ buffer: UnsafeMutableRawBufferPointer, from position: UInt64) -> Int {
        exchange.connection.loop.worked()
        let count = unsafe pread(file.descriptor, buffer.baseAddress, buffer.count, off_t(position))
        guard count > 0 else { return Self.broken }
        exchange.connection.enter(.answering, until: .now.advanced(by: core.configuration.transferTime))
        return count
    }
}
