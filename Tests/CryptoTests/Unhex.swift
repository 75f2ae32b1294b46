import Kernel
import Testing

/// Reads the hexadecimal digits of a published answer.
func unhex(_ digits: String) throws -> [UInt8] { try #require(Hex.decode(digits)) }
