import COpenSSL
package import Kernel

/// Keyed message authentication codes (RFC 2104).
package enum Hmac {
    package static func sha1(key: Secret, _ message: [UInt8]) -> [UInt8] { mac(.sha1, key: key, message) }
    package static func sha256(key: Secret, _ message: [UInt8]) -> [UInt8] { mac(.sha256, key: key, message) }
    package static func sha384(key: Secret, _ message: [UInt8]) -> [UInt8] { mac(.sha384, key: key, message) }
    package static func sha512(key: Secret, _ message: [UInt8]) -> [UInt8] { mac(.sha512, key: key, message) }

    package static func mac(_ algorithm: HashAlgorithm, key: Secret, _ message: [UInt8]) -> [UInt8] {
        CodeContext(algorithm).code(of: message, key: key)
    }
}

/// A context that makes keyed codes with one hash function.
@safe
private struct CodeContext: ~Copyable {
    private let context: OpaquePointer
    private let algorithm: HashAlgorithm

    init(_ algorithm: HashAlgorithm) {
        let fetched = algorithm.fetched
        unsafe context = fetched.codes.take() ?? Self.made(fetched)
        self.algorithm = algorithm
    }

    /// A context that waits for its next use remembers no key of its last one.
    private static let noKey = [UInt8](repeating: 0, count: 32)

    deinit {
        let isWiped = unsafe EVP_MAC_init(context, Self.noKey, Self.noKey.count, nil) == 1
        precondition(isWiped, "a fetched hash takes a key")
        guard unsafe !algorithm.fetched.codes.keep(context) else { return }
        unsafe EVP_MAC_CTX_free(context)
    }

    func code(of message: [UInt8], key: Secret) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: algorithm.digestBytes)
        let isMade = key.withBytes { key in
            unsafe EVP_MAC_init(context, key, key.count, nil) == 1
                && EVP_MAC_update(context, message, message.count) == 1
                && EVP_MAC_final(context, &code, nil, code.count) == 1
        }
        precondition(isMade, "a fetched hash makes a code")
        return code
    }

    fileprivate static func made(_ fetched: FetchedHash) -> OpaquePointer {
        guard let context = unsafe EVP_MAC_CTX_new(algorithm.implementation) else {
            preconditionFailure("memory for a code")
        }
        // A parameter points to its name and to its value, which must both live until it is set.
        var name = Array(fetched.name.utf8CString)
        let code = unsafe OSSL_MAC_PARAM_DIGEST.withCString { parameter in
            unsafe name.withUnsafeMutableBufferPointer { name in
                let digest = unsafe OSSL_PARAM_construct_utf8_string(parameter, name.baseAddress, 0)
                return unsafe EVP_MAC_CTX_set_params(context, [digest, OSSL_PARAM_construct_end()])
            }
        }
        precondition(code == 1, "HMAC takes a hash")
        return unsafe context
    }

    private static let algorithm = FetchedHmac()
}

/// Makes codes under one key for as long as it lives (HMAC-SHA256): its contexts keep the key between two messages.
@safe
final class KeyedCode: Sendable {
    private let key: Secret
    private let idle = IdleContexts()

    init(_ key: SymmetricKey) { self.key = key.secret }

    deinit { while let context = unsafe idle.take() { unsafe EVP_MAC_CTX_free(context) } }

    /// Appends a message's code.
    func append(codeOf message: [UInt8], to out: inout [UInt8]) {
        let (begin, count) = (out.count, HashAlgorithm.sha256.digestBytes)
        out.append(contentsOf: repeatElement(0, count: count))
        let context = unsafe keyed()
        let isMade = unsafe out.withUnsafeMutableBufferPointer { out in
            unsafe EVP_MAC_update(context, message, message.count) == 1
                && EVP_MAC_final(context, out.baseAddress?.advanced(by: begin), nil, count) == 1
        }
        precondition(isMade, "a keyed context makes a code")
        if unsafe !idle.keep(context) { unsafe EVP_MAC_CTX_free(context) }
    }

    /// A context at the beginning of a message.
    private func keyed() -> OpaquePointer {
        if let context = unsafe idle.take() {
            precondition(unsafe EVP_MAC_init(context, nil, 0, nil) == 1, "a context keeps its key")
            return unsafe context
        }
        let context = unsafe CodeContext.made(HashAlgorithm.sha256.fetched)
        let isKeyed = key.withBytes { unsafe EVP_MAC_init(context, $0, $0.count, nil) == 1 }
        precondition(isKeyed, "a fetched hash takes a key")
        return unsafe context
    }
}

/// The algorithm, fetched once.
@safe
private struct FetchedHmac: @unchecked Sendable {
    // Never written after `init`; OpenSSL counts references to it atomically.
    let implementation: OpaquePointer

    init() {
        guard let found = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else {
            preconditionFailure("OpenSSL's default provider has HMAC")
        }
        unsafe implementation = found
    }
}
