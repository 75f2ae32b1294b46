import Foundation
import Glibc
import Http
import Kernel
import PaystreamClient
import Testing

/// The client library against the real program: what it sends is taken in, what the daemon answers is read.
@Suite(.timeLimit(.minutes(3)), .serialized)
struct ClientLibraryTests {
    private static func client(_ stage: Stage, _ daemon: DaemonProcess) throws -> Paystream {
        let url = try #require(URL(string: daemon.address))
        return Paystream(url: url, key: .init(stage.token))
    }

    private static func sale(_ cents: Int64, _ reference: String) -> NewPayment {
        var payment = NewPayment(mode: .sale, amount: .init(cents, "EUR"), reference: reference)
        payment.customer = "cust-1"
        payment.details = ["payer": ["email": "payer@example.org"]]
        payment.metadata = ["channel": "web"]
        return payment
    }

    /// Creates a payment and pays it; gives it as it is then.
    private static func paid(_ stage: Stage, _ client: Paystream, _ payment: NewPayment) async throws
        -> PaystreamClient.Payment
    {
        let created = try await client.payments.create(payment)
        let action = try await client.payments.nextAction(created.id)
        #expect(action.type == .redirect)
        let page = try #require(action.url).absoluteString
        let opened = try await stage.send(.get, page, HttpHeaders([("Accept", "text/html")]), [])
        #expect(opened.status < 400)
        return try await stage.until("\(created.id) is paid") {
            let now = try await client.payments.get(created.id)
            return now.status == .captured || now.status == .authorized ? .done(now) : .notYet(now.status.text)
        }
    }

    @Test func `a payment is created, paid, refunded and listed`() async throws {
        try await Stage.run("e2eclient") { stage, daemon in
            let client = try Self.client(stage, daemon)
            let payment = try await Self.paid(stage, client, Self.sale(7700, "order-1"))
            #expect(payment.amounts?.captured == 7700)
            #expect(payment.metadata == ["channel": "web"])
            let wait = CommandOptions(key: "order-1-refund", wait: .seconds(10))
            let part = PaystreamClient.Money(2000, "EUR")
            let refunded = try await client.payments.refund(payment.id, amount: part, reason: "one came back", wait)
            #expect(refunded.status == .partiallyRefunded)
            #expect(refunded.refunds.map(\.state) == [.known(.succeeded)])
            // The same key moves no more money; it answers the payment as it was when the command was taken in.
            let again = try await client.payments.refund(payment.id, amount: part, reason: "one came back", wait)
            #expect(again.id == payment.id && again.version < refunded.version)
            #expect(try await client.payments.get(payment.id).amounts?.refunded == 2000)
            #expect(try await stage.ledger(try await stage.providerName(daemon, payment.id)).count == 2)
            for number in 2...4 { _ = try await client.payments.create(Self.sale(1000, "order-\(number)")) }
            try await stage.until("the list has them all") {
                var found: [String] = []
                var filter = PaymentFilter(customer: "cust-1")
                filter.limit = 2
                for try await row in client.payments.list(filter) { found.append(row.reference ?? "") }
                return Set(found).count == 4 && found.count == 4 ? .done(()) : .notYet("\(found)")
            }
            var log: [String] = []
            for try await entry in client.payments.log(payment.id) { log.append(entry.type) }
            #expect(log.count > 4)
        }
    }

