import Conformance
import Kernel
import ProviderKit
import WorldlineDirect

/// Cases about the app's side: encrypted input, field rules, card prefixes.
enum ClientCases {
    static func customerInput(_ item: Json) -> [String] {
        guard let value = item["value"]?.text else { return ["the case names no value"] }
        let shape = CustomerInput.shape(value)
        let verdict = shape == nil ? "reject" : "accept_and_forward"
        var found = Comparison.text("expected", expected: item["expected"], actual: verdict)
        guard let shape else { return found }
        if let header = item["protected_header"], header.canonical != shape.header.canonical {
            found.append("protected_header: got \(shape.header.canonicalText)")
        }
        let parts = value.split(separator: ".", omittingEmptySubsequences: false).count
        if let expected = item["parts"]?.integer, expected != Int64(parts) { found.append("parts: got \(parts)") }
        let lengths = item["part_lengths_bytes"]
        func compare(_ name: String, _ actual: Int) {
            if let expected = lengths?[name]?.integer, expected != Int64(actual) {
                found.append("\(name): expected \(expected), got \(actual)")
            }
        }
        compare("encrypted_key", shape.keyBytes)
        compare("iv", shape.ivBytes)
        compare("tag", shape.tagBytes)
        if let unit = lengths?["ciphertext_multiple_of"]?.integer, unit > 0, Int64(shape.cipherBytes) % unit != 0 {
            found.append("ciphertext: \(shape.cipherBytes) bytes")
        }
        return found
    }

    static func validator(_ item: Json) -> [String] {
        guard let name = item["validator"]?.text, let rule = FieldRule(named: name), let value = item["value"]?.text,
            let expected = item["expected"]?.flag
        else { return ["the case names no rule"] }
        let allowed = rule.allows(value, item["rule"] ?? [:]) ?? DeviceRules.allows(rule, value, now: item["now"])
        return allowed == expected ? [] : ["expected \(expected), got \(allowed)"]
    }

    /// The card prefixes that the file lists beside its cases.
    static func prefixes(_ file: Json) -> [String] {
        (file["iin"]?.items ?? []).flatMap { item in
            prefix(item).map { "iin \(item["id"]?.text ?? "?"): \($0)" }
        }
    }

    private static func prefix(_ item: Json) -> [String] {
        let reading: CardPrefix.Reading
        do throws(PlanFailure) { reading = try CardPrefix.read(item["bin"]?.text ?? "") } catch {
            return Comparison.text("expected_status", expected: item["expected_status"], actual: error.code)
        }
        let response = item["response"].flatMap { $0.isNull ? nil : $0 }
        let answer: IinAnswer?
        let isSent: Bool
        switch reading {
        case .notEnoughDigits: (answer, isSent) = (.notEnoughDigits, false)
        case .usable:
            let status = item["http_status"]?.integer.map(Int.init) ?? (response == nil ? 404 : 200)
            (answer, isSent) = (IinAnswer(status: status, body: response), true)
        }
        guard let answer else { return ["the answer says nothing"] }
        var found = Comparison.text("status", expected: item["expected_status"], actual: answer.status.rawValue)
        if let expected = item["request_sent"]?.flag, expected != isSent { found.append("request_sent: got \(isSent)") }
        if let expected = item["expected_cobrand_choice_required"]?.flag, expected != answer.mustChooseBrand {
            found.append("cobrand choice: got \(answer.mustChooseBrand)")
        }
        return found
    }
}

/// The rules that only the payer's device runs, for cases that describe a device.
enum DeviceRules {
    static func allows(_ rule: FieldRule, _ value: String, now: Json?) -> Bool {
        switch rule {
        case .luhn: luhn(value)
        case .expirationDate: expiry(value, now)
        case .emailAddress, .fixedList, .iban, .length, .range, .regularExpression, .termsAndConditions: false
        }
    }

    private static func luhn(_ value: String) -> Bool {
        let digits = value.utf8.map { Int($0) - 48 }
        guard !digits.isEmpty, digits.allSatisfy({ (0...9).contains($0) }) else { return false }
        let sum = digits.reversed().enumerated().reduce(0) { sum, place in
            let doubled = place.offset % 2 == 0 ? place.element : place.element * 2
            return sum + (doubled > 9 ? doubled - 9 : doubled)
        }
        return sum % 10 == 0
    }

    /// MMYY or MMYYYY, from this month to December in 25 years.
    private static func expiry(_ value: String, _ now: Json?) -> Bool {
        let digits = value.utf8.map { Int64($0) - 48 }
        guard digits.count == 4 || digits.count == 6, digits.allSatisfy({ (0...9).contains($0) }),
            let year = now?["year"]?.integer, let month = now?["month"]?.integer
        else { return false }
        let given = digits[0] * 10 + digits[1]
        let tail = digits[2...].reduce(Int64(0)) { $0 * 10 + $1 }
        let end = digits.count == 4 ? year / 100 * 100 + tail : tail
        guard (1...12).contains(given) else { return false }
        return (end, given) >= (year, month) && end <= year + 25
    }
}

/// An answer's word about its key.
struct IdempotenceCase {
    private let item: Json

    init(_ item: Json) { self.item = item }

    var violations: [String] {
        if let key = item["key"]?.text {
            return Comparison.violations(
                expected: item["expected"],
                actual: ["daemon_must_not_send": .bool(!Call.isKey(key))]
            )
        }
        let headers = item["response_headers"]?.members?.members ?? []
        let idempotence = Idempotence { name in
            headers.first { Authorization.lower($0.name) == Authorization.lower(name) }?.value.text
        }
        let status = item["response_status"]?.integer ?? 200
        let body: Json = .compact([("errors", item["response_errors"])])
        let hasKey = item["request_headers"]?.members?.names.contains("X-GCS-Idempotence-Key") ?? false
        var isInProgress = false
        if case .inProgress = Answer(status: Int(status), body: body) { isInProgress = hasKey }
        let actual: [String: Json] = [
            "replayed": .bool(idempotence.isReplay),
            "first_request_epoch_ms": idempotence.firstRequestMilliseconds.map(Json.integer) ?? .null,
            "response_datetime": (idempotence.answeredAt?.wholeSeconds).map(Json.string) ?? .null,
            "in_progress": .bool(isInProgress), "retry_with_same_key": .bool(isInProgress),
            "must_compare_amount_and_reference": .bool(idempotence.isReplay),
        ]
        return Comparison.violations(expected: item["expected"], actual: actual)
    }
}
