package import Kernel
package import Schedules

/// A schedule's fold at a version.
package struct ScheduleSnapshot: Sendable {
    package let schedule: Schedule
    package let createdAt: Timestamp

    package init(schedule: Schedule, createdAt: Timestamp) {
        self.schedule = schedule
        self.createdAt = createdAt
    }
}
