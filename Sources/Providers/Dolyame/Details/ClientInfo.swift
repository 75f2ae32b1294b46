import Kernel

/// The two forms in which the provider wants a birthday, and the one of a phone number.
package enum ClientInfo {
    /// Makes `+7` and ten digits of what people write; `nil` where it is no Russian number, so that the form asks.
    package static func phone(_ text: String) -> String? {
        let digits = text.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let isNational = digits.count == 10
        let hasPrefix = digits.count == 11 && (digits.first == UInt8(ascii: "7") || digits.first == UInt8(ascii: "8"))
        guard isNational || hasPrefix else { return nil }
        return "+7" + String(decoding: digits.suffix(10), as: UTF8.self)
    }

    /// A day of the calendar.
    package struct Day: Hashable {
        let year: Int
        let month: Int
        let day: Int

        /// The API's form, as in `1991-05-28`.
        package init?(api text: String) {
            self.init(text, separator: UInt8(ascii: "-"), lengths: [4, 2, 2]) { ($0[0], $0[1], $0[2]) }
        }

        /// The SDK's form, as in `28.05.1991`.
        package init?(sdk text: String) {
            self.init(text, separator: UInt8(ascii: "."), lengths: [2, 2, 4]) { ($0[2], $0[1], $0[0]) }
        }

        /// Either form.
        init?(_ text: String) {
            guard let day = Day(api: text) ?? Day(sdk: text) else { return nil }
            self = day
        }

        private init?(_ text: String, separator: UInt8, lengths: [Int], _ order: ([Int]) -> (Int, Int, Int)) {
            let parts = text.utf8.split(separator: separator, omittingEmptySubsequences: false)
            guard parts.map(\.count) == lengths,
                parts.allSatisfy({ $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } })
            else { return nil }
            let numbers = parts.map { $0.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
            let (year, month, day) = order(numbers)
            guard year >= 1, (1...12).contains(month), (1...Self.days(year, month)).contains(day) else { return nil }
            self.year = year
            self.month = month
            self.day = day
        }

        private static func days(_ year: Int, _ month: Int) -> Int {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            return [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
        }

        package var api: String { "\(Self.digits(year, 4))-\(Self.digits(month, 2))-\(Self.digits(day, 2))" }
        package var sdk: String { "\(Self.digits(day, 2)).\(Self.digits(month, 2)).\(Self.digits(year, 4))" }

        private static func digits(_ number: Int, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
    }
}
