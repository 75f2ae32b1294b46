package import Http
package import Kernel
package import Payments

/// A request, read off the wire.
package struct HostileAsk: Hashable, Sendable {
    package enum Purpose: Hashable, Sendable {
        /// An order for the payer; it moves no money.
        case open
        case move(OperationKind)
        case look
        /// About nothing that is kept: answered as it is.
        case other
    }

    package let purpose: Purpose
    /// Our reference of the payment, where the message carries it.
    package let reference: String?
    /// The message's name for the operation: a repetition carries the same.
    package let name: String?
    package let minor: Int64?
    /// Which of the provider's payments the address names.
    package let number: Int64

    package init(
        _ purpose: Purpose,
        reference: String? = nil,
        name: String? = nil,
        minor: Int64? = nil,
        number: Int64 = 0
    ) {
        self.purpose = purpose
        self.reference = reference
        self.name = name
        self.minor = minor
        self.number = number
    }
}

/// One provider's words, written from its reference and not from its adapter.
package protocol HostileWire: Sendable {
    /// The table's name: the provider's, with what is special about the account.
    var name: String { get }
    var provider: SimulatedProvider { get }
    var secrets: [String: Secret] { get }
    var scenes: [HostileScene] { get }

    /// `nil` for a request that the reference does not know.
    func read(_ request: OutgoingRequest) -> HostileAsk?

    /// The documented answer to a request that was carried out; the ledger has what came of it.
    func success(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse

    /// The documented refusals of a message: nothing was done.
    func refusals(_ scene: HostileScene) -> [(name: String, response: HttpResponse)]

    /// The true answer to a question.
    func look(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse

    /// The answer to a question about something that is not known.
    func absent(_ ask: HostileAsk) -> HttpResponse

    /// Whether the provider knows the name of a message that comes again, and does nothing more then.
    func knowsName(of purpose: HostileAsk.Purpose) -> Bool

    /// The answer to a message whose name is known.
    func known(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse

    /// Whether a capture of a part gives the rest of the hold back.
    var releasesRest: Bool { get }

    /// Whether it documents that an answer with this status and body turns a request away.
    func documents(_ status: Int, _ body: HostileAnswer.Body, of scene: HostileScene) -> Bool

    /// Whether it documents that what is answered so was not even read, and is to be sent again.
    func isUnread(_ answer: HostileAnswer) -> Bool

    /// The message that the provider sends by itself, and proves, about a payment that its payer went through with.
    func notice(_ ledger: HostileLedger) -> HttpRequest?

    /// Whether a payer comes to an order though the answer that opened it never reached us.
    var findsPayer: Bool { get }

    /// Whether it tells anything of its own accord that is proved.
    var tells: Bool { get }

    /// An object with a code that no document has.
    var oddBody: Json { get }
}

extension HostileWire {
    package func known(_ ask: HostileAsk, _ ledger: HostileLedger) -> HttpResponse { success(ask, ledger) }
    package func isUnread(_ answer: HostileAnswer) -> Bool { false }
    package func notice(_ ledger: HostileLedger) -> HttpRequest? { nil }
    package var tells: Bool { false }
    package var findsPayer: Bool { false }

    func answer(_ answer: HostileAnswer, to ask: HostileAsk, _ ledger: HostileLedger, _ scene: HostileScene)
        -> ExchangeOutcome
    {
        switch answer {
        case .success, .odd: return .answered(success(ask, ledger))
        case .refusal(let name):
            let found = refusals(scene).first { $0.name == name }?.response
            return .answered(found ?? .empty(400))
        case .status(let status, let body): return .answered(body.response(status, oddBody))
        case .half: return .answered(success(ask, ledger).half)
        case .lost: return .sentNoAnswer(NoAnswer(.deadline))
        }
    }
}

extension HostileAnswer.Body {
    /// An answer with such a body; `odd` is an object that no document has.
    func response(_ status: Int, _ odd: Json) -> HttpResponse {
        switch self {
        case .json: .json(status, odd)
        case .html: .html(status, "<html><body>Something happened.</body></html>")
        case .empty: .empty(status)
        }
    }
}

extension HttpResponse {
    /// The same answer, cut off in the middle.
    var half: HttpResponse {
        var half = HttpResponse(status: status, headers: headers)
        half.body = Array(body.prefix(body.count / 2))
        return half
    }
}
