import Api
import EventSourcing
import Http
import Kernel
import Payments
import Settlement
import Store
import SystemKit

/// `paystream reconcile mappings`: how settlement files are read.
enum MappingWords {
    static func run(_ given: ScatteredArguments) async throws -> Int32 {
        switch given.words.dropFirst().first {
        case nil: return try await list(given)
        case "standard"?:
            try given.demand(words: 3)
            let named = given.words.dropFirst(2).first
            guard let mapping = named.flatMap(SettlementMapping.standard) else {
                throw UsageError("name a provider: \(SettlementMapping.all.keys.sorted().joined(separator: ", "))")
            }
            StandardStream.output.write(mapping.json.canonicalText + "\n")
            return 0
        case "set"?:
            try given.demand(words: 4)
            guard given.words.count == 4 else { throw UsageError("'mappings set' needs an account and a file") }
            let mapping = try read(given.words[3])
            let path = "/v1/accounts/\(FormEncoding.escape(given.words[2]))/settlement-mapping"
            return try await DaemonCall.print(.put, path, mapping.json, given)
        case let account?:
            try given.demand(words: 2)
            let (facts, kept) = try await StoreSession.with { session in
                let merchant = try await session.merchant(given["merchant"])
                guard let facts = try await session.account(account, of: merchant) else {
                    throw UsageError("there is no account '\(account)'")
                }
                return (facts, try await SettlementRows(session.store).mapping(of: facts.id, merchant))
            }
            guard let mapping = kept?.mapping ?? SettlementMapping.standard(for: facts.provider) else {
                throw UsageError("the account has no mapping")
            }
            StandardStream.output.write(mapping.json.canonicalText + "\n")
            return 0
        }
    }

    private static func list(_ given: ScatteredArguments) async throws -> Int32 {
        let rows = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            var rows: [(AccountFacts, Int32, SettlementMapping?)] = []
            for facts in try await session.reader.accounts(merchant: merchant).compactMap(\.facts) {
                let kept = try await SettlementRows(session.store).mapping(of: facts.id, merchant)
                let mapping = kept?.mapping ?? SettlementMapping.standard(for: facts.provider)
                rows.append((facts, kept?.version ?? 0, mapping))
            }
            return rows.sorted { $0.0.name < $1.0.name }
        }
        var table = ColumnTable(["ACCOUNT", "PROVIDER", "VERSION", "MAPPING", "FORMAT"], rightAligned: [2])
        for (facts, version, mapping) in rows {
            table.add([
                facts.name, facts.provider, "\(version)", mapping?.name ?? "-", mapping?.format.rawValue ?? "-",
            ])
        }
        let lines = rows.map { facts, version, mapping in
            Json.compact([
                ("account", .string(facts.name)), ("provider", .string(facts.provider)),
                ("version", .integer(Int64(version))), ("mapping", mapping?.json),
            ])
        }
        StandardStream.output.write(
            given.has("json")
                ? lines.map { $0.canonicalText + "\n" }.joined() : table.text(orSay: "no accounts")
        )
        return 0
    }

    /// Reads a mapping's file.
    static func read(_ path: String) throws -> SettlementMapping {
        let json = try DaemonCall.file(path)
        do throws(SettlementMappingFault) { return try SettlementMapping(json) } catch {
            throw UsageError("'\(path)' is no mapping: \(error)")
        }
    }
}
