import Api
import EventSourcing
import Http
import Kernel

/// Payments and transfers: searched, filtered, kept as filters, downloaded.
enum PaymentListPage {
    static let all: [Page] = [
        .shown("/payments", by: show),
        .shown("/payments/find", by: find),
        .shown("/payments/download", by: PaymentDownload.announce),
        .shown("/payments/download.csv", by: PaymentDownload.send),
        .sent("/payments/filters", .read, by: keepFilter),
        .sent("/payments/filters/drop", .read, by: dropFilter),
    ]

    private static func show(_ visit: Visit) async throws(Problem) -> HttpResponse {
        let search = try PaymentSearch(visit)
        let page = try await visit.read(search.path, search.query)
        let accounts = try await visit.read("/v1/accounts")["items"]?.items ?? []
        guard let key = visit.session?.caller.keyId else { return visit.unknown }
        let filters = try await visit.console.kept { () async throws(StoreFailure) in
            try await visit.console.sessions.filters(of: key)
        }
        let rows = page["items"]?.items ?? []
        return Layout(visit, visit.say(.payments), .payments).response {
            heading(visit.say(search.isTransfers ? .transfers : .payments), visit.say(.paymentsHint)) {
                link(visit.say(.download), search.address("payments", "download"), "button")
            }
            visit.notice(["filter": .filterKept, "dropped": .filterDropped])
            kinds(visit, search)
            chips(visit, filters, search)
            form(visit, search, accounts)
            if rows.isEmpty {
                nothing(visit, search)
            } else {
                table(visit, rows)
                visit.pages(page["next"]?.text)
            }
        }
    }

    private static func kinds(_ visit: Visit, _ search: PaymentSearch) -> Html {
        tag("nav", .class("tabs"), .label(visit.say(.kindOfPayment))) {
            for (isTransfers, title) in [(false, Text.payments), (true, Text.transfers)] {
                tag(
                    "a",
                    .href(Address("payments").with("kind", isTransfers ? "transfers" : nil)),
                    .of("aria-current", search.isTransfers == isTransfers ? "page" : nil)
                ) { visit.say(title) }
            }
        }
    }

    /// Filters that are always at hand, and those that were kept.
    private static func chips(_ visit: Visit, _ filters: [SavedFilter], _ search: PaymentSearch) -> Html {
        tag("div", .class("chips")) {
            for (title, name, value) in [
                (Text.needsPerson, "needsOperator", "true"), (Text.inDispute, "disputed", "true"),
                (Text.onlyFailed, "status", "failed"), (Text.onlyIndeterminate, "status", "indeterminate"),
            ] {
                let address = Address("payments").with("kind", visit.parameter("kind")).with(name, value)
                tag(
                    "a",
                    .class("chip"),
                    .href(address),
                    .of("aria-current", visit.parameter(name) == value ? "true" : nil)
                ) { visit.say(title) }
            }
            for filter in filters {
                if let address = Address(returning: "\(Address.root)/payments?\(filter.query)") {
                    tag("span", .class("chip chip-kept")) {
                        tag("a", .href(address)) { filter.name }
                        visit.sending(Address("payments", "filters", "drop"), "inline") {
                            hidden("name", filter.name)
                            tag(
                                "button",
                                .of("type", "submit"),
                                .class("plain"),
                                .label(visit.say(.dropFilter, ["name": filter.name]))
                            ) { "×" }
                        }
                    }
                }
            }
            if search.isNarrowed {
                tag("details", .class("chip-form")) {
                    tag("summary") { visit.say(.keepFilter) }
                    visit.sending(Address("payments", "filters"), "row") {
                        hidden("query", search.text)
                        Field(
                            name: "name",
                            label: visit.say(.filterName),
                            isNeeded: true,
                            most: SavedFilter.nameCharacters
                        ).html
                        button(visit.say(.keep))
                    }
                }
            }
        }
    }

