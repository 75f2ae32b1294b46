import Conformance
import Crypto
import Dolyame
import Kernel
import Payments
import ProviderKit

/// Cases about an app's SDK: its words and its object.
enum SdkCases {
    static func violations(_ item: Json) -> [String] {
        let input = item["input"] ?? [:]
        let expected = item["expect"]
        if let result = input["sdk_result"]?.text { return claim(result, input["info_status"]?.text, expected) }
        if let event = input["unexpected_event"]?.text { return unexpected(event, expected) }
        if let ending = input["ending"]?.integer { return demo(ending, expected) }
        if input["demoFlow"] != nil { return demoUrl(input, expected) }
        if let previous = input["previous"], let current = input["current"] {
            let ids = [previous, current].map { customerId($0.text) }
            return Comparison.violations(expected, ["sdk_login_kept": .bool(ids[0] != nil && ids[0] == ids[1])])
        }
        if input["channel"] != nil { return channel(input, expected) }
        let object = handover(nil)
        return Comparison.violations(expected, ["mcc": object?.at("order", "mcc") ?? .null])
    }

    /// A claim changes nothing, asks for a question and spends the order's id.
    private static func claim(_ result: String, _ status: String?, _ expected: Json?) -> [String] {
        guard let claim = try? DolyameAdapter().appResult(["result": .string(result)]) else { return ["not a claim"] }
        guard var story = Story(kopecks: 100, method: .sdk) else { return Story.unmade }
        let before = (story.word, story.payment.status)
        let asks = story.perform(.confirm(meaning: claim.meaning.rawValue, code: claim.code))
        let hasMoved = before != (story.word, story.payment.status)
        // One payment has one order id, and the next payment another one.
        let next = Payment.reference(.version5(namespace: Uuid(high: 0, low: 2), name: "attempt:1"))
        let isBurnt = AppResult(rawValue: result) != nil && story.payment.attempt.map { $0.reference != next } ?? false
        if let status { story.answer(.query, 200, Story.order(status, amount: 100)) }
        return Comparison.violations(
            expected,
            [
                "state_change": hasMoved ? .string(story.word) : .null, "follow_up": asks ? "info" : .null,
                "attempt_id_burnt": .bool(isBurnt), "state": .string(story.word),
            ]
        )
    }

    private static func unexpected(_ word: String, _ expected: Json?) -> [String] {
        guard let claim = try? DolyameAdapter().appResult(["unexpectedEvent": .string(word)]), claim.meaning == .error
        else { return ["not a claim of an error"] }
        let event = SdkEvent(rawValue: word)
        return Comparison.violations(
            expected,
            [
                "prevented_by": event.map { .string($0.prevention) } ?? .null,
                "consequence": event.map { .string($0.consequence.rawValue) } ?? .null,
            ]
        )
    }

    private static func demo(_ number: Int64, _ expected: Json?) -> [String] {
        guard let ending = DemoEnding(rawValue: number) else { return ["no such ending"] }
        var found = Comparison.violations(
            expected,
            ["sdk_result": .string(ending.result.rawValue)],
            unheeded: ["final_status_any_of"]
        )
        let words = (expected?["final_status_any_of"]?.items ?? []).compactMap(\.text)
        let statuses = Set(words.compactMap { StatusTable.lookUp($0) })
        if statuses != ending.finalStatuses || words.contains(where: { StatusTable.lookUp($0) == nil }) {
            found.append("final_status_any_of: another set of statuses")
        }
        return found
    }

    private static func demoUrl(_ input: Json, _ expected: Json?) -> [String] {
        let isDemo = input["demoFlow"]?.flag ?? false
        let url = input["notificationUrl"]?.text
        let isDelivered = Handover.isNotified(
            isDemo: isDemo,
            ownUrl: url,
            hasRegisteredUrl: input["default_url_registered"]?.flag ?? false
        )
        // An account that would be told nothing can't be set up at all.
        let values: Json = [
            "login": "shop", "partnerId": "p", "demoFlow": .bool(isDemo), "notificationUrlPerOrder": .bool(url != nil),
        ]
        let isRefused = (try? DolyameSettings(values, in: .test)) == nil
        var found = isDemo && isRefused == isDelivered ? ["the account's settings say otherwise"] : []
        found += Comparison.violations(
            expected,
            ["webhook_delivered": .bool(isDelivered), "acquiring_used": .bool(!isDemo)]
        )
        return found
    }

    private static func channel(_ input: Json, _ expected: Json?) -> [String] {
        let method: PaymentMethod = input["channel"]?.text == "web" ? .hosted : .sdk
        guard var story = Story(kopecks: 100, method: method) else { return Story.unmade }
        var actual: [String: Json] = ["create_called": .bool(story.creates > 0)]
        if let info = input["info"] {
            story.answer(.query, Int(info["http"]?.integer ?? 200), [])
            actual["state"] = .string(story.word)
            actual["alert"] = .bool(story.isAlert)
        }
        let calls: [(String, DispatchPurpose)] = [
            ("create", .operation(.authorize)), ("commit", .operation(.capture)), ("cancel", .operation(.void)),
            ("info", .query), ("refund", .operation(.refund)),
        ]
        actual["allowed_calls"] = .array(calls.filter { plan($0.1, method) != nil }.map { .string($0.0) })
        return Comparison.violations(expected, actual)
    }

    private static let account: BenchAccount = {
        var account = BenchAccount()
        account.settings = [("partnerId", "partner-1")]
        return account
    }()

    private static func plan(_ purpose: DispatchPurpose, _ method: PaymentMethod, customer: String? = nil)
        -> RequestTemplate?
    {
        let base = BenchAccount.terms(100, method: method)
        let terms = PaymentTerms.ofCase(base.mode, method, base.amount, customer: customer, details: base.details)
        return try? DolyameAdapter().plan(
            BenchAccount.dispatch(purpose, kopecks: 100),
            PlanContext(terms: terms, settings: account.account, instrumentToken: nil)
        )
    }

    /// The object that the SDK is filled from.
    private static func handover(_ customer: String?) -> Json? {
        guard let template = plan(.handover, .sdk, customer: customer),
            case .parameters(let object)? = try? DolyameAdapter().render(template, account.materials)
        else { return nil }
        return object
    }

    private static func customerId(_ customer: String?) -> Json? { handover(customer)?.at("customer", "id") }
}
