import Glibc
import Payments

/// Pages of a file of bills, read piece by piece.
struct BillPagerStream {
    private let file: UnsafeMutablePointer<FILE>
    private var pager = BillPager()
    private var ready: [[UInt8]] = []
    private var isOver = false

    private static let pieceBytes = 64 * 1024

    init(_ file: UnsafeMutablePointer<FILE>) { self.file = file }

    /// So many pages, or those that are left; `nil` behind the last one.
    mutating func next(pages count: Int) -> [[UInt8]]? {
        var buffer = [UInt8](repeating: 0, count: Self.pieceBytes)
        while ready.count < count, !isOver {
            let read = fread(&buffer, 1, buffer.count, file)
            ready += pager.take(buffer[..<read])
            if read == 0 {
                isOver = true
                if let rest = pager.end() { ready.append(rest) }
            }
        }
        guard !ready.isEmpty else { return nil }
        let page = Array(ready.prefix(count))
        ready.removeFirst(page.count)
        return page
    }
}
