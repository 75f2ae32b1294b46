import Crypto
import Kernel
import Sandbox

/// The simulated bank with its two merchants, spoken to as the provider's document says.
struct SberPayBank {
    static let callbackKey = "callback-token"
    static let start = Timestamp(seconds: 1_772_445_600)

    var simulator: SberPaySimulator
    var time = SberPayBank.start
    /// Callbacks that left, in order.
    var callbacks: [SandboxDelivery] = []

    init(_ checksum: SberPayMerchant.Checksum = .hmac(Secret(SberPayBank.callbackKey)), speed: Int64 = 1) {
        var legacy = SberPayMerchant(userName: "old-api", password: Secret("old"), dialect: .legacy)
        legacy.checksum = checksum
        legacy.callbackUrl = "https://shop.example/callbacks"
        var ecom = SberPayMerchant(userName: "new", password: Secret("new"), dialect: .ecom)
        ecom.callbackUrl = "https://shop.example/callbacks"
        ecom.sdkKey = Secret("sdk-key")
        var configuration = SberPaySimulator.Configuration(
            merchants: [legacy, ecom],
            address: "http://bank.example",
            startedAt: Self.start
        )
        configuration.timings.speed = speed
        simulator = SberPaySimulator(configuration)
    }

    /// Feeds an input and everything that is due within a second after it.
    private mutating func take(_ request: SandboxRequest) -> SandboxAnswer {
        var answer = SandboxAnswer(status: 0, contentType: "", body: .bytes([]))
        for action in simulator.received(request, at: time) {
            if case .answer(let given) = action { answer = given }
        }
        pass(.seconds(1))
        return answer
    }

    mutating func pass(_ duration: Duration) {
        time = time.adding(duration)
        var isQuiet = false
        while !isQuiet {
            isQuiet = true
            for case .deliver(let delivery) in simulator.timeReached(time) {
                callbacks.append(delivery)
                _ = simulator.deliveryEnded(delivery.attempt, .status(200), at: time)
                isQuiet = false
            }
        }
    }

    /// A call of the newer gateway: JSON.
    mutating func ecom(_ call: String, _ members: [(String, Json)]) -> Json {
        let body = Json.object(JsonObject([("userName", "new"), ("password", "new")] + members))
        let path = "/sberpay/ecomm/gw/partner/api/v1/\(call).do"
        let answer = take(SandboxRequest(method: "POST", path: path, body: body.compactBytes))
        return (try? Json(answer.bytes)) ?? .null
    }

    /// A call of the older gateway: a form.
    mutating func legacy(_ call: String, _ fields: [(name: String, value: String)]) -> Json {
        let form = FormEncoding.encode([("userName", "old-api"), ("password", "old")] + fields)
        let path = "/sberpay/payment/rest/\(call).do"
        let answer = take(SandboxRequest(method: "POST", path: path, body: Array(form.utf8)))
        return (try? Json(answer.bytes)) ?? .null
    }

    /// Opens an order at the newer gateway and gives its id.
    mutating func opened(
        _ number: String,
        _ amount: Int64,
        call: String = "register",
        _ more: [(String, Json)] = []
    ) -> String {
        let answer = ecom(
            call,
            [
                ("orderNumber", .string(number)), ("amount", .integer(amount)), ("currency", "643"),
                ("returnUrl", "https://shop.example/good"), ("failUrl", "https://shop.example/bad"),
            ] + more
        )
        return answer["orderId"]?.text ?? "refused: \(answer.canonicalText)"
    }

    mutating func press(_ id: String, _ buttons: String...) -> [Int] {
        buttons.map { button in
            take(
                SandboxRequest(
                    method: "POST",
                    path: "/sberpay/pp/pay_ru",
                    query: "orderId=\(id)",
                    body: Array("action=\(button)".utf8)
                )
            ).status
        }
    }

    mutating func control(_ path: String, _ body: Json) -> (status: Int, body: Json) {
        let answer = take(
            SandboxRequest(method: "POST", path: "/sberpay/sandbox/" + path, body: body.compactBytes)
        )
        return (answer.status, (try? Json(answer.bytes)) ?? .null)
    }

    mutating func status(_ id: String) -> Json { ecom("getOrderStatusExtended", [("orderId", .string(id))]) }

    /// The ledger's entries as kind and amount.
    func ledger(_ number: String) -> [String] {
        simulator.ledger.entries.filter { $0.owner.payment == number }.map { "\($0.kind.rawValue) \($0.amount.minor)" }
    }

    /// The parameters of a callback that came in the address.
    static func parameters(_ delivery: SandboxDelivery) -> [(name: String, value: String)] {
        FormEncoding.decode(delivery.url.split(separator: "?").last ?? "") ?? []
    }