    @Test func `a hold is captured in part and the rest given back`() async throws {
        try await Stage.run("e2eclienthold") { stage, daemon in
            let client = try Self.client(stage, daemon)
            var hold = Self.sale(7700, "hold-1")
            hold.mode = .authorize
            let held = try await Self.paid(stage, client, hold)
            let wait = CommandOptions(wait: .seconds(10))
            let captured = try await client.payments.capture(held.id, amount: .init(5000, "EUR"), wait)
            #expect(captured.captures.map(\.state) == [.known(.succeeded)])
            let stale = CommandOptions(ifVersion: held.version)
            let error = await #expect(throws: PaystreamError.self) {
                try await client.payments.refund(held.id, stale)
            }
            #expect(error?.problem?.code == "precondition_failed")
        }
    }

    @Test func `refusals are typed, and a daemon that comes back is reached`() async throws {
        try await Stage.run("e2eclienterrors") { stage, daemon in
            let client = try Self.client(stage, daemon)
            let bad = await #expect(throws: PaystreamError.self) {
                try await client.payments.create(Self.sale(-1, "bad"))
            }
            #expect(bad?.problem?.path == "amount.value")
            #expect(bad?.problem?.requestId?.isEmpty == false)
            let unknown = "pay_" + String(repeating: "0", count: 32)
            let missing = await #expect(throws: PaystreamError.self) { try await client.payments.get(unknown) }
            #expect(missing?.problem?.code == "payment_unknown")
            let url = try #require(URL(string: daemon.address))
            let stranger = Paystream(url: url, key: "psk_wrong")
            let refused = await #expect(throws: PaystreamError.self) { try await stranger.payments.get(unknown) }
            #expect(refused?.problem?.status == 401)
            // The command is begun while nobody is there.
            try await stage.end(daemon, SIGKILL)
            async let created = client.payments.create(Self.sale(1000, "away"), .key("away"))
            try await Task.sleep(for: .milliseconds(300))
            let next = try await stage.serve(onPortOf: daemon)
            let payment = try await created
            #expect(try await stage.payment(next, payment.id)["reference"]?.text == "away")
            #expect(try await client.payments.create(Self.sale(1000, "away"), .key("away")).id == payment.id)
        }
    }

    @Test func `schedules and saved cards are read as the daemon shows them`() async throws {
        try await Stage.run("e2eclientmore") { stage, daemon in
            let client = try Self.client(stage, daemon)
            let card = try await stage.ecommpayCard(daemon, "card")
            let instrument = try await client.instruments.get(card)
            #expect(instrument.status == .usable)
            try await stage.until("the list has the card") {
                var listed: [String] = []
                for try await one in client.instruments.list(customer: "cust-1") { listed.append(one.id) }
                return listed == [card] ? .done(()) : .notYet("\(listed)")
            }
            let rule = ScheduleRule(zone: "Europe/Berlin", period: .month, start: "2030-01-31", time: "10:00")
            var new = NewSchedule(kind: .regular, amount: .init(7700, "EUR"), customer: "cust-1", rule: rule)
            new.details = ["payer": ["email": "payer@example.org"]]
            let schedule = try await client.schedules.create(new, .key("subscription"))
            #expect(try await client.schedules.get(schedule.id).rule?["zone"]?.text == "Europe/Berlin")
            #expect(try await client.schedules.cancel(schedule.id).id == schedule.id)
            #expect(try await client.instruments.remove(card).id == card)
        }
    }

    @Test func `a payment has the id that the program made, and is found by its labels`() async throws {
        try await Stage.run("e2eclientids") { stage, daemon in
            let client = try Self.client(stage, daemon)
            var new = Self.sale(1000, "own")
            new.id = NewId.payment()
            new.metadata = ["channel": "web", "till & no": "7=a"]
            let payment = try await client.payments.create(new)
            #expect(payment.id == new.id)
            // Another call with another key, as after a crash that lost the first one's.
            #expect(try await client.payments.create(new).id == new.id)
            var other = new
            other.reference = "other"
            let taken = await #expect(throws: PaystreamError.self) { try await client.payments.create(other) }
            #expect(taken?.problem?.code == "id_taken" && taken?.problem?.path == "id")
            _ = try await client.payments.create(Self.sale(1000, "another"))
            var filter = PaymentFilter()
            filter.metadata = ["till & no": "7=a", "channel": "web"]
            let narrowed = filter
            try await stage.until("the list has it") {
                var found: [String] = []
                for try await row in client.payments.list(narrowed) { found.append(row.id) }
                return found == [payment.id] ? .done(()) : .notYet("\(found)")
            }
            var held = Self.sale(7700, "held")
            held.mode = .authorize
            let plan = try await Self.paid(stage, client, held).capturePlan
            #expect(plan?.capturable == 7700 && plan?.final == false && plan?.until != nil)
        }
    }

    @Test func `webhook endpoints, accounts and reports have types`() async throws {
        try await Stage.run("e2eclientadmin") { stage, daemon in
            let client = try Self.client(stage, daemon)
            let hooks = client.webhookEndpoints
            let made = try await hooks.create(.init(url: "https://shop.com/hook", types: ["payment.*"]), .key("hook"))
            let secret = try #require(made.secret)
            #expect(
                try await hooks.create(.init(url: "https://shop.com/hook", types: ["payment.*"]), .key("hook")).secret
                    == secret
            )
            var changed = NewWebhookEndpoint(url: "https://shop.com/other")
            changed.order = .resource
            #expect(try await hooks.change(made.id, to: changed).order?.known == .resource)
            let rotated = try await hooks.rotateSecret(made.id, overlap: .seconds(60))
            #expect(rotated.secret != secret && rotated.secrets?.count == 2)
            #expect(try await hooks.disable(made.id).disabledReason?.known == .asked)
            let closed = await #expect(throws: PaystreamError.self) { try await hooks.ping(made.id) }
            #expect(closed?.problem?.code == "webhook_endpoint_disabled")
            #expect(try await hooks.enable(made.id).status?.known == .enabled)
            let ping = try await hooks.ping(made.id)
            try await stage.until("the ping is in the list of deliveries") {
                var events: [String] = []
                for try await delivery in hooks.deliveries(made.id) { events.append(delivery.event) }
                return events == [ping.event] ? .done(()) : .notYet("\(events)")
            }
            #expect(try await hooks.remove(made.id).status?.known == .removed)
            #expect(try await hooks.list().first().items.isEmpty)

            var account = NewAccount(name: "second", provider: "ecommpay", mode: .test)
            account.settings = ["projectId": .integer(Stage.project), "currencies": ["EUR"]]
            account.secrets = ["secretKey": Stage.secret]
            #expect("\(account)".contains(Stage.secret) == false)
            #expect(try await client.accounts.configure(account).account?.secrets == ["secretKey"])
            #expect(try await client.accounts.close("second").account?.open == false)
            #expect(try await client.accounts.list().first().items.map(\.name).sorted() == ["ecommpay-eur", "second"])

            _ = try await Self.paid(stage, client, Self.sale(7700, "reported"))
            #expect(try await client.reports.list().contains { $0.name == "turnover" })
            var question = ReportQuestion()
            question.isOfAllModes = true
            let asked = question
            let report = try await stage.until("the books have it") {
                let report = try await client.reports.make("turnover", asked)
                return report.rows.isEmpty ? .notYet("no rows") : .done(report)
            }
            question.asOf = "\(report.position)"
            #expect(try await client.reports.make("turnover", question).rows == report.rows)
            let table = String(decoding: try await client.reports.file("turnover", question, as: .csv), as: UTF8.self)
            #expect(table.contains("EUR"))
        }
    }

    @Test func `the feed is read on from a checkpoint, while it waits and after a crash`() async throws {
        try await Stage.run("e2eclientfeed") { stage, daemon in
            let client = try Self.client(stage, daemon)
            let checkpoint = FileCheckpoint(path: stage.folder + "/feed.json")
            let reader = client.events.reader(checkpoint, EventFilter(types: ["payment.captured", "refund.*"]))
            let heard = Locked<[String]>([])
            let following = Task {
                try await reader.run { event in heard.withLock { $0.append("\(event.type) \(event.resource.id)") } }
            }
            let first = try await Self.paid(stage, client, Self.sale(7700, "feed-1"))
            try await stage.until("the reader hears it") {
                let all = heard.withLock { $0 }
                return all == ["payment.captured \(first.id)"] ? .done(()) : .notYet("\(all)")
            }
            following.cancel()
            _ = await following.result
            // Nobody reads meanwhile.
            _ = try await client.payments.refund(first.id, .init(wait: .seconds(10)))
            let second = try await Self.paid(stage, client, Self.sale(7700, "feed-2"))
            try await stage.until("the feed has it all") {
                let page = try await client.events.page(EventFilter(types: ["payment.captured"]))
                return page.items.count == 2 ? .done(()) : .notYet("\(page.items.count)")
            }
            let payloads = Locked<[PaystreamClient.Payment]>([])
            try await reader.catchUp { event in
                heard.withLock { $0.append("\(event.type) \(event.resource.id)") }
                let payment: PaystreamClient.Payment = try event.payload()
                payloads.withLock { $0.append(payment) }
            }
            let all = heard.withLock { $0 }
            #expect(all.filter { $0.hasPrefix("payment.captured") }.count == 2)
            #expect(all.last == "payment.captured \(second.id)")
            #expect(all.contains("refund.succeeded \(first.id)"))
            #expect(Set(all).count == all.count)
            // The events tell the payment as it was.
            #expect(payloads.withLock { $0.last?.amounts?.captured } == 7700)
            let event = try #require(try await client.events.page().items.first)
            #expect(try await client.events.get(event.id) == event)
        }
    }
}
