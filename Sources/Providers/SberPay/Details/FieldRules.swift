import Http
package import Kernel
import ProviderKit

/// The formats that the bank documents for single fields, by where they are used.
///
/// Lengths count Unicode scalars; the documents do not say whether bytes are meant.
package enum FieldRules {
    package enum Scope: Hashable {
        /// The SDK's request for a payment token.
        case paymentToken
        /// The SDK's payment by token.
        case tokenPayment
        case rest(Dialect, method: String)

        package init?(_ text: String) {
            let parts = text.split(separator: ".").map(String.init)
            switch (parts.first, parts.count) {
            case ("sdk", 2) where parts[1] == "getPaymentToken": self = .paymentToken
            case ("sdk", 2) where parts[1] == "pay": self = .tokenPayment
            case ("rest", 3):
                guard let dialect = Dialect(rawValue: parts[1]) else { return nil }
                self = .rest(dialect, method: parts[2])
            default: return nil
            }
        }
    }

    static let greatestAmount: Int64 = 999_999_999_999
    /// Characters of a payment token.
    static let paymentTokenCharacters = 96_000

    /// Whether a value fits its field; `nil` for a field that nothing is known of.
    package static func isValid(_ field: String, _ value: Json, _ scope: Scope) -> Bool? {
        switch scope {
        case .paymentToken: paymentToken(field, value)
        case .tokenPayment: tokenPayment(field, value)
        case .rest(let dialect, let method): rest(field, value, dialect, method)
        }
    }

    private static func paymentToken(_ field: String, _ value: Json) -> Bool? {
        switch field {
        case "apiKey", "clientName", "description", "redirectUri", "merchantLogin": isText(value, 1...512)
        case "clientId", "bankInvoiceId", "orderNumber", "orderId": isText(value, 1...36)
        case "amount": isInteger(value, 1...greatestAmount)
        case "currency": value.scalarText.map { isDigits($0, 3...3) } ?? false
        case "mobilePhone": value.text.map { isDigits($0, 11...12) } ?? false
        case "language": value.text.map { $0.utf8.count == 2 && $0.utf8.allSatisfy(isLetter) } ?? false
        case "recurrentEnabled": value.flag != nil
        case "recurrentExpiry": value.text.map(isDate) ?? false
        case "recurrentFrequency": isInteger(value, 0...28)
        default: nil
        }
    }

    private static func tokenPayment(_ field: String, _ value: Json) -> Bool? {
        switch field {
        case "orderId", "paymentTokenId": isText(value, 1...36)
        case "paymentToken": isText(value, 1...paymentTokenCharacters)
        default: nil
        }
    }

    private static func rest(_ field: String, _ value: Json, _ dialect: Dialect, _ method: String) -> Bool? {
        switch field {
        case "orderNumber": value.text.map { isPlain($0, 1...dialect.orderNumberCharacters) } ?? false
        case "orderId", "mdOrder", "bindingId": value.text.map { isOrderId($0) } ?? false
        case "amount": isInteger(value, 0...greatestAmount)
        case "currency":
            (dialect == .ecom ? value.text : value.scalarText).map { isDigits($0, 3...3) } ?? false
        case "returnUrl", "failUrl": value.text.map(WebAddress.isReturn) ?? false
        case "description": value.text.map { isPlain($0, 1...512) } ?? false
        case "language":
            value.text.map { text in
                text.utf8.count == 2 && text.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
            } ?? false
        case "clientId", "features", "app.deepLink", "sberpay.backurl", "jsonParams.app.deepLink",
            "jsonParams.sberpay.backurl":
            value.text.map { isPrintable($0) && (1...255).contains($0.utf8.count) } ?? false
        case "merchantLogin": isText(value, 1...30)
        case "userName": value.text.map { isUserName($0) } ?? false
        case "sessionTimeoutSecs": isInteger(value, 0...999_999_999)
        case "phone": value.text.map { isPhone($0, push: method == GatewayCall.paymentSberPay.rawValue) } ?? false
        case "email": value.text.map { isPrintable($0) && (3...128).contains($0.utf8.count) } ?? false
        case "jsonParams": value.members.map { $0.count <= 99 } ?? false
        case "jsonParams.recurringExpiry", "recurringExpiry": value.text.map { isDigits($0, 8...8) } ?? false
        case "jsonParams.recurringFrequency", "recurringFrequency": value.text.map { isDigits($0, 1...4) } ?? false
        case "jsonParams.externalRefundId", "externalRefundId": isText(value, 1...36)
        case "externalParams.sbolDeepLink", "externalParams.sbolBankInvoiceId": isText(value, 1...1024)
        case "password": value.text.map { isPassword($0, new: method == "setPermanentPassword") } ?? false
        default: nil
        }
    }

    /// The rules between the members of one object; stable words.
    package static func violations(_ object: Json, _ scope: Scope) -> [String] {
        var found: [String] = []
        switch scope {
        case .tokenPayment:
            let given = ["paymentToken", "paymentTokenId"].filter { object[$0] != nil }
            if given.count != 1 { found.append("exactly_one_token") }
        case .paymentToken:
            if let enabled = object["recurrentEnabled"]?.flag, let days = object["recurrentFrequency"]?.integer {
                if enabled ? !(1...28).contains(days) : days != 0 { found.append("recurrent_frequency") }
            }
        case .rest:
            if object["token"] != nil, object["password"] != nil || object["userName"] != nil {
                found.append("password_beside_token")
            }
        }
        for member in object.members?.members ?? [] where isValid(member.name, member.value, scope) == false {
            found.append(member.name)
        }
        return found
    }
}

extension FieldRules {
    static func isPrintable(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    static func isOrderId(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.allSatisfy { byte in
                isDigit(byte) || byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }

    static func isUserName(_ text: String) -> Bool {
        (1...30).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                isDigit(byte) || isLetter(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
                    || byte == UInt8(ascii: " ")
            }
    }

    /// With a country code and `+` where an order is registered; bare digits where a push is sent.
    static func isPhone(_ text: String, push: Bool) -> Bool {
        if push { return isDigits(text, 7...11) }
        return isDigits(text.hasPrefix("+") ? String(text.dropFirst()) : text, 7...15)
    }

    /// `YYYYMMDD` of a day that exists.
    static func isDate(_ text: String) -> Bool {
        guard isDigits(text, 8...8), let number = Int64(text) else { return false }
        return CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100) != nil
    }

    /// ASCII, Cyrillic and the numero sign.
    static func isPlain(_ text: String, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy { scalar in
                (0x20...0x7E).contains(scalar.value) || (0x400...0x4FF).contains(scalar.value) || scalar.value == 0x2116
            }
    }

    private static func isPassword(_ text: String, new: Bool) -> Bool {
        guard isPrintable(text) else { return false }
        guard new else { return (1...36).contains(text.utf8.count) }
        return (18...30).contains(text.utf8.count) && text.utf8.contains(where: isDigit)
            && text.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
    }

    static func isDigits(_ text: String, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.utf8.count) && text.utf8.allSatisfy(isDigit)
    }

    private static func isText(_ value: Json, _ length: ClosedRange<Int>) -> Bool {
        value.text.map { length.contains($0.unicodeScalars.count) } ?? false
    }

    private static func isInteger(_ value: Json, _ range: ClosedRange<Int64>) -> Bool {
        value.integer.map(range.contains) ?? false
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
