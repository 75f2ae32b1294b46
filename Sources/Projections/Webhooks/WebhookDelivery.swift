package import EventSourcing
package import Kernel

/// One event that an endpoint is sent, with its attempts.
package struct WebhookDelivery: Sendable {
    /// How it stands; the numbers are stored and never change.
    package enum State: Int16, Hashable, Sendable, CaseIterable {
        case waiting = 1
        case delivered = 2
        case givenUp = 3

        package var word: String {
            switch self {
            case .waiting: "waiting"
            case .delivered: "delivered"
            case .givenUp: "givenUp"
            }
        }
    }

    /// One attempt as it was recorded.
    package struct Attempt: Sendable {
        package let number: Int
        package let at: Timestamp
        package let milliseconds: Int
        package let status: Int?
        package let failure: String?
        package let answer: String?

        package init(number: Int, at: Timestamp, milliseconds: Int, status: Int?, failure: String?, answer: String?) {
            self.number = number
            self.at = at
            self.milliseconds = milliseconds
            self.status = status
            self.failure = failure
            self.answer = answer
        }

        var json: Json {
            .compact([
                ("number", .integer(Int64(number))), ("at", at.json), ("milliseconds", .integer(Int64(milliseconds))),
                ("status", status.map { .integer(Int64($0)) }), ("failure", failure.map(Json.string)),
                ("answer", answer.map(Json.string)),
            ])
        }
    }

    /// When an endpoint was last sent something with success, and when without.
    package struct Newest: Hashable, Sendable {
        package let success: Timestamp?
        package let failure: Timestamp?

        package init(success: Timestamp?, failure: Timestamp?) {
            self.success = success
            self.failure = failure
        }
    }

    package let position: EventPosition
    package let event: PublicEventId
    package let type: String
    package let state: State
    package let createdAt: Timestamp
    package let nextAt: Timestamp
    package let endedAt: Timestamp?
    /// The newest ones, the oldest of them first.
    package let attempts: [Attempt]
    package let attemptCount: Int

    package static let attemptsTold = 32
    /// The type of the event that a person sends to try an endpoint.
    package static let testType = "webhook.ping"

    package init(
        position: EventPosition,
        event: PublicEventId,
        type: String,
        state: State,
        createdAt: Timestamp,
        nextAt: Timestamp,
        endedAt: Timestamp?,
        attempts: [Attempt],
        attemptCount: Int
    ) {
        self.position = position
        self.event = event
        self.type = type
        self.state = state
        self.createdAt = createdAt
        self.nextAt = nextAt
        self.endedAt = endedAt
        self.attempts = attempts
        self.attemptCount = attemptCount
    }

    /// As the API shows it.
    package var json: Json {
        .compact([
            ("object", "webhookDelivery"), ("event", .string(event.text)), ("type", .string(type)),
            ("status", .string(state.word)), ("createdAt", createdAt.json),
            ("nextAttemptAt", state == .waiting ? nextAt.json : nil), ("endedAt", endedAt?.json),
            ("attemptCount", .integer(Int64(attemptCount))), ("attempts", .array(attempts.map(\.json))),
        ])
    }
}

/// Selects deliveries of an endpoint.
package struct WebhookDeliveryQuery: Sendable {
    package let endpoint: StreamName
    package var state: WebhookDelivery.State?
    /// The name of a type.
    package var type: String?
    /// The last that the reader has.
    package var behind: EventPosition?
    package var limit = Limits.pageRows

    package init(endpoint: StreamName) { self.endpoint = endpoint }
}

/// Events of the feed, by their ids.
package struct WebhookRange: Hashable, Sendable {
    package let first: PublicEventId
    /// `nil` for the newest.
    package let last: PublicEventId?
    /// Types by their names; none means all.
    package let types: [String]

    package init(first: PublicEventId, last: PublicEventId?, types: [String]) {
        self.first = first
        self.last = last
        self.types = types
    }
}

/// What became of a wish to send events once more.
package enum WebhookRedelivery: Hashable, Sendable {
    /// So many were asked for, the last of them, and whether there are more behind it.
    case asked(count: Int64, last: PublicEventId?, isCut: Bool)
    /// As many events wait for the endpoint as may.
    case full
}
