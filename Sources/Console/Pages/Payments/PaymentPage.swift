import Api
import Http
import Kernel

/// A payment's whole life on one page.
enum PaymentPage {
    static let all: [Page] =
        [
            .shown("/payments/{payment}", by: show),
            .shown("/payments/{payment}/inputs/{input}", .audit, by: InputPage.show),
            .sent("/payments/{payment}/actions/{action}", nil, by: PaymentActions.perform),
        ] + DisputeFiles.all

    /// Where the API has a payment or transfer.
    static func path(_ visit: Visit) -> String {
        let id = visit.path["payment"] ?? ""
        return (id.hasPrefix("trf_") ? "/v1/transfers/" : "/v1/payments/") + visit.segment("payment")
    }

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let path = path(visit)
        let payment = try await visit.read(path)
        var events: [Json]?
        var isCut = false
        if visit.may(.audit) {
            var after: String?
            var found: [Json] = []
            repeat {
                let page = try await visit.read(path + "/events", after.map { [("after", $0)] } ?? [])
                found += page["items"]?.items ?? []
                after = page["next"]?.text
            } while after != nil && found.count < PaymentTimeline.most
            events = found
            isCut = after != nil
        }
        let id = payment["id"]?.text ?? ""
        let files = try await DisputeFiles(visit, payment)
        return Layout(
            visit,
            payment["reference"]?.text ?? id,
            .payments,
            refresh: Words.isUnderWay(payment) ? 4 : nil
        ).response {
            tag("p", .class("crumb")) { link(visit.say(.payments), Address("payments")) }
            visit.notice(PaymentActions.notices)
            tag("div", .id("live-head"), .flag("data-live")) {
                head(visit, payment)
                MoneyBar(visit, payment).html
                obligations(visit, payment)
            }
            PaymentActions.forms(visit, payment, files)
            tag("div", .id("live-log"), .flag("data-live")) {
                tag("div", .class("columns")) {
                    tag("div") {
                        operations(visit, payment)
                        PaymentTimeline(visit, payment, events, isCut: isCut).html
                    }
                    tag("div") { details(visit, payment, files) }
                }
            }
        }
    }

    private static func head(_ visit: Visit, _ payment: Json) -> Html {
        let currency = payment.at("amount", "currency")?.text ?? payment.at("amounts", "currency")?.text ?? ""
        return tag("div", .class("heading")) {
            tag("div") {
                tag("h1", .class("figure")) {
                    if let value = payment.at("amount", "value")?.integer {
                        "\(visit.formats.amount(value, currency)) "
                        tag("span", .class("unit")) { currency }
                    } else {
                        visit.word(Words.paymentMode, payment["mode"]?.text)
                    }
                }
                tag("p", .class("muted")) {
                    payment["reference"]?.text ?? payment["id"]?.text ?? ""
                    if let description = payment["description"]?.text { " · \(description)" }
                }
            }
            tag("div", .class("beside")) { visit.statusBadge(payment) }
        }
    }

    private static func obligations(_ visit: Visit, _ payment: Json) -> Html? {
        guard let items = payment["obligations"]?.items, !items.isEmpty else { return nil }
        return tag("ul", .class("obligations"), .label(visit.say(.whatIsOwed))) {
            for item in items {
                let owner = item["owner"]?.text ?? ""
                tag("li", .class("obligation obligation-\(Words.tone(owner: owner).rawValue)")) {
                    tag("strong") { visit.word(Words.step, item["nextStep"]?.text) }
                    tag("span") {
                        "\(visit.word(Words.obligation, item["kind"]?.text)) · \(visit.word(Words.owner, owner))"
                        if let deadline = item["deadline"]?.text {
                            " · \(visit.say(.until)) "
                            visit.formats.moment(deadline)
                        }
                    }
                    code(item["reason"]?.text)
                }
            }
        }
    }

    private static func operations(_ visit: Visit, _ payment: Json) -> Html? {
        guard let items = payment["operations"]?.items, !items.isEmpty else { return nil }
        let table = DataTable(
            visit.say(.operations),
            [
                Column(visit.say(.requested)), Column(visit.say(.kind)), Column(visit.say(.state)),
                Column(visit.say(.amount), .number), Column(visit.say(.currency), .currency),
                Column(visit.say(.atProvider), .wide),
            ],
            rows: items.map { item in
                let amount = item["booked"].flatMap { $0["value"]?.integer == 0 ? nil : $0 } ?? item["amount"]
                let state = item["state"]?.text ?? ""
                return [
                    visit.formats.moment(item["requestedAt"]?.text),
                    Html(visit.word(Words.operation, item["kind"]?.text)),
                    group {
                        badge(visit.word(Words.operationState, state), Words.tone(operation: state))
                        if let decline = item["decline"]?["class"]?.text {
                            " \(visit.word(Words.decline, decline))"
                        }
                    },
                    Html(
                        amount?["value"]?.integer.map { visit.formats.amount($0, amount?["currency"]?.text ?? "") }
                            ?? "–"
                    ),
                    Html(amount?["currency"]?.text ?? ""),
                    code(item["sightings"]?.items?.compactMap { $0["providerId"]?.text }.joined(separator: ", "))
                        ?? Html("–"),
                ]
            }
        )
        return panel(visit.say(.operations)) { table.html }
    }

    private static func details(_ visit: Visit, _ payment: Json, _ files: DisputeFiles) -> Html {
        group {
            panel(visit.say(.details)) {
                facts([
                    (visit.say(.idOfPayment), code(payment["id"]?.text)),
                    (visit.say(.reference), payment["reference"]?.text.map { Html($0) }),
                    (visit.say(.customer), payment["customer"]?.text.map { Html($0) }),
                    (
                        visit.say(.account),
                        payment.at("account", "name")?.text.map { name in
                            group {
                                name
                                " "
                                badge(visit.word(Words.mode, payment.at("account", "mode")?.text), .quiet)
                            }
                        }
                    ),
                    (visit.say(.provider), payment.at("account", "provider")?.text.map { Html($0) }),
                    (visit.say(.mode), Html(visit.word(Words.paymentMode, payment["mode"]?.text))),
                    (visit.say(.method), Html(visit.word(Words.method, payment["method"]?.text))),
                    (visit.say(.country), payment["country"]?.text.map { Html($0) }),
                    (visit.say(.created), visit.formats.moment(payment["createdAt"]?.text)),
                    (visit.say(.updated), visit.formats.moment(payment["updatedAt"]?.text)),
                    (visit.say(.fee), payment["fee"].map { Html(visit.formats.money($0)) }),
                    (visit.say(.commission), payment["commission"].map { Html(visit.formats.money($0)) }),
                    (visit.say(.referenceAtProvider), code(payment.at("attempt", "reference")?.text)),
                ])
            }
            disputes(visit, payment, files)
            route(visit, payment)
        }
    }

    private static func disputes(_ visit: Visit, _ payment: Json, _ files: DisputeFiles) -> Html? {
        guard let items = payment["disputes"]?.items, !items.isEmpty else { return nil }
        return panel(visit.say(.disputes)) {
            for item in items {
                facts([
                    (
                        visit.say(.state),
                        badge(
                            visit.word(Words.disputeStage, item["stage"]?.text),
                            item["stage"]?.text == "opened" ? .person : .fine
                        )
                    ), (visit.say(.amount), Html(visit.formats.money(item["amount"]))),
                    (visit.say(.opened), visit.formats.moment(item["at"]?.text)),
                    (visit.say(.answerBy), files.deadline(item)),
                    (visit.say(.reason), item["reason"]?.text.map { Html($0) }),
                    (visit.say(.filesForBank), files.list(item)),
                ])
            }
        }
    }

    /// Why which account took it.
    private static func route(_ visit: Visit, _ payment: Json) -> Html? {
        guard let items = payment["routes"]?.items, !items.isEmpty else { return nil }
        return panel(visit.say(.routing)) {
            for item in items { RouteExplanation(visit, item).html }
        }
    }
}

/// Why each account was taken or passed over.
struct RouteExplanation {
    private let visit: Visit
    private let decision: Json

    init(_ visit: Visit, _ decision: Json) {
        self.visit = visit
        self.decision = decision
    }

    var html: Html {
        group {
            tag("p", .class("muted")) {
                if let rule = decision["rule"]?.text {
                    "\(visit.say(.byRule)) "
                    tag("strong") { rule }
                } else {
                    visit.say(.byOrder)
                }
            }
            tag("ul", .class("candidates")) {
                for item in decision["candidates"]?.items ?? [] {
                    let verdict = item["verdict"]?.text ?? ""
                    tag("li") {
                        tag("span") { item.at("account", "name")?.text ?? item.at("account", "id")?.text ?? "" }
                        badge(
                            visit.word(Words.verdict, verdict),
                            verdict == "chosen" ? .fine : verdict == "passed" ? .waits : .quiet
                        )
                        code(item["reason"]?.text)
                    }
                }
            }
        }
    }
}
