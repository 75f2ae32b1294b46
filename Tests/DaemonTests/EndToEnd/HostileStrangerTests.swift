import Engine
import EventSourcing
import Http
import Kernel
import Payments
import TestKit
import Testing

/// Senders who prove nothing, beside a shop that goes on working.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct HostileStrangerTests {
    private static let senders = 4
    private static let messages = 60

    @Test func `four senders of noise stop neither the shop nor the provider, and leave little behind`() async throws {
        try await Stage.run("e2estranger") { stage, daemon in
            // The provider is known here, behind the same address as the noise.
            _ = try await stage.paid(daemon, "before", 7700)
            let account = DerivedNames.account(MerchantNumber(1), name: Stage.account)
            let url = "\(daemon.address)/v1/notifications/ecommpay/1/\(account.compact)"
            let verified = try await stage.metric(daemon, "paystream_notifications_total", "verified")
            let elsewhere = url.replacing("/ecommpay/1/", with: "/ecommpay/2/")
            #expect(try await stage.send(.post, elsewhere, HttpHeaders(), Array("{}".utf8)).status == 404)

            let began = ContinuousClock.now
            let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
                for sender in 0..<Self.senders {
                    group.addTask { try await Self.noise(stage, url, seed: UInt64(sender)) }
                }
                for number in 0..<5 { _ = try await stage.paid(daemon, "beside-\(number)", 7700) }
                return try await group.reduce(into: []) { $0 += $1 }
            }

            #expect(statuses.count == Self.senders * Self.messages)
            #expect(Set(statuses).isSubset(of: [400, 401, 403, 413, 422, 429]), "\(Set(statuses).sorted())")
            #expect(statuses.contains(413))
            // Each of the senders may be beyond the gate while the last place goes.
            let limit = StrangerLimits().refused
            let seconds = Int64((began.duration(to: .now) / .seconds(1)).rounded(.up))
            let most = Int(limit.burst + limit.requests * seconds / limit.seconds) + Self.senders
            let looked = statuses.count { ![413, 429].contains($0) }
            #expect(statuses.contains(429) && looked <= most, "\(looked) were looked at, at most \(most) may be")
            let kept = try await stage.count("paystream.quarantine")
            #expect(kept <= most, "\(kept) of \(statuses.count) messages were kept, at most \(most) may be")
            let heard = try await stage.metric(daemon, "paystream_notifications_total", "verified")
            #expect(heard > verified, "the provider's own messages were heard meanwhile")
        }
    }

    /// Random bytes, each time as many as may come, and now and then far more.
    private static func noise(_ stage: Stage, _ url: String, seed: UInt64) async throws -> [Int] {
        let random = SeededRandom(seed: seed)
        var statuses: [Int] = []
        for number in 0..<messages {
            let body = random.bytes(number % 10 == 9 ? 800_000 : 60_000)
            statuses.append(try await stage.send(.post, url, HttpHeaders(), body).status)
        }
        return statuses
    }
}

extension Stage {
    /// The sum of a metric's series that have this label value.
    func metric(_ daemon: DaemonProcess, _ name: String, _ label: String) async throws -> Int {
        let page = try await send(.get, daemon.address + "/metrics", HttpHeaders(), [])
        return String(decoding: page.body, as: UTF8.self).split(separator: "\n")
            .filter { $0.hasPrefix(name + "{") && $0.contains("\"\(label)\"") }
            .compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
            .reduce(0, +)
    }
}
