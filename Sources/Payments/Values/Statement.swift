package import EventSourcing
package import Kernel

/// One look's word on all operations of a kind at the provider: a list, a running total, or both.
///
/// An adapter passes on what it was told. The aggregate explains it by what is known, once, whatever came before or
/// comes later.
package struct Statement: Hashable, Sendable {
    /// One line of a list.
    package struct Entry: Hashable, Sendable {
        /// Its `providerId` is the provider's name of it, or a label where the provider gives none.
        package let operation: ProviderOperation
        /// Whether the name is the operation's own: a line that names it again is about the same operation.
        package let isNamed: Bool

        package init(_ operation: ProviderOperation, isNamed: Bool) {
            self.operation = operation
            self.isNamed = isNamed
        }
    }

    package enum Total: Hashable, Sendable {
        /// Money moved as far as it says, listed or not: a list may lag behind it.
        case books(Money)
        /// Books nothing: the list beside it is whole, and the two are compared.
        case compares(Money)
        /// Money moved by the provider's word, and this stands where it should say how much.
        ///
        /// `stated` is nothing then.
        case untold(EvidenceAmount)
        /// The message leaves out what would tell of this kind: it says neither that there is something nor that there is
        /// nothing.
        case missing

        package var amount: Money? {
            switch self {
            case .books(let amount), .compares(let amount): amount
            case .untold, .missing: nil
            }
        }

        var isBooked: Bool { if case .books = self { true } else { false } }
    }

    package let kind: OperationKind
    /// In the provider's order; empty where it lists nothing.
    package let entries: [Entry]
    package let total: Total?
    /// Whether the provider gave a list, though it may have no line of this kind.
    package let isListed: Bool

    package init(_ kind: OperationKind, entries: [Entry] = [], total: Total? = nil, isListed: Bool = false) {
        self.kind = kind
        self.entries = entries
        self.total = total
        self.isListed = isListed || !entries.isEmpty
    }

    /// The lines as operations, each with a name of its own: lines without an identity count by how many there are.
    package var operations: [ProviderOperation] {
        var lines: [String: Int] = [:]
        return entries.map { entry in
            let told = entry.operation
            guard !entry.isNamed else { return told }
            let isRefused = told.outcome.isFinal && !told.outcome.isSuccess
            let label = Self.line + (isRefused ? "failed:" : "") + told.providerId
            let number = lines[label, default: 0] + 1
            lines[label] = number
            return told.named(number == 1 ? label : "\(label)#\(number)")
        }
    }

    /// The total as far as it books, in minor units.
    var booked: Int64 {
        guard case .books(let amount)? = total else { return 0 }
        return amount.minor
    }

    /// The text that stands in the total's place and is no amount.
    var unreadableTotal: String? {
        guard case .untold(.unreadable(let text))? = total else { return nil }
        return text
    }

    /// Whether it says how much there is in total: nothing, too, where the provider states that.
    var saysHowMuch: Bool {
        switch total {
        case .untold(let said)?: said.money != nil
        case .missing?: false
        case .books?, .compares?, nil: true
        }
    }

    /// The names of lines that have none of their own begin so.
    static let line = "line:"

    /// The sum of the list: each operation once, and only those that succeeded.
    package func listed(in currency: Currency) -> Int64 {
        var amounts: [String: Int64] = [:]
        for operation in operations where operation.outcome.isSuccess {
            guard let amount = operation.amount.money, amount.currency == currency else { continue }
            amounts[operation.providerId] = max(0, amount.minor)
        }
        return amounts.values.reduce(0) { $0.addingClamped($1) }
    }
}

/// A running total of the provider's beside what its list summed up to when it was told.
package struct ToldTotal: Hashable, Sendable {
    package let kind: OperationKind
    /// Number of the attempt that it is about.
    package let attempt: Int
    /// `nil` where there was a list alone.
    package let total: Money?
    /// `nil` where nothing was listed beside it.
    package let listed: Money?
    /// Whether money moved as far as it says, listed or not.
    package let books: Bool

    package init(kind: OperationKind, attempt: Int, total: Money?, listed: Money?, books: Bool) {
        self.kind = kind
        self.attempt = attempt
        self.total = total
        self.listed = listed
        self.books = books
    }
}

extension ToldTotal: JsonWritable {
    package func write(into out: inout JsonText) {
        out.member("attempt", attempt)
        out.member("books", books)
        out.member("kind", kind)
        out.member("listed", listed)
        out.member("total", total)
    }

    package init(_ fields: Fields) throws(CodecFailure) {
        self.init(
            kind: try fields.word("kind"),
            attempt: try fields.int("attempt"),
            total: try fields.optionalMoney("total"),
            listed: try fields.optionalMoney("listed"),
            books: try fields.flag("books")
        )
    }
}
