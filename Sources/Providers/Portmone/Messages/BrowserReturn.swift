package import Kernel

/// The fields that the payer's browser brings back; unsigned, so they are a hint and a status call follows.
package struct BrowserReturn {
    package enum Hint: String {
        case success, failure, none
    }

    package let hint: Hint
    package let fields: Row

    package init(_ fields: Json) {
        self.fields = Row(fields)
        // Success is the text `0`; a failure carries its localised text in the same field.
        switch fields["RESULT"]?.scalarText ?? self.fields.text("result") {
        case nil: hint = .none
        case "0"?: hint = .success
        case .some: hint = .failure
        }
    }

    /// The text of a failure.
    package var reason: String? {
        switch hint {
        case .failure: fields.text("result")
        case .success, .none: nil
        }
    }
}
