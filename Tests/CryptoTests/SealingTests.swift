import Crypto
import Kernel
import TestKit
import Testing

struct SealingTests {
    private let random = SeededRandom(seed: 42)
    private let subject = Uuid(high: 1, low: 2)

    private func key(_ seed: UInt64) -> SubjectKey {
        SubjectKey(id: Uuid(high: 7, low: seed), key: SymmetricKey(from: SeededRandom(seed: seed)))
    }

    private func context(_ purpose: String) -> SealContext {
        SealContext(merchant: 5, subject: subject, purpose: purpose)
    }

    @Test func `what was sealed opens in its context and in no other`() throws {
        let key = key(1)
        let sealed = key.seal("ann@example.com", context("email"), nonce: Nonce(from: random), equality: .none)
        #expect(try key.open(sealed, context("email")) == "ann@example.com")
        let others = [
            SealContext(merchant: 6, subject: subject, purpose: "email"),
            SealContext(merchant: 5, subject: Uuid(high: 1, low: 3), purpose: "email"),
            context("phone"), context("emai"), context(""),
        ]
        for other in others {
            #expect(throws: CryptoFailure.notAuthentic) { try key.open(sealed, other) }
        }
        #expect(throws: CryptoFailure.unknownKey) { try self.key(2).open(sealed, context("email")) }
    }

    @Test func `the stored format stays as it is`() throws {
        let nonce = try #require(Nonce([UInt8](repeating: 3, count: 12)))
        let bytes = Secret((1...32).map { UInt8($0) })
        let key = SubjectKey(id: Uuid(high: 7, low: 1), key: try #require(SymmetricKey(bytes)))
        let sealed = key.seal("ann@example.com", context("email"), nonce: nonce, equality: .blindIndex)
        let golden = """
            {"$blind":"3M71KPAbLwzMGKhAtuoDqg",\
            "$sealed":"AQAAAAAAAAAHAAAAAAAAAAEDAwMDAwMDAwMDAwPecSK2yQ6SWfZclCZPjokT_3YSJUgSNyxeHliJi2t6y9k"}
            """
        #expect(sealed.json.canonicalText == golden)
        #expect(Sealed(try Json(text: golden)) == sealed)
        #expect(Sealed(sealed.bytes, blindIndex: sealed.blindIndex) == sealed)
    }

    @Test func `a blind index compares under one key and purpose only`() {
        let key = key(1)
        func seal(_ value: Json, _ purpose: String, _ key: SubjectKey) -> Sealed {
            key.seal(value, context(purpose), nonce: Nonce(from: random), equality: .blindIndex)
        }
        let sealed = seal("ann@example.com", "email", key)
        #expect(sealed.blindIndex == seal("ann@example.com", "email", key).blindIndex)
        #expect(sealed.blindIndex != seal("bob@example.com", "email", key).blindIndex)
        #expect(sealed.blindIndex != seal("ann@example.com", "phone", key).blindIndex)
        #expect(sealed.blindIndex != seal("ann@example.com", "email", self.key(2)).blindIndex)
        let mute = key.seal("ann@example.com", context("email"), nonce: Nonce(from: random), equality: .none)
        #expect(mute.blindIndex == nil)
        #expect(sealed.blindIndex == key.blindIndex(of: "ann@example.com", purpose: "email"))
    }

    @Test func `a skeleton keeps everything but the declared values`() throws {
        let document = try Json(
            text:
                #"{"amount":100,"customer":{"email":"a@b.c","name":null,"tags":["x"]},"#
                + #""items":[{"who":"x"},{"who":"y"}]}"#
        )
        let key = key(1)
        let skeleton = try SealedSkeleton(
            document,
            personal: [
                PersonalPath("customer.email", purpose: "email", equality: .blindIndex),
                PersonalPath("customer.name", purpose: "name"),
                PersonalPath("customer.absent", purpose: "absent"),
                PersonalPath("items.*.who", purpose: "who"),
            ],
            key: key,
            merchant: 5,
            subject: subject,
            random: random
        )
        #expect(skeleton.sealedValues == 3)
        #expect(!skeleton.json.canonicalText.contains("a@b.c"))
        var opened = skeleton.json
        for (path, purpose) in [("customer.email", "email"), ("items.*.who", "who")] {
            opened = try opened.replacing(JsonPath(path)) { value, _ throws(CryptoFailure) in
                guard let sealed = Sealed(value) else { throw .malformedKey }
                return try key.open(sealed, context(purpose))
            }
        }
        #expect(opened == document)
    }

    @Test(arguments: [
        #"{"$sealed":"AQ"}"#, #"{"a":[{"b":{"$blind":1}}]}"#,
    ])
    func `a document from outside with the mark of a sealed value is refused`(_ text: String) throws {
        let document = try Json(text: text)
        #expect(throws: SkeletonFailure.self) {
            try SealedSkeleton(document, personal: [], key: key(1), merchant: 5, subject: subject, random: random)
        }
    }

    @Test func `what is not a sealed value is not read as one`() throws {
        let sealed = key(1).seal("x", context("p"), nonce: Nonce(from: random), equality: .none)
        let text = Base64.encode(sealed.bytes, .url)
        let broken: [Json] = [
            "x", 1, .null, [], .object(JsonObject([])), ["$sealed": 1], ["$sealed": "AQ"], ["$sealed": "!"],
            ["$sealed": .string(text), "more": 1], ["$sealed": .string(text), "$blind": "AQ"],
            ["$sealed": .string(text), "$blind": .null],
            ["$sealed": .string(Base64.encode([2] + sealed.bytes.dropFirst(), .url))],
        ]
        for json in broken { #expect(Sealed(json) == nil, "\(json.canonicalText)") }
    }

    @Test func `sealed values and keys do not print themselves`() {
        let key = key(1)
        let sealed = key.seal("x", context("p"), nonce: Nonce(from: random), equality: .blindIndex)
        var dumped = ""
        dump(sealed, to: &dumped)
        #expect("\(sealed)" == "‹sealed›" && dumped == "- ‹sealed›\n")
        #expect("\(key.key)" == "‹secret›")
    }
}
