package import EventSourcing
package import Schedules

/// A schedule's fold at a version, with its events.
package struct ScheduleSnapshot: Sendable {
    package let schedule: Schedule
    package let events: [ScheduleEvent]
    /// The same events as the log has them.
    package let log: [RecordedEvent]

    package init(schedule: Schedule, events: [ScheduleEvent], log: [RecordedEvent]) {
        self.schedule = schedule
        self.events = events
        self.log = log
    }
}
