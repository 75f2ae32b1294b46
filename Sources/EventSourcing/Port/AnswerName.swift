/// The names of inputs that tell what became of a dispatch.
package enum AnswerName: String, Sendable, CaseIterable {
    case answered = "effect.answered"
    /// No byte left: the word of the fence's holder, worth nothing once the row has another one.
    case notSent = "effect.not_sent"
    case noAnswer = "effect.no_answer"
}
