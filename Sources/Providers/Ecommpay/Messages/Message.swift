package import Kernel
import Payments

/// A callback or status answer, read without trusting that any member is there or has a particular type.
///
/// A good signature says nothing about JSON types (`1` and `"1"` sign alike), so numbers are taken as digits or text.
package struct Message {
    /// One entry of `operation` or `operations`.
    package struct Operation {
        let id: String?
        package let type: String?
        package let status: String?
        package let code: String?
        let amount: EvidenceAmount
        let createdAt: Timestamp?
        let changedAt: Timestamp?
        let refundReference: String?
    }

    /// A 3-D Secure step that the payer's browser is in.
    package struct ThreeDSecure: Equatable {
        package enum Step: String {
            /// The issuer's hidden frame.
            case method
            case challenge
        }

        /// `1` or `2`.
        package let version: String
        package let step: Step?
    }

    let projectId: String?
    package let hasPayment: Bool
    package let paymentId: String?
    package let status: String?
    let method: String?
    let refundReference: String?
    let attemptsSeconds: Int?
    let attemptsAvailable: Bool?
    package let operations: [Operation]
    package let hasOperations: Bool
    /// Answers about a payment list all operations of it; a callback names one.
    let listsOperations: Bool
    /// As `group.field`.
    package let clarification: [String]
    package let threeDSecure: ThreeDSecure?
    let account: Json?
    /// `recurring.id`.
    package let seriesId: String?
    package let seriesStatus: String?
    let seriesType: String?
    /// The `token` member of a token callback, a text or sealed.
    package let token: Json?
    package let tokenStatus: String?
    let customerId: String?
    /// `request.id` of a token callback.
    let requestId: String?
    /// The masked card of a token callback.
    let card: Json?

    package init(_ body: Json) {
        let payment = body["payment"]
        projectId = Self.projectId(body)
        hasPayment = payment?.members != nil
        paymentId = payment?["id"]?.scalarText
        status = payment?["status"]?.text
        method = payment?["method"]?.text
        refundReference = payment?["merchant_refund_id"]?.scalarText
        attemptsSeconds = payment?["attempts_timeout"].flatMap(Self.count)
        attemptsAvailable = payment?["is_new_attempts_available"]?.flag
        let listed = body["operations"]?.items ?? []
        let single = body["operation"]
        operations = (listed + [single].compactMap(\.self)).filter { $0.members != nil }.map(Operation.init)
        hasOperations = single != nil || !listed.isEmpty
        listsOperations = !listed.isEmpty
        clarification = body["clarification_fields"].map(Self.fields) ?? []
        threeDSecure = Self.threeDSecure(body)
        account = body["account"]
        seriesId = body.at("recurring", "id")?.scalarText
        seriesStatus = body.at("recurring", "status")?.text
        seriesType = body.at("recurring", "type")?.text
        token = body["token"]
        tokenStatus = body["token_status"]?.text
        customerId = body.at("customer", "id")?.scalarText
        requestId = body.at("request", "id")?.scalarText
        card = body["card"]
    }

    static func projectId(_ body: Json) -> String? {
        (body["project_id"] ?? body.at("general", "project_id"))?.scalarText
    }

    /// A small whole number that may come as text.
    private static func count(_ json: Json) -> Int? { json.scalarText.flatMap { Int($0) } }

    /// Names under `clarification_fields`, at most so many as a person can fill in.
    private static func fields(_ json: Json) -> [String] {
        var found: [String] = []
        func walk(_ json: Json, _ prefix: String) {
            guard found.count < Limits.clarificationFields else { return }
            switch json {
            case .string(let name): found.append(String((prefix + name).prefix(Limits.nameCharacters)))
            case .array(let items): for item in items { walk(item, prefix) }
            case .object(let object):
                for member in object.members { walk(member.value, "\(prefix)\(member.name).") }
            case .null, .bool, .number: break
            }
        }
        walk(json, "")
        return found
    }

    private static func threeDSecure(_ body: Json) -> ThreeDSecure? {
        if let second = body["threeds2"], second.members != nil {
            let step: ThreeDSecure.Step? =
                second["redirect"] != nil ? .challenge : second["iframe"] != nil ? .method : nil
            return ThreeDSecure(version: "2", step: step)
        }
        guard body["acs"]?.members?.isEmpty == false else { return nil }
        return ThreeDSecure(version: "1", step: nil)
    }

    enum Limits {
        static let clarificationFields = 64
        static let nameCharacters = 128
    }
}

extension Message.Operation {
    init(_ json: Json) {
        id = json["id"]?.scalarText
        type = json["type"]?.text
        status = json["status"]?.text
        code = json["code"]?.scalarText
        amount = Self.amount(json["sum_initial"])
        createdAt = json["created_date"]?.text.flatMap { Timestamp($0) }
        changedAt = json["date"]?.text.flatMap { Timestamp($0) }
        refundReference = json["merchant_refund_id"]?.scalarText
    }

    /// The requested sum: minor units and a currency that the table knows.
    private static func amount(_ json: Json?) -> EvidenceAmount {
        guard let json, !json.isNull else { return .absent }
        guard let currency = json["currency"]?.text.flatMap({ Currency($0) }) else {
            return .unreadable(bounded: "\(json["amount"]?.scalarText ?? "") \(json["currency"]?.text ?? "")")
        }
        return EvidenceAmount(minor: json["amount"], currency)
    }
}
