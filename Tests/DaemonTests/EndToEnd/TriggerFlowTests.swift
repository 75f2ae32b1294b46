import Dev
import Http
import Kernel
import Projections
import Testing

/// `paystream trigger` beside `paystream dev`: every type that it lists is made and told.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TriggerFlowTests {
    private static let lanes = 6

    @Test func `every type of the catalogue is listed once, with a way or a reason`() {
        #expect(Set(EventTrigger.ways.keys) == Set(PublicEventType.all.map(\.name)))
        for (type, way) in EventTrigger.ways {
            if case .never(let why) = way { #expect(why.count > 20, "\(type)") }
        }
    }

    @Test func `every type that can be made is made and told`() async throws {
        try await DevStage.run("trigger") { stage in
            let listed = try await stage.run(["trigger", "--json"]).text.split(separator: "\n")
            let types = try listed.map { try Json(text: String($0)) }
            #expect(types.count == PublicEventType.all.count)
            let wanted = types.filter { $0["made"] == true }.compactMap { $0["type"]?.text }
            #expect(wanted.count > 50)
            // Beside each other: each run plays resources of its own.
            let troubles = try await withThrowingTaskGroup(of: [String].self) { group in
                for lane in 0..<Self.lanes {
                    group.addTask {
                        var troubles: [String] = []
                        for (index, type) in wanted.enumerated() where index % Self.lanes == lane {
                            if let trouble = try await Self.trouble(with: type, stage) {
                                troubles.append(trouble)
                            }
                        }
                        return troubles
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            for trouble in troubles { Issue.record("\(trouble)") }
            for type in types where type["made"] == false {
                let said = try await stage.run(["trigger", type["type"]?.text ?? "?"])
                #expect(said.code == 1 && said.text.contains(type["why"]?.text ?? "?"), "\(said.text)")
            }
            #expect(try await stage.run(["trigger", "payment.flown"]).code == 2)
            let shown = try await stage.run(["trigger", "payment.created"])
            #expect(shown.code == 0 && shown.text.contains("paystream events show evt_"), "\(shown.text)")
        }
    }

    /// What went wrong with a type; `nil` where its event is in the feed.
    private static func trouble(with type: String, _ stage: DevStage) async throws -> String? {
        let said = try await stage.run(["trigger", type, "--json"])
        guard said.code == 0, let event = line(said.text), event["type"]?.text == type, let id = event["id"]?.text
        else { return "\(type): \(said.text)" }
        let shown = try await stage.run(["events", "show", id, "--json"])
        return line(shown.text) == event ? nil : "\(type): \(shown.text)"
    }

    private static func line(_ text: String) -> Json? {
        text.split(separator: "\n").first.flatMap { try? Json(text: String($0)) }
    }

    @Test func `a merchant with a live account and a daemon without a sandbox are refused`() async throws {
        try await Stage.run("triggerlive") { stage, daemon in
            func refusal(_ more: [String: String]) async throws -> String {
                let world = ["PAYSTREAM_URL": daemon.address, "PAYSTREAM_KEY": stage.token].merging(more) { $1 }
                let failed = await #expect(throws: DaemonProcess.Failure.self) {
                    try await stage.run(["trigger", "payment.created"], more: world)
                }
                return "\(failed?.description ?? "")"
            }
            #expect(try await refusal([:]).contains("PAYSTREAM_SANDBOX names"))
            let account: Json = [
                "mode": "live", "name": "live-eur", "provider": "ecommpay",
                "secrets": ["secretKey": .string(Stage.secret)],
                "settings": ["currencies": ["EUR"], "projectId": .integer(Stage.project)],
            ]
            _ = try await stage.call(daemon, .post, "/v1/accounts", account, key: "live")
            let refused = try await refusal(["PAYSTREAM_SANDBOX": stage.sandbox])
            #expect(refused.contains("'live-eur'") && refused.contains("test mode alone"), "\(refused)")
            #expect(try await stage.count("paystream.stream WHERE kind = 1") == 0, "nothing was begun")
        }
    }
}
