import EventSourcing
import Kernel

/// An id inside one merchant, as every key of the store is.
struct MerchantKey: Hashable, Sendable {
    let merchant: MerchantNumber
    let id: Uuid
}

/// A reference inside one merchant.
struct ReferenceKey: Hashable, Sendable {
    let merchant: MerchantNumber
    let reference: Reference
}

/// The undecided inputs of one stream, oldest first, and who holds them.
struct MailRow: Sendable {
    var inputs: [Uuid] = []
    var due: Timestamp
    var fence: Int64 = 0
    var attempts: Int32 = 0
    /// Who holds it, or held it and never gave it back.
    var owner: String?
}

/// A licensed dispatch and how far it got.
struct EffectRow: Sendable {
    let stream: StreamName
    var effect: NewEffect
    let order: Int64
    var state: EffectStanding.State = .ready
    var fence: Int64 = 0
    var leaseUntil: Timestamp

    /// The row under its next licence.
    func resent(ordinal: Int32, notBefore: Timestamp, sendBefore: Timestamp) -> EffectRow {
        let next = NewEffect(
            id: effect.id,
            account: effect.account,
            ordinal: ordinal,
            template: effect.template,
            notBefore: notBefore,
            sendBefore: sendBefore,
            deadline: effect.deadline
        )
        return EffectRow(stream: stream, effect: next, order: order, fence: fence, leaseUntil: notBefore)
    }

    /// The row with its window closed.
    func revoked(at now: Timestamp) -> EffectRow {
        resent(ordinal: effect.ordinal, notBefore: effect.notBefore, sendBefore: min(effect.sendBefore, now))
    }

    /// Whether whoever has its fence may send it now, and no later than the margin says.
    func mayBeMarked(at now: Timestamp, margin: Duration) -> Bool {
        guard now < effect.sendBefore else { return false }
        switch state {
        case .ready: return effect.notBefore <= now && now.adding(margin) < effect.sendBefore
        case .claimed: return now < leaseUntil && now.adding(margin) < max(leaseUntil, effect.sendBefore)
        case .sending: return now < leaseUntil
        case .observed: return false
        }
    }

    var standing: EffectStanding {
        EffectStanding(
            stream: stream,
            id: effect.id,
            ordinal: effect.ordinal,
            state: state,
            sendBefore: effect.sendBefore
        )
    }

    var lost: LostEffect {
        LostEffect(
            lease: EffectLease(stream: stream, id: effect.id, fence: fence),
            ordinal: effect.ordinal,
            account: effect.account
        )
    }
}

/// A command's key; the version is known when it has been decided.
struct CommandRow: Sendable {
    let mac: [UInt8]
    let stream: StreamName
    var version: Int32?
}

/// A timer's place: a stream has at most one per clock.
struct TimerKey: Hashable, Sendable {
    let stream: StreamName
    let clock: DueTimer.Clock
}

extension InputRecord {
    /// The input as its mailbox gives it out: under the stream that it waits for.
    func decided(in stream: StreamName) -> InputRecord {
        InputRecord(id: id, stream: stream, kind: kind, name: name, meta: meta, body: body, receivedAt: receivedAt)
    }
}
