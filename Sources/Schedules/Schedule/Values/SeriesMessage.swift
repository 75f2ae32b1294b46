import Crypto
package import EventSourcing
package import Kernel

/// A request to the provider that runs a series.
package enum SeriesAsk: String, Hashable, Sendable, CaseIterable {
    /// Take over another amount, calendar or end.
    case update
    case cancel
}

/// The permission to send one message about a series to the provider that runs it.
package struct SeriesLicense: Hashable, Sendable {
    package let ask: SeriesAsk
    /// The provider's id of a series that nobody wants; `nil` for the schedule's own.
    package let series: String?
    package let message: MessageLicense

    package init(_ ask: SeriesAsk, series: String? = nil, _ message: MessageLicense) {
        self.ask = ask
        self.series = series
        self.message = message
    }

    /// So often a provider is asked before a person must look at it.
    package static let repetition = Repetition(tries: 6, firstPause: 20)

    func next(at now: Timestamp) -> SeriesLicense {
        SeriesLicense(ask, series: series, message.next(at: now, Self.repetition))
    }
}

/// The outcome of one message about a series, as an adapter reads it.
package enum SeriesOutcome: Hashable, Sendable {
    /// The provider has taken it over, or knew it already.
    case done
    case refused(code: String?)
    /// Nobody knows, or it may be asked again.
    case unknown(reason: String)
}

/// One request to the provider about its series, and how it stands.
package struct SeriesRequestState: Hashable, Sendable {
    /// The newest message.
    package let license: SeriesLicense
    /// The outcome; `nil` while it is awaited.
    package internal(set) var outcome: SeriesOutcome?
    /// Nothing more is sent of it.
    package internal(set) var isEnded: Bool

    /// How it stands, in one word: an `unknown` one is a person's to look at.
    package var word: String {
        guard isEnded else { return "asked" }
        switch outcome {
        case .done?: return "done"
        case .refused?: return "refused"
        case .unknown?, nil: return "unknown"
        }
    }
}

extension Schedule {
    /// The effect row of the next message to the provider.
    package var seriesEffect: EffectId { EffectId(.version5(namespace: id.uuid, name: "series:\(version)")) }

    /// The request that the provider is to get now, behind these events of a decision; `after` is the schedule with
    /// them.
    ///
    /// About the schedule's own series one message is under way at a time: two of them could arrive in another order,
    /// and the older terms would hold. A change that was made meanwhile is told behind the answer.
    package func ask(after events: [ScheduleEvent], _ after: Schedule) -> SeriesAsk? {
        guard terms?.runner == .provider, registration(askedAbout: events)?.series != nil else { return nil }
        for case .registrationUnwanted in events { return .cancel }
        return after.requests.values.contains { $0.license.series == nil && !$0.isEnded } ? nil : after.untold
    }

    /// The registration of the series that is asked about: the schedule's own, or the one that nobody wants.
    package func registration(askedAbout events: [ScheduleEvent]) -> Activation? {
        for case .registrationUnwanted(let unwanted, _) in events { return unwanted }
        return activation
    }

    /// Decides on an answer: the end, or another try after a pause.
    package func decide(_ outcome: SeriesOutcome, effect: EffectId, ordinal: Int32, at now: Timestamp)
        -> (events: [ScheduleEvent], repeats: SeriesLicense?)
    {
        guard let known = requests[effect], known.license.message.ordinal == ordinal, known.outcome == nil else {
            return ([], nil)
        }
        let observed = ScheduleEvent.requestObserved(effect, ordinal: ordinal, outcome, at: now)
        let ended = ScheduleEvent.requestEnded(effect, at: now)
        switch outcome {
        case .done, .refused: return ([observed, ended], nil)
        case .unknown:
            // A newer request, or one that waits, says all that this one wanted to.
            let isNewest = effect == newestRequest && untold == nil
            guard known.license.series != nil || isNewest, ordinal < SeriesLicense.repetition.tries else {
                return ([observed, ended], nil)
            }
            let next = known.license.next(at: now)
            return ([observed, .requestLicensed(next)], next)
        }
    }

    /// Effect rows of messages whose outcome is open.
    package var liveEffects: Set<EffectId> { Set(requests.values.filter { !$0.isEnded }.map(\.license.message.effect)) }

    /// The newest request about the schedule's own series, however it stands.
    package var request: SeriesRequestState? { newestRequest.flatMap { requests[$0] } }

    /// Who ended the series where the provider says that it is over.
    package static let provider = "provider"
}

extension SeriesLicense: JsonWritable {
    package func write(into out: inout JsonText) { message.write(into: &out, ask: ask.rawValue, series: series) }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(try fields.word("ask"), series: try fields.optionalText("series"), try MessageLicense(fields))
    }
}

extension SeriesOutcome: JsonWritable {
    package func write(into out: inout JsonText) {
        switch self {
        case .done: out.member("is", "done")
        case .refused(let code):
            out.member("code", code)
            out.member("is", "refused")
        case .unknown(let reason):
            out.member("is", "unknown")
            out.member("reason", reason)
        }
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        switch try fields.text("is") {
        case "done": self = .done
        case "refused": self = .refused(code: try fields.optionalText("code"))
        case "unknown": self = .unknown(reason: try fields.text("reason"))
        default: throw CodecFailure("is")
        }
    }
}
