import Crypto
package import Kernel
package import Payments
package import ProviderKit

extension SberPaySettings {
    /// Reads the closed schema; the failure names the member.
    ///
    /// The account's mode chooses the default host.
    package init(reading json: Json, in mode: AccountFacts.Mode) throws(SchemaFailure) {
        var object = try ClosedObject(json)
        guard let dialect = try object.text("dialect", atMost: 16).flatMap(Dialect.init) else {
            throw object.failure("dialect", "unknown_word")
        }
        let isEcom = dialect == .ecom
        self.dialect = dialect
        baseUrl = try object.address("baseUrl") ?? dialect.baseUrl(mode)
        pathPrefix = try Self.path("pathPrefix", &object) ?? dialect.pathPrefix
        guard pathPrefix.hasSuffix("/") else { throw object.failure("pathPrefix", "not_a_path") }
        paths = try Self.paths(&object)
        authorization = try object.word("authorization", default: .password)
        if isEcom, authorization == .token { throw object.failure("authorization", "not_in_this_dialect") }
        userName = try object.text("userName", atMost: 30)
        if authorization == .password {
            guard let userName, FieldRules.isUserName(userName) else { throw object.failure("userName", "missing") }
        } else if userName != nil {
            throw object.failure("userName", "given_beside_a_token")
        }
        methods = try object.methods()
        currencyNumeric = try object.text("currencyNumeric", atMost: 3) ?? "643"
        guard ["643", "810"].contains(currencyNumeric) else { throw object.failure("currencyNumeric", "unknown_word") }
        features = try Self.words("features", &object) ?? (isEcom ? ["FORCE_TDS"] : [])
        merchantLogin = try object.text("merchantLogin", atMost: 30)
        shop = Shop(
            clientName: try object.text("clientName", atMost: 1024),
            redirectUri: try object.text("redirectUri", atMost: 512)
        )
        osTypeName = try object.word("osTypeName", default: .dotted)
        let extra = object.value("extraJsonParams") ?? [:]
        guard let members = extra.members else { throw object.failure("extraJsonParams", "not_an_object") }
        extraJsonParams = members
        callback = try Self.callback(&object)
        depositedIsNet = try object.word("depositedIsNet", default: .auto)
        captureReleasesRest = try object.flag("captureReleasesRest", default: true)
        partialVoid = try object.flag("partialVoid", default: false)
        refundKey = try object.flag("refundKey", default: isEcom)
        unattended = try object.flag("unattended", default: isEcom)
        tokenPay = try object.flag("tokenPay", default: false)
        idempotencyHeader = try object.flag("idempotencyHeader", default: isEcom)
        zoneHours = try object.integer("zoneHours", in: -12...14) ?? 3
        codeClasses = try Self.codeClasses(&object)
        times = try Self.times(&object)
        try object.end()
    }

    private static func path(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> String? {
        guard let text = try object.text(name, atMost: 256) else { return nil }
        guard text.hasPrefix("/"), FieldRules.isPrintable(text), !text.utf8.contains(UInt8(ascii: "?")) else {
            throw object.failure(name, "not_a_path")
        }
        return text
    }

    private static func paths(_ object: inout ClosedObject) throws(SchemaFailure) -> [GatewayCall: String] {
        guard var given = try object.object("paths") else { return [:] }
        var paths: [GatewayCall: String] = [:]
        for call in GatewayCall.allCases { paths[call] = try path(call.rawValue, &given) }
        try given.end()
        return paths
    }

    /// Words of `features`: capital letters and underscores.
    static func words(_ name: String, _ object: inout ClosedObject) throws(SchemaFailure) -> [String]? {
        guard let items = try object.items(name, atMost: 8) else { return nil }
        var words: [String] = []
        for item in items {
            guard let word = item.text, !word.isEmpty, word.utf8.count <= 32,
                word.utf8.allSatisfy({ (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) || $0 == UInt8(ascii: "_") }
                )
            else { throw object.failure(name, "not_a_word") }
            words.append(word)
        }
        return words
    }

    private static func callback(_ object: inout ClosedObject) throws(SchemaFailure) -> Callback {
        let mode: CallbackMode = try object.word("callbackMode", default: .none)
        let key = try object.text("callbackPublicKey", atMost: 8192)
        if mode == .rsa, key == nil { throw object.failure("callbackPublicKey", "missing") }
        var excluded = ["checksum", "sign_alias"]
        if let items = try object.items("callbackExcluded", atMost: 16) {
            excluded = ["checksum"] + items.compactMap(\.text)
        }
        return Callback(
            mode: mode,
            digest: try object.word("callbackDigest", default: .sha512),
            excluded: Set(excluded),
            publicKey: key,
            isDynamic: try object.flag("dynamicCallback", default: false)
        )
    }

    /// Whether the key can be used; asked once, when the account is configured, because reading it takes its time.
    func checkKey() throws(SettingsFailure) {
        guard let key = callback.publicKey else { return }
        do throws(CryptoFailure) { _ = try RsaVerifier(Array(key.utf8)) } catch {
            let reason = error == .shortKey ? "key_shorter_than_\(RsaVerifier.leastBits)_bits" : "not_a_key"
            throw SettingsFailure(path: "callbackPublicKey", reason: reason)
        }
    }

    private static func codeClasses(_ object: inout ClosedObject) throws(SchemaFailure) -> [Int64: CodeTable.Class] {
        guard let value = object.value("codeClasses") else { return [:] }
        guard let members = value.members else { throw object.failure("codeClasses", "not_an_object") }
        var classes: [Int64: CodeTable.Class] = [:]
        for member in members.members {
            guard let code = Int64(member.name), let kind = member.value.text.flatMap(CodeTable.Class.init) else {
                throw object.failure("codeClasses.\(member.name)", "unknown_word")
            }
            classes[code] = kind
        }
        return classes
    }

    private static func times(_ object: inout ClosedObject) throws(SchemaFailure) -> Times {
        let day: Int64 = 86_400
        return Times(
            payerWindow: try object.duration("payerWindowSeconds", default: 900),
            hold: try object.duration("holdSeconds", default: 7 * day),
            query: try object.duration("querySeconds", default: 365 * day),
            refundKey: try object.duration("refundKeySeconds", default: 30 * day),
            absence: try object.duration("absenceSeconds", default: 300),
            polling: try object.polling(first: 5, cap: 1800)
        )
    }

}