    private static func form(_ visit: Visit, _ search: PaymentSearch, _ accounts: [Json]) -> Html {
        tag("details", .class("fold"), .flag("open", search.isNarrowed)) {
            tag("summary") { visit.say(.filters) }
            fields(visit, search, accounts)
        }
    }

    private static func fields(_ visit: Visit, _ search: PaymentSearch, _ accounts: [Json]) -> Html {
        tag("form", .class("filters"), .of("method", "get"), .action(Address("payments"))) {
            if search.isTransfers { hidden("kind", "transfers") }
            hidden("zone", visit.reading.zone.name)
            choice(
                "status",
                visit.say(.status),
                [("", visit.say(.any))] + Words.statusOrder.map { ($0, visit.word(Words.status, $0)) },
                visit.parameter("status")
            )
            choice(
                "account",
                visit.say(.account),
                [("", visit.say(.any))]
                    + accounts.compactMap { $0["name"]?.text }.map { ($0, $0) },
                visit.parameter("account")
            )
            choice(
                "provider",
                visit.say(.provider),
                [("", visit.say(.any))]
                    + Set(accounts.compactMap { $0["provider"]?.text }).sorted().map { ($0, $0) },
                visit.parameter("provider")
            )
            choice(
                "method",
                visit.say(.method),
                [("", visit.say(.any))] + Words.methodOrder.map { ($0, visit.word(Words.method, $0)) },
                visit.parameter("method")
            )
            choice(
                "accountMode",
                visit.say(.accountMode),
                [("", visit.say(.any))] + Period.modes.filter { $0 != "all" }.map { ($0, visit.word(Words.mode, $0)) },
                visit.parameter("accountMode")
            )
            Field(name: "reference", label: visit.say(.reference), value: visit.parameter("reference")).html
            Field(name: "customer", label: visit.say(.customer), value: visit.parameter("customer")).html
            Field(
                name: "providerReference",
                label: visit.say(.referenceAtProvider),
                value: visit.parameter("providerReference")
            ).html
            Field(name: "email", label: visit.say(.email), type: "email", value: visit.parameter("email")).html
            Field(name: "card", label: visit.say(.maskedCard), value: visit.parameter("card")).html
            Field(name: "metadata", label: visit.say(.labelSought), value: visit.parameter("metadata")).html
            Field(name: "currency", label: visit.say(.currency), value: visit.parameter("currency")).html
            Field(name: "amountFrom", label: visit.say(.amountFrom), value: visit.parameter("amountFrom")).html
            Field(name: "amountTo", label: visit.say(.amountTo), value: visit.parameter("amountTo")).html
            Field(name: "from", label: visit.say(.fromDay), type: "date", value: visit.parameter("from")).html
            Field(name: "before", label: visit.say(.beforeDay), type: "date", value: visit.parameter("before")).html
            tag("div", .class("filters-end")) {
                button(visit.say(.search), "button-main")
                if search.isNarrowed { link(visit.say(.clear), Address("payments"), "button") }
            }
        }
    }

    private static func nothing(_ visit: Visit, _ search: PaymentSearch) -> Html {
        if search.isNarrowed {
            return visit.nothingMatches(Address("payments"))
        }
        return emptyState(visit.say(.noPayments), visit.say(.noPaymentsHint)) {
            tag("pre", .class("command")) { "POST /v1/payments" }
        }
    }

    static func table(_ visit: Visit, _ rows: [Json]) -> Html {
        DataTable(
            visit.say(.payments),
            [
                Column(visit.say(.created)), Column(visit.say(.amount), .number),
                Column(visit.say(.currency), .currency), Column(visit.say(.status)), Column(visit.say(.reference)),
                Column(visit.say(.customer), .wide), Column(visit.say(.account), .wide),
            ],
            rows: rows.map { row in cells(visit, row) },
            isWalked: true
        ).html
    }

