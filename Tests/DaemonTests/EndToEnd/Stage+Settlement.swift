import Http
import Kernel
import Settlement
import TestKit

/// Settlement files of the sandbox, and what the daemon makes of them.
extension Stage {
    /// The mapping of the simulated ecommpay with its tariff; whatever was not settled at once is missing.
    static func ecommpayMapping(delayDays: Int64 = 0) throws -> Json {
        guard var members = SettlementMapping.standard(for: "ecommpay")?.json.members else {
            throw Failure(description: "no mapping")
        }
        members["tariff"] = ["captured": ["basisPoints": 150]]
        members["delayDays"] = .integer(delayDays)
        return .object(members)
    }

    /// A file that a simulated provider writes.
    func settlementFile(_ path: String) async throws -> [UInt8] {
        let response = try await send(.get, sandbox + path, HttpHeaders(), [])
        guard response.status == 200 else { throw Failure(description: "\(path): \(response.status)") }
        return response.body
    }

    /// Brings a file to the daemon, as its provider gave it.
    func bring(
        _ daemon: DaemonProcess,
        _ bytes: [UInt8],
        account: String = Stage.account,
        more: String = "",
        type: String = "text/csv",
        key: String? = nil
    ) async throws -> (status: Int, body: Json) {
        let headers = HttpHeaders([("Authorization", "Bearer " + (key ?? token)), ("Content-Type", type)])
        let path = "/v1/settlement-files?account=\(account)" + more
        let response = try await send(.post, daemon.address + path, headers, bytes)
        try SchemaCheck.check(.post, path, response)
        return (response.status, (try? Json(response.body)) ?? .null)
    }

    /// Waits until the books hold so many movements of a kind.
    func booked(_ kind: String, _ count: Int) async throws {
        try await until("\(count) movements \(kind)") {
            let found = try await self.count("paystream.movements WHERE movement = '\(kind)'")
            return found == count ? .done(()) : .notYet("\(found)")
        }
    }

    /// Open exceptions, each as its class.
    func exceptions(_ daemon: DaemonProcess, _ more: String = "") async throws -> [Json] {
        var items: [Json] = []
        var cursor = ""
        while true {
            let page = try await call(daemon, .get, "/v1/settlement-exceptions?limit=3\(more)\(cursor)")
            items += page["items"]?.items ?? []
            guard let next = page["next"]?.text else { return items }
            cursor = "&cursor=" + FormEncoding.escape(next)
        }
    }

    /// Lets one person propose and another approve.
    func resolve(_ daemon: DaemonProcess, _ exception: Json, _ verdict: Json, second: String) async throws {
        let path = "/v1/settlement-exceptions/\(exception["id"]?.text ?? "")"
        let body: Json = ["verdict": verdict, "reason": "the provider confirmed it"]
        let proposed = try await call(daemon, .post, path + "/proposals", body)
        let approval = path + "/proposals/\(proposed["proposal"]?.integer ?? 0)/approve"
        let alone = try await exchange(daemon, .post, approval, [:])
        guard alone.status == 422, try Json(alone.body)["code"] == "second_person_needed" else {
            throw Failure(description: "one person was enough: \(alone.status)")
        }
        let headers = HttpHeaders([("Authorization", "Bearer " + second), ("Content-Type", "application/json")])
        for _ in 0..<2 {
            let approved = try await send(.post, daemon.address + approval, headers, Array("{}".utf8))
            guard approved.status == 200, try Json(approved.body)["outcome"] != nil else {
                throw Failure(description: String(decoding: approved.body, as: UTF8.self))
            }
        }
    }

    /// The rows of a report of test accounts.
    func report(_ daemon: DaemonProcess, _ name: String, _ more: String = "") async throws -> [Json] {
        try await call(daemon, .get, "/v1/reports/\(name)?mode=test\(more)")["rows"]?.items ?? []
    }
}
