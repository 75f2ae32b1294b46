package import Kernel

/// Where the words of a question come from: the parameters of a request, or the options of a command.
///
/// Names are those of the API, as `createdFrom`; whoever has other ones translates.
package protocol QuestionWords {
    associatedtype Failure: Error

    /// A word as it was given; each is taken once.
    mutating func raw(_ name: String) -> String?
    /// A text that is looked for, of so many bytes at most.
    mutating func text(_ name: String, bytes: Int) throws(Failure) -> String?
    mutating func flag(_ name: String) throws(Failure) -> Bool?
    /// Pairs that were given under a name, in their order.
    mutating func members(of name: String) throws(Failure) -> [(name: String, value: String)]
    /// Says that a word is none of those that are known, in a sentence.
    func refusal(of name: String, _ sentence: String) -> Failure
}

extension QuestionWords {
    package mutating func word<Word: RawRepresentable & CaseIterable>(_ name: String) throws(Failure) -> Word?
    where Word.RawValue == String {
        guard let text = raw(name) else { return nil }
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw refusal(of: name, "Known words are: \(known).")
        }
        return word
    }

    package mutating func time(_ name: String) throws(Failure) -> Timestamp? {
        guard let text = raw(name) else { return nil }
        guard let time = Timestamp(text) else {
            throw refusal(of: name, "A time is written as in 2026-01-31T12:00:00Z.")
        }
        return time
    }

    /// A calendar day as it is written, as in `2026-01-31`.
    package mutating func day(_ name: String) throws(Failure) -> String? {
        guard let text = raw(name) else { return nil }
        guard text.utf8.count == 10, Timestamp("\(text)T00:00:00Z") != nil else {
            throw refusal(of: name, "A day is written as in 2026-01-31.")
        }
        return text
    }

    /// An amount in minor units.
    package mutating func amount(_ name: String) throws(Failure) -> Int64? {
        guard let text = raw(name) else { return nil }
        guard let amount = Int64(text), amount >= 0, text == "\(amount)" else {
            throw refusal(of: name, "An amount is written in minor units, as 1999.")
        }
        return amount
    }
}

extension PaymentQuery {
    /// Reads what narrows a list of payments; the account, the address, the cursor and the limit are their reader's own.
    package mutating func read<Words: QuestionWords>(_ words: inout Words) throws(Words.Failure) {
        status = try words.word("status")
        reference = try words.text("reference", bytes: Limits.identifierBytes)
        providerReference = try words.text("providerReference", bytes: Limits.identifierBytes)
        customer = try words.text("customer", bytes: Limits.identifierBytes)
        if let text = try words.text("card", bytes: Limits.identifierBytes) {
            guard let card = MaskedCard(text) else {
                throw words.refusal(of: "card", "A card is written as it is shown, as in 431422******0056.")
            }
            self.card = card
        }
        let amount = try words.amount("amount")
        amountFrom = try words.amount("amountFrom") ?? amount
        amountTo = try words.amount("amountTo") ?? amount
        if amount != nil, amountFrom != amount || amountTo != amount {
            throw words.refusal(of: "amount", "Either one amount is looked for, or a range of them.")
        }
        if let code = words.raw("currency") {
            guard let currency = Currency(code) else {
                throw words.refusal(of: "currency", "A currency is three letters of ISO 4217, as in EUR.")
            }
            self.currency = currency
        }
        let pairs = try words.members(of: "metadata")
        guard pairs.count <= Limits.soughtLabels else {
            throw words.refusal(of: "metadata", "At most \(Limits.soughtLabels) labels are looked for at once.")
        }
        for pair in pairs {
            guard (1...Limits.metadataNameBytes).contains(pair.name.utf8.count),
                pair.value.utf8.count <= Limits.metadataValueBytes
            else { throw words.refusal(of: "metadata", "No label is that long, or without a name.") }
        }
        labels = Set(pairs.map { PaymentLabel.code($0.name, $0.value) }).sorted()
        provider = try words.text("provider", bytes: Limits.identifierBytes)
        method = try words.word("method")
        accountMode = try words.word("accountMode")
        createdFrom = try words.time("createdFrom")
        createdBefore = try words.time("createdBefore")
        needsOperator = try words.flag("needsOperator") ?? false
        isDisputed = try words.flag("disputed") ?? false
    }
}
