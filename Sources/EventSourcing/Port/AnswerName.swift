/// The names of inputs that tell what became of a dispatch.
package enum AnswerName: String, Sendable, CaseIterable {
    case answered = "effect.answered"
    /// No byte left: the word of the claim's holder, worth nothing once the claim is gone.
    case notSent = "effect.not_sent"
    case noAnswer = "effect.no_answer"
}
