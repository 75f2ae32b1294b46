package import EventSourcing
import Http
package import Kernel

/// A read model: the version that is shown, how far it is, and the copy that is built beside it.
package struct ReadModelStanding: Hashable, Sendable {
    /// A version, and the position of the log that it has come to.
    package struct Version: Hashable, Sendable {
        package let number: Int32
        package let position: Int64

        package init(number: Int32, position: Int64) {
            self.number = number
            self.position = position
        }

        fileprivate var json: Json { ["position": .integer(position), "version": .integer(Int64(number))] }
    }

    /// A stream whose rows stay as they were.
    package struct Aside: Hashable, Sendable {
        package let merchant: MerchantNumber
        package let stream: Uuid

        package init(merchant: MerchantNumber, stream: Uuid) {
            self.merchant = merchant
            self.stream = stream
        }
    }

    package let name: String
    /// The version that this program makes.
    package let wanted: Int32
    package let shown: Version?
    package let copy: Version?
    /// The end of the log.
    package let logEnd: Int64
    /// Events that were not read, as far as they were counted, and how long the oldest of them waits.
    package let unread: Int64
    package let milliseconds: Int64
    package let aside: [Aside]

    package init(
        name: String,
        wanted: Int32,
        shown: Version?,
        copy: Version?,
        logEnd: Int64,
        unread: Int64,
        milliseconds: Int64,
        aside: [Aside]
    ) {
        self.name = name
        self.wanted = wanted
        self.shown = shown
        self.copy = copy
        self.logEnd = logEnd
        self.unread = unread
        self.milliseconds = milliseconds
        self.aside = aside
    }

    /// Streams that are named at most.
    fileprivate static let named = 20

    static let schema: Json = {
        let version = Schema.object(
            [("version", Schema.integer()), ("position", Schema.integer())],
            required: ["version", "position"],
            "A version, and the position of the log that it has come to."
        )
        return Schema.object(
            [
                ("object", ["const": "projection"]), ("name", Schema.text()), ("wanted", Schema.integer()),
                ("shown", version), ("copy", version), ("logEnd", Schema.integer()), ("unread", Schema.integer()),
                ("lagMilliseconds", Schema.integer()), ("streamsAside", Schema.integer()),
                ("ownAside", Schema.list(Schema.uuid)),
            ],
            required: [
                "object", "name", "wanted", "logEnd", "unread", "lagMilliseconds", "streamsAside", "ownAside",
            ],
            "A read model. `shown` is the version that is read, `wanted` the one that the daemon makes, `copy` the one that is built beside it. `streamsAside` counts every merchant's, `ownAside` names at most \(named) of the caller's."
        )
    }()

    /// As a merchant sees it: of other merchants' streams it tells how many there are.
    fileprivate func document(for merchant: MerchantNumber) -> Json {
        let own = aside.filter { $0.merchant == merchant }.prefix(Self.named)
        return .compact([
            ("copy", copy?.json), ("lagMilliseconds", .integer(milliseconds)), ("logEnd", .integer(logEnd)),
            ("name", .string(name)), ("object", "projection"), ("ownAside", .array(own.map(\.stream.json))),
            ("shown", shown?.json), ("streamsAside", .integer(Int64(aside.count))), ("unread", .integer(unread)),
            ("wanted", .integer(Int64(wanted))),
        ])
    }
}

extension Api {
    func listProjections(_ call: Call) async throws(Problem) -> HttpResponse {
        let all = try await asked { () async throws(StoreFailure) in try await vitals.readModels() }
        return Self.page(all.map { $0.document(for: call.merchant) }, next: nil)
    }
}
