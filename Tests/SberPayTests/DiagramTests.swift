import Kernel
import ProviderKit
import SberPay
import TestKit
import Testing

struct DiagramTests {
    /// With `UPDATE_GOLDEN=1` the document's diagram is written instead of compared.
    @Test func `the diagram in the document is the adapter's`() throws {
        let source = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
        let path = source.joined(separator: "/") + "/docs/providers/sberpay.md"
        let document = String(decoding: try FileBytes.read(path), as: UTF8.self)
        let parts = document.split(separator: "```mermaid\n", maxSplits: 1, omittingEmptySubsequences: false)
        let tail = try #require(parts.count == 2 ? parts[1].firstRange(of: "```") : nil)
        let diagram = Shop.adapter.states.mermaid
        if environment("UPDATE_GOLDEN") == "1" {
            let text = "\(parts[0])```mermaid\n\(diagram)\(parts[1][tail.lowerBound...])"
            try FileBytes.write(Array(text.utf8), to: path)
        } else {
            #expect(String(parts[1][..<tail.lowerBound]) == diagram)
        }
    }
}
