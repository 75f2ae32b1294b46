import EventSourcing
import Kernel
import Payments
import Testing

struct AccountTests {
    private func account(_ events: [AccountEvent] = []) -> Account { .fold(Samples.accountId, events) }

    private var configured: AccountEvent { .configured(Samples.configuration(), by: "root", at: Samples.noon) }

    @Test func `configuring an account records the whole configuration`() throws {
        let events = try account().decide(.configure(Samples.configuration()), Samples.context())
        #expect(events == [.configured(Samples.configuration(), by: "key:shop", at: Samples.noon)])
        let facts = account(events).facts
        #expect(facts?.version == 1)
        #expect(facts?.name == "ecommpay-eur")
    }

    @Test func `the same configuration twice is a success with nothing to record`() throws {
        #expect(try account([configured]).decide(.configure(Samples.configuration()), Samples.context()).isEmpty)
    }

    @Test func `a new configuration replaces the old one and raises the version`() throws {
        let wanted = Samples.configuration(name: "renamed", currencies: [Samples.euro])
        let events = try account([configured]).decide(.configure(wanted), Samples.context())
        let after = account([configured] + events)
        #expect(after.version == 2)
        #expect(after.configuration == wanted)
        #expect(after.takes(Samples.euro))
        #expect(!after.takes(Samples.dollar))
    }

    @Test func `provider and mode never change`() {
        let other = Samples.configuration(provider: "portmone")
        let live = Samples.configuration(mode: .live)
        #expect(
            refusal { () throws(Rejection) in try account([configured]).decide(.configure(other), Samples.context()) }
                == "account_fixed"
        )
        #expect(
            refusal { () throws(Rejection) in try account([configured]).decide(.configure(live), Samples.context()) }
                == "account_fixed"
        )
    }

    @Test func `a secret that is not sealed is refused`() {
        let plain = Samples.configuration(secrets: ["secretKey": "12345"])
        #expect(
            refusal { () throws(Rejection) in try account().decide(.configure(plain), Samples.context()) }
                == "secret_not_sealed"
        )
    }

    @Test(arguments: ["", "Ecommpay", "a b", "é", String(repeating: "a", count: 65)])
    func `a name outside its alphabet is refused`(name: String) {
        let wanted = Samples.configuration(name: name)
        #expect(
            refusal { () throws(Rejection) in try account().decide(.configure(wanted), Samples.context()) }
                == "settings_invalid"
        )
    }

    @Test func `a closed account takes no configuration and closing twice records nothing`() throws {
        let closed = account([configured, .closed(by: "root", at: Samples.noon)])
        #expect(!closed.isOpen)
        #expect(try closed.decide(.close, Samples.context()).isEmpty)
        #expect(
            refusal { () throws(Rejection) in try closed.decide(.configure(Samples.configuration()), Samples.context())
            } == "account_closed"
        )
        #expect(
            refusal { () throws(Rejection) in try account().decide(.close, Samples.context()) } == "account_unknown"
        )
    }

    @Test func `commands survive their stored form`() throws {
        for command in [AccountCommand.configure(Samples.configuration(currencies: [Samples.euro])), .close] {
            #expect(try AccountCommand(name: command.name, command.json) == command)
        }
    }
}
