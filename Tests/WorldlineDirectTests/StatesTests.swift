import Payments
import ProviderKit
import TestKit
import Testing
import WorldlineDirect

struct StatesTests {
    @Test func `the page about the provider shows the states as they are`() throws {
        let page = String(decoding: try FileBytes.read(Self.page), as: UTF8.self)
        #expect(page.contains(Shop.adapter.states.mermaid))
    }

    @Test func `money never goes back behind what it reached`() {
        let moves = WorldlineStates.moves
        #expect(moves.allows(.unregistered, .held))
        #expect(moves.allows(.declined, .captured))
        #expect(!moves.allows(.captured, .held))
        #expect(!moves.allows(.released, .captured))
    }

    private static let page =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/")
        + "/docs/providers/worldline.md"
}
