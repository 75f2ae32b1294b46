extension String {
    /// Makes a text of so many ASCII bytes in its own storage, which `write` fills.
    package init(ascii count: Int, _ write: (UnsafeMutableBufferPointer<UInt8>) -> Void) {
        self.init(unsafeUninitializedCapacity: count) { buffer in
            write(UnsafeMutableBufferPointer(rebasing: buffer[..<count]))
            return count
        }
    }

    /// Lends the UTF-8 bytes without a copy, as nearly every text has them in one piece.
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}

extension [UInt8] {
    /// Whether other bytes, at least one, stand somewhere among these in one piece.
    package func holds(_ sought: [UInt8]) -> Bool {
        guard let first = sought.first, count >= sought.count else { return false }
        return withUnsafeBufferPointer { bytes in
            sought.withUnsafeBufferPointer { sought in
                (0...bytes.count - sought.count).contains { start in
                    bytes[start] == first && bytes[start..<(start + sought.count)].elementsEqual(sought)
                }
            }
        }
    }
}
