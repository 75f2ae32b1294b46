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
