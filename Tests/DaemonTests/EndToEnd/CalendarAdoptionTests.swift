import Glibc
import Http
import Kernel
import Schedules
import TestKit
import Testing

/// Newer zone data and other holidays: shown before they apply, told to every schedule, and replayed by what held then.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CalendarAdoptionTests {
    /// Registers a series that waits for its first payment, and answers its id.
    private func register(_ stage: Stage, _ daemon: DaemonProcess, _ rule: Json, key: String) async throws -> String {
        let body: Json = [
            "kind": "regular", "presence": "customerPresent", "amount": Stage.euros(7700), "customer": "customer-7",
            "details": ["payer": ["email": "payer@example.org"]], "rule": rule,
        ]
        let made = try await stage.call(daemon, .post, "/v1/schedules", body, key: key)
        let id = try #require(made["id"]?.text)
        let first = Stage.newPayment(key, 7700, more: [("customer", "customer-7"), ("schedule", .string(id))])
        let payment = try await stage.call(daemon, .post, "/v1/payments", first, key: "\(key)-first")
        let paymentId = try #require(payment["id"]?.text)
        try await stage.openPage(daemon, paymentId)
        try await stage.wait(daemon, paymentId, for: "captured")
        return id
    }

    private func write(_ text: String, _ path: String) throws -> String {
        let file = try #require(fopen(path, "w"))
        fputs(text, file)
        fclose(file)
        return path
    }

    private func waitForNext(_ stage: Stage, _ daemon: DaemonProcess, _ id: String, _ text: String) async throws {
        try await stage.until("\(id) is next due at \(text)") {
            let found = try await stage.call(daemon, .get, "/v1/schedules/\(id)")
            return found["nextAt"]?.text == text ? .done(()) : .notYet(found.canonicalText)
        }
    }

    @Test func `newer zone data shows what it would move, moves nothing, and moves it once it is adopted`() async throws
    {
        try await Stage.run("zones") { stage, daemon in
            let rule: Json = ["period": "month", "start": "2050-01-31", "time": "10:00", "zone": "Europe/Kyiv"]
            let id = try await register(stage, daemon, rule, key: "kyiv")
            try await waitForNext(stage, daemon, id, "2050-01-31T08:00:00.000000Z")
            // Another country's rules stand for a change of law.
            let folder = stage.folder + "/newer"
            mkdir(folder, 0o700)
            mkdir(folder + "/Europe", 0o700)
            #expect(symlink("/usr/share/zoneinfo/Europe/Moscow", folder + "/Europe/Kyiv") == 0)
            #expect(try await stage.command(["zones", "list"]).contains("Europe/Kyiv"))
            let shown = try await stage.command(["zones", "--from", folder, "diff"])
            #expect(
                shown.contains(id) && shown.contains("2050-01-31T08:00:00") && shown.contains("2050-01-31T07:00:00")
            )
            try await waitForNext(stage, daemon, id, "2050-01-31T08:00:00.000000Z")
            try await stage.command(["zones", "--from", folder, "adopt", "Europe/Kyiv"])
            try await waitForNext(stage, daemon, id, "2050-01-31T07:00:00.000000Z")
            // Telling twice is telling once.
            try await stage.command(["zones", "--from", folder, "adopt", "Europe/Kyiv"])
            let told = "paystream.input WHERE name = 'schedule.calendar_adopted'"
            #expect(try await stage.count(told) == 1)
            try await stage.verifyReplay()
        }
    }

    @Test func `a stored calendar of holidays moves days without business, and its next version moves them again`()
        async throws
    {
        try await Stage.run("holidays") { stage, daemon in
            var file = try write(#"{"weekend": [6, 7], "holidays": ["2050-01-31"]}"#, stage.folder + "/first.json")
            try await stage.command(["calendars", "put", "DE", file])
            let rule: Json = [
                "period": "month", "start": "2050-01-31", "time": "10:00", "zone": "Etc/UTC",
                "businessDays": ["shift": "following", "calendar": "DE"],
            ]
            let id = try await register(stage, daemon, rule, key: "shifted")
            try await waitForNext(stage, daemon, id, "2050-02-01T10:00:00.000000Z")
            let newer = #"{"weekend": [6, 7], "holidays": ["2050-01-31", "2050-02-01"]}"#
            file = try write(newer, stage.folder + "/second.json")
            #expect(try await stage.command(["calendars", "diff", "DE", file]).contains("2050-02-02T10:00:00"))
            try await waitForNext(stage, daemon, id, "2050-02-01T10:00:00.000000Z")
            try await stage.command(["calendars", "put", "DE", file])
            try await waitForNext(stage, daemon, id, "2050-02-02T10:00:00.000000Z")
            let kept = try await stage.call(daemon, .get, "/v1/calendars")["items"]?.items ?? []
            #expect(kept.map { $0["version"] } == [2] && kept[0]["holidays"] == ["2050-01-31", "2050-02-01"])
            let zones = try await stage.call(daemon, .get, "/v1/zones")["items"]?.items ?? []
            #expect(zones.map { $0["name"] } == ["Etc/UTC"])
            let unknown = try await stage.exchange(
                daemon,
                .post,
                "/v1/schedules/preview",
                [
                    "rule": [
                        "period": "month", "start": "2050-01-31", "zone": "Etc/UTC",
                        "businessDays": ["shift": "following", "calendar": "Atlantis"],
                    ]
                ]
            )
            #expect(unknown.status == 422)
            try await stage.verifyReplay()
        }
    }
}
