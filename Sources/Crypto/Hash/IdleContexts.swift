import Kernel

/// Contexts of OpenSSL that rest until they are lent again: making one costs more than hashing a short text.
@safe
struct IdleContexts: Sendable {
    /// Belongs to one caller between `take` and `keep`.
    @safe private struct Context: @unchecked Sendable { let pointer: OpaquePointer }

    /// So many rest at most.
    private static let limit = 64

    private let contexts = Locked<[Context]>([])

    func take() -> OpaquePointer? {
        let context = contexts.withLock { $0.popLast() }
        return unsafe context?.pointer
    }

    /// Takes a context back; `false` where enough of them rest and the caller must free it.
    func keep(_ pointer: OpaquePointer) -> Bool {
        let context = unsafe Context(pointer: pointer)
        return contexts.withLock { contexts in
            guard contexts.count < Self.limit else { return false }
            contexts.append(context)
            return true
        }
    }
}
