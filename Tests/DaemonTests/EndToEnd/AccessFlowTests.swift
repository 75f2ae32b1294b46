import Api
import Http
import Kernel
import Testing

/// Keys, merchants and what administrators do, over HTTP and by commands: a daemon as a process, PostgreSQL, sandbox.
@Suite(.serialized, .timeLimit(.minutes(4)))
struct AccessFlowTests {
    @Test func `a typing error makes no merchant`() async throws {
        try await Stage.run("typedmerchant") { stage, daemon in
            let error = await #expect(throws: (any Error).self) {
                try await stage.command(["keys", "--merchant", "dmeo", "create", "typo"])
            }
            #expect("\(error.map { "\($0)" } ?? "")".contains("did you mean 'demo'?"))
            #expect(try await stage.count("paystream.merchant WHERE name = 'dmeo'") == 0)
            try await stage.command(["merchants", "create", "other"])
            await #expect(throws: (any Error).self) { try await stage.command(["merchants", "create", "other"]) }
            await #expect(throws: (any Error).self) { try await stage.command(["merchants", "create", "O ther"]) }
            #expect(try await stage.command(["merchants", "list"]).contains("other"))
            _ = daemon
        }
    }

    @Test func `a role may what its table says and nothing else`() async throws {
        try await Stage.run("accessroles") { stage, daemon in
            let roles = try await stage.call(daemon, .get, "/v1/roles")["items"]?.items ?? []
            #expect(roles.count == Role.allCases.count)
            for role in Role.allCases {
                let token = try #require(try await stage.ownersKey("r", ["--role", role.rawValue])["key"]?.text)
                for endpoint in Endpoints.all {
                    guard let scope = endpoint.scope, !role.scopes.contains(scope) else { continue }
                    let body: Json? = endpoint.method == .get ? nil : [:]
                    let path = endpoint.pattern.replacing("{", with: "").replacing("}", with: "")
                    let answer = try await stage.exchange(daemon, endpoint.method, path, body, key: "k", as: token)
                    #expect(answer.status == 403, "\(role) at \(endpoint.id)")
                    #expect(try Json(answer.body)["code"] == "scope_missing", "\(role) at \(endpoint.id)")
                }
                #expect(try await stage.exchange(daemon, .get, "/v1/payments", as: token).status == 200)
            }
        }
    }

    @Test func `a key gives no more than it has`() async throws {
        try await Stage.run("accessgrants") { stage, daemon in
            let narrow = try await stage.ownersKey(
                "narrow",
                ["--scopes", "admin,read", "--days", "365", "--networks", "127.0.0.0/8"]
            )
            let token = try #require(narrow["key"]?.text)
            for more in [
                ["name": "x", "role": "admin"], ["name": "x", "scopes": ["commands"]],
                ["name": "x", "scopes": ["read"], "networks": ["0.0.0.0/0"]],
                ["name": "x", "scopes": ["read"], "networks": .array([])],
                ["name": "x", "scopes": ["read"], "expiresAt": "2100-01-01T00:00:00Z"],
            ] as [Json] {
                let answer = try await stage.post(daemon, "/v1/keys", more, as: token)
                #expect(answer.status == 403, "\(more.canonicalText)")
                #expect(try Json(answer.body)["code"] == "grant_exceeded")
            }
            // The stage's own key may more: its token is not for the narrow one.
            let keys = try await stage.call(daemon, .get, "/v1/keys")["items"]?.items ?? []
            let wide = try #require(keys.first { $0["name"] == "end-to-end" }?["id"]?.text)
            let stolen = try await stage.post(daemon, "/v1/keys/\(wide)/rotate", [:], as: token)
            #expect(try stolen.status == 403 && Json(stolen.body)["code"] == "grant_exceeded")
            let child = try await stage.post(daemon, "/v1/keys", ["name": "child", "scopes": ["read"]], as: token)
            #expect(try Json(child.body)["expiresAt"] == narrow["expiresAt"], "what is left out is inherited")
            #expect(try Json(child.body)["networks"] == ["127.0.0.0/8"])
            #expect(try await stage.post(daemon, "/v1/keys", ["name": "x"], as: token).status == 422)
        }
    }

    @Test func `a key is used from its networks alone, whatever a stranger says of himself`() async throws {
        try await Stage.run("accessnetworks") { stage, daemon in
            let here = try await stage.newKey(
                daemon,
                ["name": "a", "role": "auditor", "networks": ["127.0.0.1", "::1"]]
            )
            let away = try await stage.newKey(daemon, ["name": "b", "role": "auditor", "networks": ["203.0.113.0/24"]])
            let (near, far) = (try #require(here["token"]?.text), try #require(away["token"]?.text))
            #expect(here["networks"] == ["127.0.0.1/32", "0:0:0:0:0:0:0:1/128"])
            #expect(try await stage.exchange(daemon, .get, "/v1/payments", as: near).status == 200)
            for forged in [[], [("X-Forwarded-For", "203.0.113.9")], [("Forwarded", "for=203.0.113.9")]] {
                let answer = try await stage.exchange(daemon, .get, "/v1/payments", headers: forged, as: far)
                #expect(try answer.status == 403 && Json(answer.body)["code"] == "address_not_allowed")
            }
            try await stage.end(daemon, 15)
            let proxied = try await stage.serve(more: ["PAYSTREAM_TRUSTED_PROXIES": "127.0.0.1/32"])
            let answer = { (sender: String, token: String) in
                let headers = [("X-Forwarded-For", sender)]
                return try await stage.exchange(proxied, .get, "/v1/payments", headers: headers, as: token).status
            }
            #expect(try await answer("203.0.113.9", far) == 200, "a proxy that is trusted says who asks")
            #expect(
                try await answer("203.0.113.9, 198.51.100.7", far) == 403,
                "what stands before the last hop is hearsay"
            )
            #expect(try await answer("203.0.113.9", near) == 403)
        }
    }

    @Test func `a rotated token ends when it was said, and its key stays the same`() async throws {
        try await Stage.run("accessrotation") { stage, daemon in
            let made = try await stage.newKey(daemon, ["name": "r", "role": "developer"])
            let (id, old) = (try #require(made["id"]?.text), try #require(made["token"]?.text))
            let path = "/v1/keys/\(id)/rotate"
            let rotated = try await stage.call(daemon, .post, path, ["overlapSeconds": 3600], key: "rotate-1")
            let new = try #require(rotated["token"]?.text)
            #expect(new != old && rotated["id"]?.text == id && rotated["oldTokenUntil"] != nil)
            for token in [old, new] {
                #expect(try await stage.exchange(daemon, .get, "/v1/payments", as: token).status == 200)
            }
            let again = try await stage.call(daemon, .post, path, ["overlapSeconds": 3600], key: "rotate-1")
            #expect(again["token"] == nil, "a token is shown once")
            let last = try await stage.call(daemon, .post, path, ["overlapSeconds": 0], key: "rotate-2")
            let third = try #require(last["token"]?.text)
            try await stage.until("the tokens before it end") {
                var statuses: [Int] = []
                for token in [old, new, third] {
                    statuses.append(try await stage.exchange(daemon, .get, "/v1/payments", as: token).status)
                }
                return statuses == [401, 401, 200] ? .done(()) : .notYet("\(statuses)")
            }
            let printed = try await stage.command(["keys", "--overlap", "0", "rotate", id])
            #expect(printed.contains("psk_"))
            let shown = try await stage.call(daemon, .get, "/v1/keys")["items"]?.items?.first { $0["id"]?.text == id }
            #expect(shown?["lastUsedAt"] != nil && shown?["token"] == nil)
        }
    }

    @Test func `the last key of an administrator stays, and neighbours' keys are not there`() async throws {
        try await Stage.run("accesslast") { stage, daemon in
            let keys = try await stage.call(daemon, .get, "/v1/keys")["items"]?.items ?? []
            let own = try #require(keys.first?["id"]?.text)
            let refused = try await stage.post(daemon, "/v1/keys/\(own)/revoke", [:])
            #expect(try refused.status == 409 && Json(refused.body)["code"] == "last_admin_key")
            await #expect(throws: (any Error).self) { try await stage.command(["keys", "revoke", own]) }
            try await stage.command(["merchants", "create", "neighbour"])
            let printed = try await stage.command(["keys", "--merchant", "neighbour", "--role", "admin", "create", "n"])
            let foreign = try #require(printed.split(separator: "\n").first { $0.hasPrefix("psk_") }.map(String.init))
            for path in ["/v1/keys/\(own)/rotate", "/v1/keys/\(own)/revoke"] {
                let answer = try await stage.post(daemon, path, [:], as: foreign)
                #expect(try answer.status == 404 && Json(answer.body)["code"] == "api_key_unknown")
            }
            let seen = try await stage.exchange(daemon, .get, "/v1/audit", as: foreign)
            #expect(!String(decoding: seen.body, as: UTF8.self).contains(own))
            try await stage.ownersKey("second", ["--role", "admin"])
            #expect(try await stage.post(daemon, "/v1/keys/\(own)/revoke", ["reason": "left"]).status == 200)
            try await stage.until("the revoked key is out") {
                let status = try await stage.exchange(daemon, .get, "/v1/payments").status
                return status == 401 ? .done(()) : .notYet("\(status)")
            }
        }
    }

    @Test func `a suspended merchant looks and changes nothing`() async throws {
        try await Stage.run("accesssuspended") { stage, daemon in
            try await stage.command(["merchants", "--reason", "unpaid", "suspend", "demo"])
            try await stage.until("it is suspended") {
                let answer = try await stage.post(daemon, "/v1/payments", Stage.newPayment("late", 7700))
                let code = try Json(answer.body)["code"]?.text
                return code == "merchant_suspended" ? .done(()) : .notYet("\(code ?? "")")
            }
            #expect(try await stage.exchange(daemon, .get, "/v1/payments").status == 200)
            try await stage.command(["merchants", "resume", "demo"])
            try await stage.until("it goes on") {
                let answer = try await stage.post(daemon, "/v1/payments", Stage.newPayment("later", 7700))
                return answer.status < 300 ? .done(()) : .notYet("\(answer.status)")
            }
        }
    }

    @Test func `acts are in the log with who made them`() async throws {
        try await Stage.run("accessaudit") { stage, daemon in
            let made = try await stage.newKey(daemon, ["name": "audited", "role": "auditor"])
            let auditor = try #require(made["token"]?.text)
            let all = try await stage.acts(daemon, "", as: auditor)
            let kinds = Set(all.compactMap { $0["kind"]?.text })
            #expect(
                kinds.isSuperset(of: [
                    "merchant.created.v1", "key.created.v1", "account.configured.v1", "routing.set.v1",
                ])
            )
            #expect(!all.map(\.canonicalText).joined().contains("$sealed"), "secrets are names")
            let positions = all.compactMap { $0["position"]?.integer }
            #expect(positions == positions.sorted(by: >))
            #expect(try await stage.acts(daemon, "&kind=key", as: auditor).count == 2)
            let by = try #require(all.first { $0["kind"] == "account.configured.v1" }?["by"]?.text)
            #expect(by.hasPrefix("key:"))
            #expect(try await stage.acts(daemon, "&actor=\(by)", as: auditor).allSatisfy { $0["by"]?.text == by })
            #expect(try await stage.acts(daemon, "&before=2020-01-01T00:00:00Z", as: auditor).isEmpty)
            for odd in ["kind=A%20b", "from=yesterday", "cursor=abc", "colour=red", "limit=0"] {
                #expect(try await stage.exchange(daemon, .get, "/v1/audit?\(odd)").status == 400, "\(odd)")
            }
            let told = try await stage.tool(daemon, ["audit", "--kind", "account"], key: auditor)
            #expect(told.contains("account.configured.v1") && told.contains(Stage.account) && told.contains(by))
        }
    }

    @Test func `nobody makes himself a second person, with one person as with two`() async throws {
        try await Stage.run("accessoneself") { stage, daemon in
            for role in Role.allCases where role != .developer && role != .auditor {
                let made = try await stage.post(daemon, "/v1/keys", ["name": "me", "role": .string(role.rawValue)])
                #expect(made.status == 422, "\(role)")
                #expect(try Json(made.body)["code"] == "second_person_needed", "\(role)")
            }
            for role in ["approver", "operator", "finance", "admin"] {
                let key = try await stage.ownersKey(role, ["--role", role])["id"]?.text ?? ""
                let stolen = try await stage.post(daemon, "/v1/keys/\(key)/rotate", [:])
                #expect(try Json(stolen.body)["code"] == "second_person_needed", "\(role)")
            }
            #expect(try await stage.count("paystream.api_key WHERE name = 'me'") == 0)
        }
    }

    @Test func `one person proposes and another approves, and nobody is both`() async throws {
        try await Stage.run("accesspersons") { stage, daemon in
            let approver = try await stage.ownersKey("approver", ["--role", "approver"])
            let second = try #require(approver["key"]?.text)
            let admin = try #require(try await stage.ownersKey("two", ["--role", "admin"])["key"]?.text)
            try await stage.call(daemon, .put, "/v1/merchant/persons", ["persons": 2], key: "two")
            let wanted = try await stage.exchange(daemon, .put, "/v1/routing", ["accounts": .array([])], key: "none")
            #expect(wanted.status == 202)
            let change = try Json(wanted.body)
            let path = "/v1/changes/\(change["id"]?.text ?? "")"
            #expect(change["state"] == "open" && change["object"] == "change")
            #expect(try await stage.call(daemon, .get, "/v1/routing")["accounts"]?.items?.count == 1)
            let own = try await stage.post(daemon, path + "/approve", [:])
            #expect(try Json(own.body)["code"] == "second_person_needed")
            // A token of the second person's key would be a second person.
            let key = approver["id"]?.text ?? ""
            let stolen = try await stage.post(daemon, "/v1/keys/\(key)/rotate", [:])
            #expect(try Json(stolen.body)["code"] == "second_person_needed")
            // A new key is none until it is approved.
            let fresh = try await stage.newKey(daemon, ["name": "fresh", "role": "admin"])
            #expect(fresh["state"] == "awaits_approval")
            let freshToken = try #require(fresh["token"]?.text)
            #expect(try await stage.post(daemon, path + "/approve", [:], as: freshToken).status == 401)
            #expect(try await stage.post(daemon, path + "/approve", [:], as: second).status == 200)
            try await stage.until("the routing is empty") {
                let count = try await stage.call(daemon, .get, "/v1/routing")["accounts"]?.items?.count
                return count == 0 ? .done(()) : .notYet("\(count ?? -1)")
            }
            let changes = try await stage.call(daemon, .get, "/v1/changes")["items"]?.items ?? []
            let waiting = try #require(changes.first { $0.at("what", "is") == "key" }?["id"]?.text)
            #expect(try await stage.post(daemon, "/v1/changes/\(waiting)/approve", [:], as: second).status == 200)
            #expect(try await stage.exchange(daemon, .get, "/v1/payments", as: freshToken).status == 200)
            // Going back to one person needs two.
            let one = try await stage.post(daemon, "/v1/merchant/persons", ["persons": 1], method: .put)
            #expect(try Json(one.body)["persons"] == 2)
            let back = try await stage.call(daemon, .get, "/v1/changes")["items"]?.items?.first
            let last = "/v1/changes/\(back?["id"]?.text ?? "")"
            #expect(try await stage.post(daemon, last + "/reject", ["reason": "no"], as: admin).status == 200)
            let late = try await stage.post(daemon, last + "/approve", [:], as: second)
            #expect(try Json(late.body)["code"] == "change_ended")
            #expect(try await stage.call(daemon, .get, "/v1/merchant")["persons"] == 2)
        }
    }
}

