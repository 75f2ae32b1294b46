import COpenSSL

/// Compares without telling by its duration where two byte strings differ; their lengths are not hidden.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe CRYPTO_memcmp(left, right, left.count) == 0
}
