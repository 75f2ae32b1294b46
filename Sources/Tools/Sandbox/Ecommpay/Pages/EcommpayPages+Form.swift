import Kernel

/// The content of the form's page.
struct EcommpayFormView: Hashable, Sendable {
    let form: EcommpayForm
    let payment: EcommpayPayment?
    let exit: EcommpayForm.Exit?
    let isExpired: Bool
    let mayTryAgain: Bool
    let secondsLeft: Int64
}

/// The pages, rendered on the server; no page needs a script.
enum EcommpayPages {
    /// Every violation of a form address.
    static func refused(_ violations: [PaymentPageParameters.Violation]) -> String {
        let rows = violations.map { Html("<tr><td>\($0.parameter)</td><td>\($0.code.rawValue)</td></tr>") }
        return Html.page(
            title: "The form can't be opened",
            """
            <main><h1>The form can't be opened</h1><p>The address was refused.</p>
            <table><thead><tr><th scope="col">Parameter</th><th scope="col">Why</th></tr></thead>
            <tbody>\(rows)</tbody></table></main>
            """
        )
    }

    /// The payer's page, whatever comes next.
    static func form(_ view: EcommpayFormView) -> String {
        let words = view.form.language.words
        let content = content(view, words)
        let page: Html = "<main>\(head(view))\(content.body)\(foot(view))</main>"
        return Html.page(
            title: "Payment",
            language: view.form.language.rawValue,
            refreshSeconds: content.refreshes ? 1 : nil,
            page
        )
    }

    private static func head(_ view: EcommpayFormView) -> Html {
        let title = view.form.order?.description ?? "Payment"
        let amount = view.form.order.map { Html("<p class=\"amount\">\($0.amount.description)</p>") }
        let id = view.form.order.map { Html("<p class=\"soft\">\($0.key.id)</p>") }
        return "<h1>\(title)</h1>\(amount)\(id)"
    }

    private static func foot(_ view: EcommpayFormView) -> Html {
        let exit = view.exit.map {
            Html("<p><a class=\"button main\" href=\"\($0.url)\">\(view.form.language.words.back)</a></p>")
        }
        return "\(exit)<p class=\"soft\">Sandbox: no real money, no real cards.</p>"
    }

    private static func content(
        _ view: EcommpayFormView,
        _ words: EcommpayLanguage.Words
    ) -> (body: Html, refreshes: Bool) {
        switch view.form.token {
        case .running: return (status(words.working), true)
        case .made: return ("<p class=\"good\" role=\"status\">✓ \(words.save)</p>", false)
        case .refused: return ("<p class=\"bad\" role=\"status\">\(words.declined)</p>", false)
        case .open: break
        }
        guard let payment = view.payment else {
            if view.isExpired { return ("<p class=\"bad\" role=\"status\">The form has expired.</p>", false) }
            if view.form.isAbandoned { return (status(words.declined), false) }
            return (start(view, words), false)
        }
        switch payment.rest {
        case .processing: return (status(words.working), true)
        case .awaiting3ds: return (challenge(view), false)
        case .awaitingRedirect: return (bank(view), false)
        case .awaitingClarification: return (clarification(view), false)
        case .awaitingCustomerAction: return (customerAction(view), false)
        case .awaitingCustomer, .error: return (retry(view, payment, words), false)
        case .externalProcessing, .internalError, .externalError, .unheardOf: return (status(words.working), false)
        case .success, .reversed, .partiallyReversed, .refunded, .partiallyRefunded:
            return ("<p class=\"good\" role=\"status\">✓ \(words.paid)</p>", false)
        case .awaitingCapture: return ("<p class=\"good\" role=\"status\">✓ \(words.reserved)</p>", false)
        case .decline, .cancelled, .canceled, .expired:
            return ("<p class=\"bad\" role=\"status\">\(words.declined)</p>", false)
        }
    }

    private static func status(_ text: String) -> Html { "<p role=\"status\">\(text)</p>" }

