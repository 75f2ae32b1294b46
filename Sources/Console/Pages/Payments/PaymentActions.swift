import Api
import Http
import Kernel

/// What a person may do to a payment, by what the key may and what the payment allows; the API decides all of it.
enum PaymentActions {
    static let notices: [String: Text] = [
        "capture": .doneCapture, "void": .doneVoid, "refund": .doneRefund, "sync": .doneSync,
        "evidence": .doneEvidence, "propose": .donePropose, "approve": .doneApprove, "dispute": .doneDispute,
        "won": .doneDispute, "lost": .doneDispute, "file": .doneFile, "fileKnown": .fileKnown,
    ]

    // MARK: Forms

    static func forms(_ visit: Visit, _ payment: Json, _ files: DisputeFiles) -> Html? {
        let amounts = payment["amounts"]
        func sum(_ name: String) -> Int64 { amounts?[name]?.integer ?? 0 }
        let currency = amounts?["currency"]?.text ?? payment.at("amount", "currency")?.text ?? ""
        let isPayment = payment["object"]?.text == "payment"
        let left = sum("captured") - sum("refunded") - sum("chargedBack") - sum("disputed")
        let isUnpaid = ["created", "requiresAction"].contains(payment["status"]?.text ?? "")
        var forms: [Html] = []
        if visit.may(.commands) {
            if isPayment, sum("held") > 0 {
                forms.append(money(visit, payment, "capture", .capture, .captureHint, sum("held"), currency))
            }
            if isPayment, sum("held") > 0 || isUnpaid {
                forms.append(
                    money(visit, payment, "void", .void, .voidHint, isUnpaid ? nil : sum("held"), currency)
                )
            }
            if isPayment, left > 0 {
                forms.append(money(visit, payment, "refund", .refund, .refundHint, left, currency))
            }
            forms.append(plain(visit, payment, "sync", .sync, .syncHint))
            if isPayment, left > 0 {
                forms.append(money(visit, payment, "dispute", .recordDispute, .recordDisputeHint, left, currency))
            }
            forms += disputes(visit, payment) + files.forms
        }
        forms += SettlementForms(visit, payment).html
        guard !forms.isEmpty else { return nil }
        return panel(visit.say(.actions), "actions") { for form in forms { form } }
    }

    /// A form of a command; it names the version that the person has seen.
    static func form(
        _ visit: Visit,
        _ payment: Json,
        _ action: String,
        _ title: Text,
        _ hint: Text,
        isPerson: Bool = false,
        @HtmlBuilder _ content: () -> Html
    ) -> Html {
        tag("details", .class("action")) {
            tag("summary") { visit.say(title) }
            visit.sending(Address("payments", payment["id"]?.text ?? "", "actions", action)) {
                tag("p", .class("hint")) { visit.say(hint) }
                hidden("version", "\(payment["version"]?.integer ?? 0)")
                content()
                button(visit.say(title), isPerson ? "button-person" : "button-main")
            }
        }
    }

    private static func plain(_ visit: Visit, _ payment: Json, _ action: String, _ title: Text, _ hint: Text) -> Html {
        form(visit, payment, action, title, hint) { Html.empty }
    }

    private static func money(
        _ visit: Visit,
        _ payment: Json,
        _ action: String,
        _ title: Text,
        _ hint: Text,
        _ most: Int64?,
        _ currency: String
    ) -> Html {
        form(visit, payment, action, title, hint, isPerson: action != "capture") {
            if let most {
                hidden("currency", currency)
                Field(
                    name: "amount",
                    label: "\(visit.say(.amount)), \(currency)",
                    value: visit.formats.field(most, currency),
                    isNeeded: true,
                    most: 24,
                    mode: "decimal"
                ).named(action)
            }
            Field(name: "reason", label: visit.say(.reason)).named(action)
        }
    }

