import EventSourcing
import Kernel
import Schedules
import TestKit
import Testing

/// The storage format, for ever, and the whole table of states and commands.
struct ScheduleFormatTests {
    private static let source =
        #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/") + "/x"

    @Test(arguments: ScheduleSamples.all.map(\.name))
    func `an event is written as its golden file says and read back as what it was`(name: String) throws {
        let event = try #require(ScheduleSamples.all.first { $0.name == name }).event
        let golden = GoldenFile("events/\(name).json", source: Self.source)
        #expect(golden.difference(from: event.draft.data + [UInt8(ascii: "\n")]) == nil)
        var stored = try FileBytes.read(golden.path)
        stored.removeLast()
        #expect(try ScheduleEvent(type: event.draft.type, data: stored) == event)
    }

    @Test func `every event name has a golden file`() {
        let covered = Set(ScheduleSamples.all.map(\.event.name))
        #expect(covered == Set(ScheduleEvent.Name.allCases))
        #expect(Set(ScheduleSamples.all.map(\.name)).count == ScheduleSamples.all.count)
    }

    @Test(arguments: ScheduleSamples.all.map(\.name))
    func `an event without one of its members is a codec failure or another event, never a trap`(name: String) throws {
        let event = try #require(ScheduleSamples.all.first { $0.name == name }).event
        let members = try #require(event.json.members)
        for member in members.names {
            for value in [nil, Json.number(JsonNumber(.max)), .string(""), .null, .array([])] as [Json?] {
                var object = members
                object[member] = value
                let data = Json.object(object).canonical
                guard let read = try? ScheduleEvent(type: event.draft.type, data: data) else { continue }
                #expect(read != event || value == event.json[member])
                var schedule = Schedule(id: ScheduleId(Uuid(high: 0, low: 1)))
                schedule.evolve(read)
            }
        }
        #expect(throws: CodecFailure.self) { try ScheduleEvent(type: "schedule.unknown.v9", data: event.draft.data) }
    }

    @Test func `commands survive their stored form`() throws {
        let commands: [ScheduleCommand] = [
            .create(Terms.monthly()), .activate(ScheduleStory.activation), .pause(reason: "r"), .resume(.skip),
            .change(ScheduleChange(nextDate: CivilDate("2026-02-03"))), .cancel(reason: nil), .cancel(reason: "r"),
            .change(ScheduleChange(policy: FiringPolicy(dunning: Terms.marking))),
            .run(ordinal: nil, amount: nil, presence: .unattended),
            .run(ordinal: 4, amount: .rubles(5), presence: .customerPresent),
        ]
        for command in commands { #expect(try ScheduleCommand(name: command.name, command.json) == command) }
        #expect(Set(commands.map(\.name)).count == ScheduleCommand.Name.allCases.count)
    }

    private func story(in status: ScheduleStatus) throws -> ScheduleStory {
        switch status {
        case .unregistered: return try ScheduleStory()
        case .registered:
            var story = try ScheduleStory()
            try story.command(.create(Terms.monthly()))
            return story
        case .active: return try ScheduleStory(Terms.monthly())
        case .paused:
            var story = try self.story(in: .active)
            try story.command(.pause(reason: "asked"))
            return story
        case .completed:
            var story = try ScheduleStory(Terms.monthly(end: RuleEnd(count: 1)))
            story.wait(until: "2026-02-01T00:00:00Z")
            story.succeed()
            return story
        case .cancelled:
            var story = try self.story(in: .active)
            try story.command(.cancel(reason: nil))
            return story
        case .expired:
            var story = try self.story(in: .registered)
            story.wait(until: "2026-01-09T00:00:00Z")
            return story
        }
    }

    private func command(_ name: ScheduleCommand.Name) -> ScheduleCommand {
        switch name {
        case .create: .create(Terms.monthly())
        case .activate: .activate(ScheduleStory.activation)
        case .pause: .pause(reason: "again")
        case .resume: .resume(.skip)
        case .change: .change(ScheduleChange(amount: .rubles(700)))
        case .cancel: .cancel(reason: "enough")
        case .run: .run(ordinal: nil, amount: nil, presence: .unattended)
        }
    }

    @Test func `the table of states and commands is as it stands in the golden file`() throws {
        var lines = ["# status × command: events → status, or the refusal. UPDATE_GOLDEN=1 writes it."]
        for status in ScheduleStatus.allCases {
            lines.append("")
            for name in ScheduleCommand.Name.allCases {
                var story = try story(in: status)
                #expect(story.schedule.status == status)
                var outcome: String
                do {
                    try story.command(command(name))
                    outcome = story.names.isEmpty ? "nothing" : story.names.joined(separator: ", ")
                    if !story.last.starts.isEmpty { outcome += ", ask \(story.last.starts.count) payment" }
                    outcome += " → \(story.schedule.status.rawValue)"
                } catch let rejection as ScheduleRejection { outcome = "refused \(rejection.code.rawValue)" }
                lines.append("\(status.rawValue) × \(name.rawValue): \(outcome)")
            }
        }
        let text = lines.joined(separator: "\n") + "\n"
        #expect(GoldenFile("schedule-table.txt", source: Self.source).difference(from: text) == nil)
    }
}
