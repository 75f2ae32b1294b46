import Kernel
import Sandbox
import Testing

struct EcommpayCallbackTests {
    @Test func `gaps are ten seconds at first, then grow to four hours`() {
        let gaps = (1...119).map { EcommpayRetrySchedule.gap(after: $0) }
        #expect(gaps[..<5].allSatisfy { $0 == .seconds(10) })
        #expect(gaps[5] == .milliseconds(70_000 + 12_544))
        #expect(zip(gaps.dropFirst(5), gaps.dropFirst(6)).allSatisfy { $0 <= $1 })
        #expect(gaps.last == .seconds(4 * 3600))
        #expect(gaps.allSatisfy { $0 <= .seconds(4 * 3600) })
    }

    @Test func `only 200 is an acceptance; everything else is repeated`() {
        var driver = SimulatorDriver()
        driver.replies = [.status(500), .status(204), .noAnswer, .status(404), .status(200)]
        driver.paid("a")
        driver.pass(.seconds(3600))
        #expect(driver.posted.count == 5)
        #expect(Set(driver.posted.map(\.body)).count == 1)
        #expect(driver.simulator.callbacks.inOrder.map(\.state) == [.delivered])
        #expect(driver.posted.map(\.attempt.number) == [1, 2, 3, 4, 5])
    }

    @Test func `after 120 attempts or eleven days nobody tries again`() {
        var driver = SimulatorDriver()
        driver.replies = Array(repeating: .status(503), count: 200)
        driver.paid("a")
        driver.pass(.seconds(30 * 86_400))
        let delivery = driver.simulator.callbacks.inOrder[0]
        #expect(delivery.state == .givenUp)
        #expect(delivery.attempts.count <= 120)
        let lived = delivery.attempts[delivery.attempts.count - 1].at.since(delivery.createdAt)
        #expect(lived <= .seconds(11 * 86_400))
        #expect(lived > .seconds(5 * 86_400))
    }

    @Test func `the speed divides the documented waits`() {
        var timings = EcommpayTimings()
        timings.speed = 100
        var driver = SimulatorDriver(timings: timings)
        driver.replies = [.status(500)]
        driver.paid("a")
        driver.pass(.seconds(1))
        #expect(driver.posted.count == 2)
        #expect(driver.simulator.callbacks.inOrder[0].attempts[1].at.since(SimulatorDriver.start) < .seconds(1))
    }

    @Test func `callbacks go to the payment's own address before the project's`() {
        var driver = SimulatorDriver()
        driver.open("a", [("merchant_callback_url", "http://127.0.0.1:7/own")])
        driver.play("a", "approve")
        driver.settle()
        #expect(driver.posted.map(\.url) == ["http://127.0.0.1:7/own"])
        driver.paid("b")
        #expect(driver.posted.last?.url == SimulatorDriver.callbackUrl)
        var homeless = SimulatorDriver { $0.callbackUrl = nil }
        homeless.paid("a")
        #expect(homeless.simulator.callbacks.inOrder.map(\.state) == [.noAddress])
    }

    @Test func `callbacks of one payment leave one after the other`() {
        var driver = SimulatorDriver()
        driver.open("a", amount: EcommpayMagicAmount.challengePassed.minor)
        var actions: [SandboxAction] = []
        for _ in 0..<20 {
            guard let due = driver.simulator.nextDue, due < driver.now.adding(.seconds(5)) else { break }
            actions += driver.simulator.timeReached(due)
        }
        #expect(actions.count == 1, "the second waits until the first attempt of the first has ended")
        guard case .deliver(let first) = actions.first else { return #expect(Bool(false)) }
        let next = driver.simulator.deliveryEnded(first.attempt, .status(500), at: driver.now.adding(.seconds(5)))
        #expect(next.count == 1)
    }

    @Test func `slashes are escaped where the project's platform does so`() throws {
        var driver = SimulatorDriver { $0.escapesSlashes = true }
        driver.open("a/b")
        driver.play("a%2Fb", "approve")
        driver.settle()
        let body = try #require(driver.posted.last).body
        #expect(String(decoding: body, as: UTF8.self).contains(#""id":"a\/b""#))
        #expect(EcommpaySignature.check(try Json(body), key: SimulatorDriver.secret) == nil)
    }

    @Test func `a request can delay or switch off its callbacks`() throws {
        var driver = SimulatorDriver()
        driver.paid("a")
        let token = try #require(driver.callbacks("a").last?.at("account", "token"))
        let base: [(String, Json?)] = [SimulatorDriver.sum(5), ("customer", ["id": "c"]), ("token", token)]
        driver.gate("card/sale/token", "quiet", base + [("callback", ["force_disable": 1])])
        driver.gate("card/sale/token", "late", base + [("callback", ["delay": 60])])
        driver.settle()
        #expect(driver.callbacks("late").isEmpty)
        driver.pass(.seconds(60))
        #expect(driver.callbacks("late").count == 1)
        #expect(driver.callbacks("quiet").isEmpty)
        #expect(driver.totals("quiet").captured == 5)
    }
}