    private static func disputes(_ visit: Visit, _ payment: Json) -> [Html] {
        let open = (payment["disputes"]?.items ?? []).filter { $0["stage"]?.text == "opened" }
        return open.flatMap { dispute in
            [("won", Text.disputeWon), ("lost", Text.disputeLost)].map { action, title in
                form(visit, payment, action, title, .disputeEndHint, isPerson: action == "lost") {
                    hidden("dispute", dispute["id"]?.text ?? "")
                    Field(name: "reason", label: visit.say(.reason)).named("\(action)-\(dispute["id"]?.text ?? "")")
                }
            }
        }
    }

    // MARK: Commands

    /// What a form's fields mean to the API: the path below the payment, the body, and whether the seen version guards it.
    private struct Command {
        let path: String
        var body: Json = [:]
        var isGuarded = true
        let scope: Scope
    }

    static func perform(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let action = visit.path["action"] ?? ""
        guard let command = try command(action, visit) else {
            throw Problem(.routeUnknown, "There is no such action.")
        }
        guard visit.may(command.scope) else {
            throw Problem(
                .scopeMissing,
                "The API key lacks a scope.",
                members: [("scope", .string(command.scope.rawValue))]
            )
        }
        var headers = [("Prefer", "wait=4")]
        if command.isGuarded, let version = visit.filled("version") { headers.append(("If-Match", "\"\(version)\"")) }
        let back = Address("payments", visit.path["payment"] ?? "")
        do throws(Problem) {
            _ = try await visit.command(
                .post,
                PaymentPage.path(visit) + command.path,
                command.body,
                key: visit.filled(Visit.commandKey),
                headers: headers
            )
        } catch {
            return ProblemPage(error, visit, back: back).response
        }
        return .seeOther(back.with("done", action))
    }

    private static func command(_ action: String, _ visit: Visit) throws(Problem) -> Command? {
        switch action {
        case "capture", "void", "refund":
            return Command(path: "/\(action)", body: try part(visit), scope: .commands)
        case "sync": return Command(path: "/sync", isGuarded: false, scope: .commands)
        case "dispute": return Command(path: "/disputes", body: try part(visit), scope: .commands)
        case "won", "lost":
            let dispute = FormEncoding.escape(visit.field("dispute") ?? "")
            return Command(path: "/disputes/\(dispute)/\(action)", body: try part(visit), scope: .commands)
        case "evidence":
            return Command(
                path: "/evidence",
                body: ["evidence": .string(visit.field("evidence") ?? "")],
                isGuarded: false,
                scope: .resolve
            )
        case "propose":
            return Command(path: "/resolutions", body: try SettlementForms.proposal(visit), scope: .resolve)
        case "approve":
            let resolution = FormEncoding.escape(visit.field("resolution") ?? "")
            return Command(
                path: "/resolutions/\(resolution)/approve",
                body: ["seenVersion": SettlementForms.seenVersion(visit)],
                scope: .approve
            )
        default: return nil
        }
    }

    /// An amount and a reason, each where it was given.
    private static func part(_ visit: Visit) throws(Problem) -> Json {
        .compact([
            ("amount", try amount(visit)), ("reason", visit.filled("reason").map(Json.string)),
        ])
    }

    /// The amount of a form, as a person of this language types it.
    static func amount(_ visit: Visit) throws(Problem) -> Json? {
        guard let text = visit.filled("amount") else { return nil }
        guard let currency = Currency(visit.field("currency") ?? "") else {
            throw Problem(.currencyUnknown, "The currency is not known.", path: "currency")
        }
        do throws(MoneyFailure) {
            let money = try visit.formats.typed(text, currency)
            return ["value": .integer(money.minor), "currency": .string(currency.code)]
        } catch {
            throw Problem(
                .amountScale,
                "An amount of \(currency.code) has at most \(currency.exponent) digits behind the mark.",
                path: "amount"
            )
        }
    }
}

extension Field {
    /// The same field where several forms of a page have one of this name.
    func named(_ form: String) -> Html {
        var copy = self
        copy.form = form
        return copy.html
    }
}