    private static func cells(_ visit: Visit, _ row: Json) -> [Html] {
        let id = row["id"]?.text ?? ""
        let amount = row["amount"]
        let currency = amount?["currency"]?.text ?? row.at("amounts", "currency")?.text
        return [
            tag("a", .class("row-link"), .href(Address("payments", id))) {
                visit.formats.moment(row["createdAt"]?.text)
            },
            Html(amount?["value"]?.integer.map { visit.formats.amount($0, currency ?? "") } ?? "–"),
            Html(currency ?? ""), visit.statusBadge(row),
            row["reference"]?.text.map { Html($0) } ?? tag("span", .class("muted id")) { id },
            Html(row["customer"]?.text ?? "–"),
            group {
                row.at("account", "name")?.text ?? "–"
                if let mode = row.at("account", "mode")?.text, mode != "live" {
                    " "
                    badge(visit.word(Words.mode, mode), .quiet)
                }
            },
        ]
    }

    // MARK: Finding one

    /// What a text may be, by its form, each to be tried in turn.
    private static func readings(of text: String) -> [String] {
        if text.contains("@") { return ["email", "reference", "customer"] }
        if text.contains("*") { return ["card"] }
        return ["reference", "providerReference", "customer"]
    }

    /// Goes to the payment of an id, else searches by what the text may be.
    private static func find(_ visit: Visit) async throws(Problem) -> HttpResponse {
        guard let text = visit.parameter("q")?.trimmingBlanks, !text.isEmpty else {
            return .seeOther(Address("payments"))
        }
        for (prefix, part) in [
            ("pay_", "payments"), ("trf_", "payments"), ("sch_", "schedules"), ("ins_", "instruments"),
            ("bat_", "bill-batches"),
        ] where text.hasPrefix(prefix) && text.utf8.count == 36 {
            return .seeOther(Address(part, text))
        }
        for (path, kind) in [("/v1/payments", nil), ("/v1/transfers", "transfers")] {
            for name in readings(of: text) {
                let page = try await visit.read(path, [(name, text), ("limit", "2")])
                let found = page["items"]?.items ?? []
                if name.hasSuffix("eference"), found.count == 1, let id = found[0]["id"]?.text {
                    return .seeOther(Address("payments", id))
                }
                if !found.isEmpty {
                    return .seeOther(Address("payments").with("kind", kind).with(name, text))
                }
            }
        }
        return .seeOther(Address("payments").with("reference", text))
    }

    // MARK: Filters

    private static func keepFilter(_ visit: Visit) async throws(Problem) -> HttpResponse {
        guard let caller = visit.session?.caller else { return visit.unknown }
        let name = String((visit.filled("name") ?? "").prefix(SavedFilter.nameCharacters))
        let query = visit.field("query") ?? ""
        guard !name.isEmpty, query.utf8.count <= 1024,
            let address = Address(returning: "\(Address.root)/payments?\(query)")
        else { throw Problem(.queryMalformed, "A filter has a name and a query of the list of payments.") }
        let isKept = try await visit.console.kept { () async throws(StoreFailure) in
            try await visit.console.sessions.keep(SavedFilter(name: name, query: query), of: caller)
        }
        guard isKept else { throw Problem(.tooMany, "This key keeps as many filters as it may; drop one first.") }
        return .seeOther(address.with("done", "filter"))
    }

    private static func dropFilter(_ visit: Visit) async throws(Problem) -> HttpResponse {
        guard let caller = visit.session?.caller else { return visit.unknown }
        try await visit.console.kept { () async throws(StoreFailure) in
            try await visit.console.sessions.drop(filter: visit.field("name") ?? "", of: caller.keyId)
        }
        return .seeOther(Address("payments").with("done", "dropped"))
    }
}

extension String {
    fileprivate var trimmingBlanks: String {
        var rest = self[...]
        while let first = rest.first, first.isWhitespace { rest.removeFirst() }
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
