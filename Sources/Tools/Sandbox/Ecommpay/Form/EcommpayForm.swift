package import Kernel

/// A form that somebody opened; the platform's merchants know nothing of it until the payer confirms.
package struct EcommpayForm: Hashable, Sendable {
    /// Where the payer is taken at the end.
    package struct Exit: Hashable, Sendable {
        package let url: String
        /// Whether the browser goes there by itself; otherwise a button leads there.
        package let isAutomatic: Bool
    }

    /// How far a form without a payment, one that makes a token, has come.
    package enum TokenState: Hashable, Sendable {
        case open
        case running(EcommpayTestCard, approves: Bool)
        case made(String)
        case refused
    }

    package let id: String
    package let project: Int64
    package let mode: EcommpayMode
    /// Absent where a token is made.
    package let order: EcommpayOrder?
    package let customerId: String?
    package let callbackUrl: String?
    package let success: Exit?
    package let fail: Exit?
    package let comeBack: Exit?
    package let tokenized: Exit?
    package let language: EcommpayLanguage
    package let bestBefore: Timestamp?
    package var isAbandoned = false
    package var token = TokenState.open

    /// Builds the form of a checked address.
    init(id: String, _ parameters: PaymentPageParameters, openedAt: Timestamp) {
        self.id = id
        project = parameters.project
        mode = parameters.mode
        customerId = parameters["customer_id"]
        callbackUrl = parameters["merchant_callback_url"]
        success = EcommpayForm.exit("success", parameters)
        fail = EcommpayForm.exit("fail", parameters)
        comeBack = EcommpayForm.exit("return", parameters)
        tokenized = EcommpayForm.exit("tokenize", parameters)
        language = EcommpayLanguage(code: parameters["language_code"])
        let ahead = openedAt.adding(EcommpayLimits.bestBeforeAhead)
        bestBefore = parameters.bestBefore.flatMap { $0 > ahead ? nil : $0 }
        let returnsByItself = [success, fail].contains { $0?.isAutomatic == true }
        order = EcommpayForm.order(parameters, allowsRetries: !returnsByItself)
    }

    private static func order(_ parameters: PaymentPageParameters, allowsRetries: Bool) -> EcommpayOrder? {
        guard parameters.mode != .tokenize, let amount = parameters.amount, let id = parameters.paymentId else {
            return nil
        }
        var order = EcommpayOrder(
            key: EcommpayPaymentKey(project: parameters.project, id: id),
            channel: .paymentPage,
            amount: amount
        )
        order.mode = parameters.mode
        order.firstOperation = parameters.operationType
        order.customerId = parameters["customer_id"]
        order.customerPhone = parameters["customer_phone"]
        order.description = parameters["payment_description"]
        order.callbackUrl = parameters["merchant_callback_url"]
        order.forcedMethod = parameters["force_payment_method"]
        order.presetCard = parameters["account_token"].flatMap {
            EcommpayTestCard.withToken($0, project: parameters.project)
        }
        order.registersSeries = parameters.registersSeries
        order.seriesTerms = parameters["recurring"].flatMap { try? Json(text: $0) } ?? [:]
        order.allowsRetries = allowsRetries
        return order
    }

    /// The automatic redirect where one is given and enabled, else the button.
    private static func exit(_ kind: String, _ parameters: PaymentPageParameters) -> Exit? {
        for (prefix, isAutomatic) in [("redirect_", true), ("merchant_", false)] {
            let name = prefix + kind
            if let url = parameters[name + "_url"], parameters.values[name + "_enabled"] != "0" {
                return Exit(url: url, isAutomatic: isAutomatic)
            }
        }
        return nil
    }
}