    static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA9Q3KZsYj/dzEo/4nKHJ3
        /b5SQ/1LL8+buxIbbnWWqsItlgFJG1hJnnYgVMsuN6UCLCj0HqjL0+s1m0uMZAbo
        H8hPDoe222YSvjhv416GObVQevMwkPqr9n2bXGe3Rpg2McCHZUSl08zJNlOM+OAf
        8VvkplJUWf2XDMWXjv0f1dX0U7uCfT54bZv8gsKvLoasDZBLVGx/nabWpAnXQnhK
        +utg0XsT+dP1h/SjSvtm7Sj5aMUQU/gUyaQL0SvH5MIIK5GN81lROCZnEjt9JL3R
        tv5U29J59RtrFyv+9e85ffEvH/jyqfz5HDZgRpgEL8deSIEDa3Hv7IIrkrPtONkS
        pQIDAQAB
        -----END PUBLIC KEY-----
        """

    /// The other half, which signs nothing but tests.
    static let privateKey = Secret(
        """
        -----BEGIN \("PRIVATE") KEY-----
        MIIEvAIBADANBgkqhkiG9w0BAQEFAASCBKYwggSiAgEAAoIBAQD1DcpmxiP93MSj
        /icocnf9vlJD/Usvz5u7EhtudZaqwi2WAUkbWEmediBUyy43pQIsKPQeqMvT6zWb
        S4xkBugfyE8Oh7bbZhK+OG/jXoY5tVB68zCQ+qv2fZtcZ7dGmDYxwIdlRKXTzMk2
        U4z44B/xW+SmUlRZ/ZcMxZeO/R/V1fRTu4J9Pnhtm/yCwq8uhqwNkEtUbH+dptak
        CddCeEr662DRexP50/WH9KNK+2btKPloxRBT+BTJpAvRK8fkwggrkY3zWVE4JmcS
        O30kvdG2/lTb0nn1G2sXK/717zl98S8f+PKp/PkcNmBGmAQvx15IgQNrce/sgiuS
        s+042RKlAgMBAAECggEAE4ajyAiluYarzH1l1V05nmhZ2b0HDqo2OHO659RKyxRp
        2XgEwT8Jrqyu6tK9vgVR5P7mZMMCasJlJRih+R5rxIyLcBb0RQsfFzUcBTv06gg+
        f219QzAWH6/mfzhsbB2Yw+IZZ8JOjE/XAJMrunDxWqP91hrdScZhEM11xBj7PmiE
        AgV+8bkBKBh+vW0m05A/w5yvBh0jGacd4M8pvxnrCiVq1awYtRBlRjVmOxictqf/
        Mg9oTfczxeZokiyHI6XkNhV0U6aWKrSByojG95e9ax37sORCwYsRXwUaWPbujJRa
        gRh/LdkhlHBcb3pU3NDYSO//J7xDYzi+5CZb5s+MwQKBgQD+ITUNTV0P1FRN45JB
        sDaBIFjH0En6nClEzAxyRBpWJV8kD6Jqm+MCFfs+IwEyyQuy0/PHAT/poC95If11
        Mht9EBeAmtwlLboUpsg0RNqnScTwJ0jyyLHpXjThzksaCVwgEyIFXTIzF63NGb95
        bYh5xg3ySiqAdmsnjdIH1xZ7mQKBgQD223vrXyQ7vMo9SJ6Fk+3DAQAWDpGlIF1V
        174gi0bPeafWoxyv+ixy4Fd/mr+t2lkwhJw5qpfsjdin1Xad/Tat0Sx6H5O7Uls8
        zGQDiZJTXkCb9e/O2vGmF/MG5RpLAxkTGNmopn1YOfjLqHH37TRY/+970WZD2xJN
        zeo6O6WW7QKBgBdb5gx69/rkgXtHV8JB+ECWQJLdSm+GuyRfvSUjrWgNt1kRNtSl
        z4/5hUaI4StR34loghfgvYcz+ikgPrPvDyfHuuFPWrzwHxKW4gAr9A08cqXAdqwa
        VoAk8Kdw1uZlxdoM6CumDV805fzcSQVYVBsdYVrMBmwYdnEEUDH4S1DBAoGAIlZN
        WmQViimsh/G9+x6kh+dvt6G3KJzj3rjvvV8iLmHhsr1llCTcYe5KvXktCGXC2jjX
        8j2EfGcOp+nNYhSCspLR+PrDdd7yyfY0QzmznN0TZ55CCSfzTQMvztm3Wo/HwRxH
        ymm+LbOCo/F+SNo52ddf3H04GGA0n5Xw6sC5O9ECgYBc2VXHXHYRCFZ6AnC3R0EA
        loBWLPpYNfl02S+2RHc/bgebO8w4pbR0xdt/1oxAFS5JyLjCWoJWEm59mfq79P2J
        h3Z8Cy3pJeH9UUCq+6AggZ38ke9S/7TGNZ+c1cHCMTru8LAfqMSS01jVjVOT/SJ5
        vCs2UQqH/sBv2R1ygTfGcA==
        -----END \("PRIVATE") KEY-----

        """
    )
}