extension Stage {
    /// Makes a key over HTTP; the answer has its token.
    fileprivate func newKey(_ daemon: DaemonProcess, _ body: Json) async throws -> Json {
        try await call(daemon, .post, "/v1/keys", body, key: "key-\(next())")
    }

    /// Makes a key as the owner of the database does; its member `key` is the token.
    @discardableResult
    fileprivate func ownersKey(_ name: String, _ options: [String]) async throws -> Json {
        let printed = try await command(["keys", "--json"] + options + ["create", name])
        return try Json(text: String(printed.prefix { $0 != "\n" }))
    }

    fileprivate func acts(_ daemon: DaemonProcess, _ filter: String, as token: String) async throws -> [Json] {
        var (found, cursor): ([Json], String?) = ([], nil)
        repeat {
            let path = "/v1/audit?limit=2\(filter)" + (cursor.map { "&cursor=\($0)" } ?? "")
            let page = try Json(try await exchange(daemon, .get, path, as: token).body)
            found += page["items"]?.items ?? []
            cursor = page["next"]?.text
        } while cursor != nil
        return found
    }

    fileprivate func post(
        _ daemon: DaemonProcess,
        _ path: String,
        _ body: Json,
        as token: String? = nil,
        method: HttpMethod = .post
    ) async throws -> HttpResponse {
        try await exchange(daemon, method, path, body, key: "post-\(next())", as: token ?? self.token)
    }

    /// The same call with another key than the stage's.
    fileprivate func exchange(
        _ daemon: DaemonProcess,
        _ method: HttpMethod,
        _ path: String,
        _ body: Json? = nil,
        key idempotencyKey: String? = nil,
        headers more: [(String, String)] = [],
        as token: String
    ) async throws -> HttpResponse {
        var headers = HttpHeaders(more)
        headers.set("Authorization", "Bearer " + token)
        if body != nil { headers.set("Content-Type", "application/json") }
        if let idempotencyKey { headers.set("Idempotency-Key", idempotencyKey) }
        return try await send(method, daemon.address + path, headers, body?.compactBytes ?? [])
    }
}
