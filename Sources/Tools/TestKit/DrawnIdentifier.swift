package import Kernel

/// Identifiers that pass for card numbers, and documents that hold them.
package enum DrawnIdentifier {
    /// A number of some scheme and length with a right check digit.
    package static func number(_ random: inout SplitMix64) -> String {
        while true {
            let length = Int.random(in: 12...19, using: &random)
            let head = ["4", "50", "5555", "62", "2200"].randomElement(using: &random) ?? "4"
            let rest = (0..<length - head.count).map { _ in String(Int.random(in: 0...9, using: &random)) }
            let digits = head + rest.joined()
            if CardGuard.containsCardNumber(digits) { return digits }
        }
    }

    /// A document that holds a value at a path; any item of a list, any member of an object.
    package static func document(_ steps: [String], _ value: String) -> Json {
        guard let step = steps.first else { return .string(value) }
        let inner = document(Array(steps.dropFirst()), value)
        if step == "*", steps.count > 1 { return [inner] }
        return .object(JsonObject([(step == "*" ? "1" : step, inner)]))
    }
}