    private static func button(_ action: String, _ text: String, isMain: Bool = false) -> Html {
        let look: Html = isMain ? " class=\"main\"" : ""
        return "<button name=\"action\" value=\"\(action)\"\(look)>\(text)</button>"
    }

    private static func sending(_ view: EcommpayFormView, _ body: Html) -> Html {
        "<form method=\"post\" action=\"/payment/form/\(view.form.id)\">\(body)</form>"
    }

    private static func start(_ view: EcommpayFormView, _ words: EcommpayLanguage.Words) -> Html {
        let verb: String
        switch view.form.mode {
        case .purchase: verb = words.pay
        case .cardVerify: verb = words.verify
        case .tokenize: verb = words.save
        }
        return sending(
            view,
            """
            \(cards(view, words))<p>\(button("pay", verb, isMain: true))</p>
            <fieldset><legend>Or decide what happens</legend>
            \(button("approve", "Approve"))\(button("decline", "Decline"))
            \(button("decline_retry", "Decline, offer another try"))\(button("three_ds", "3-D Secure"))
            \(button("clarification", "Ask for more data"))\(button("redirect", "Send to a bank's page"))
            \(button("customer_action", "Show a QR code"))</fieldset>
            <p>\(button("abandon", words.leave))</p>
            """
        )
    }

    /// The test cards; a preselected one is the only choice.
    private static func cards(_ view: EcommpayFormView, _ words: EcommpayLanguage.Words) -> Html {
        let preset = view.form.order?.presetCard
        let choices = preset.map { [$0] } ?? EcommpayTestCard.allCases
        let rows = choices.enumerated().map { index, card -> Html in
            let checked: Html = index == 0 ? " checked" : ""
            return """
                <label><input type="radio" name="card" value="\(card.rawValue)"\(checked)> \(card.masked)
                <span class="soft">\(card.brand): \(card.purpose)</span></label>
                """
        }
        return "<fieldset><legend>\(words.card)</legend>\(rows)</fieldset>"
    }

    private static func retry(
        _ view: EcommpayFormView,
        _ payment: EcommpayPayment,
        _ words: EcommpayLanguage.Words
    ) -> Html {
        let left = EcommpayLimits.attempts - payment.attemptsUsed
        return """
            <p class="bad" role="status">\(words.declined)</p>
            <p class="note">\(words.tryAgain) (\(left) × / \(view.secondsLeft) s)</p>\(start(view, words))
            """
    }

    private static func challenge(_ view: EcommpayFormView) -> Html {
        sending(
            view,
            """
            <div class="note"><h2>3-D Secure</h2><p>Your bank wants to know that it is you.</p>
            \(button("pass", "Yes, it is me", isMain: true))\(button("fail", "Wrong code"))
            \(button("abandon", "Close the window"))</div>
            """
        )
    }

    private static func bank(_ view: EcommpayFormView) -> Html {
        sending(
            view,
            """
            <div class="note"><h2>The bank's page</h2><p>Confirm the payment in your bank.</p>
            \(button("pass", "Confirm", isMain: true))\(button("fail", "Refuse"))</div>
            """
        )
    }

    private static func clarification(_ view: EcommpayFormView) -> Html {
        sending(
            view,
            """
            <div class="note"><h2>One more thing</h2><p>The payment needs the address of the card.</p>
            <label>Postal code <input type="text" name="avs_post_code" autocomplete="off"></label>
            <label>Street <input type="text" name="avs_street_address" autocomplete="off"></label>
            \(button("pass", "Send", isMain: true))\(button("fail", "Send wrong data"))</div>
            """
        )
    }

    private static func customerAction(_ view: EcommpayFormView) -> Html {
        sending(
            view,
            """
            <div class="note"><h2>QR code</h2><p>Scan the code with your bank's app.</p>
            \(button("pass", "Scanned and paid", isMain: true))\(button("fail", "Refused in the app"))</div>
            """
        )
    }
}
