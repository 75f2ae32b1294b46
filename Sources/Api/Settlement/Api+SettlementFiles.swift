import Crypto
import EventSourcing
import Http
import Kernel
import Payments
import Projections
import Settlement

/// Settlement files and how they are read.
extension Api {
    /// Owners of exceptions are named by the merchant.
    static let ownerBytes = 64

    private static let fileTypes = ["application/octet-stream", "text/csv", "application/x-ndjson", "application/gzip"]

    func importSettlement(_ call: Call) async throws(Problem) -> HttpResponse {
        guard let type = call.headers.mediaType, Self.fileTypes.contains(where: { HttpHeaders.isSame($0, type) }) else {
            throw Problem(
                .mediaTypeUnsupported,
                "The body is one of \(Self.fileTypes.joined(separator: ", ")); the mapping tells its encoding.",
                path: "Content-Type"
            )
        }
        var form = try QueryForm(call.query)
        guard let name = try form.text("account", bytes: AccountConfiguration.nameCharacters) else {
            throw Problem(.queryInvalid, "Name the account that the file is about.", path: "account")
        }
        let (first, end) = (try form.day("from"), try form.day("before"))
        let corrects: SettlementFileId? = try form.id("corrects")
        let isAlone = try form.flag("alone") ?? false
        try form.end()
        guard corrects == nil || !isAlone else {
            throw Problem(.queryInvalid, "A file that stands alone corrects none.", path: "alone")
        }
        guard (first == nil) == (end == nil), first ?? "" <= end ?? "", first == nil || first != end else {
            throw Problem(.queryInvalid, "A period has a first day, and the day behind its last one.", path: "before")
        }
        let facts = try await settledAccount(name, call)
        guard uploads.take(call.merchant) else {
            throw .tooMany(.seconds(1), "This merchant uploads as many files as it may.")
        }
        defer { uploads.release(call.merchant) }
        let bytes = try await whole(call.upload)
        guard imports.take(call.merchant) else {
            throw .tooMany(
                .seconds(1),
                "A merchant imports one file at a time, and as many as may be are being imported; who comes again is next."
            )
        }
        defer { imports.release(call.merchant) }
        let mapping = try await mapping(of: facts, call).mapping
        var request = SettlementImport(
            merchant: call.merchant,
            account: facts,
            mapping: mapping,
            digest: Digest.sha256(bytes),
            actor: call.actor.id
        )
        request.corrects = corrects
        request.isAlone = isAlone
        if let first, let end { request.period = (first, end) }
        request.contentBytes = SettlementLimits.uploadContentBytes
        request.mostLines = SettlementLimits.uploadLines
        request.statementSeconds = Limits.waitSeconds
        let wanted = request
        let id = SettlementFileId(random.uuid(at: now))
        let outcome = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.importFile(wanted, as: id, bytes)
        }
        return try await answer(outcome, call)
    }

    private func answer(_ outcome: SettlementOutcome, _ call: Call) async throws(Problem) -> HttpResponse {
        switch outcome {
        case .imported(let id): return .json(201, try await settlementFile(id, call))
        case .known(let id): return .json(200, try await settlementFile(id, call))
        case .refused(let fault): throw Problem(fault)
        case .outsidePeriod:
            throw Problem(.settlementFileInvalid, "A line is outside of the period that was named.", path: "from")
        case .correctsNothing:
            throw Problem(.settlementFileInvalid, "The account has no file of that id.", path: "corrects")
        case .standsElsewhere(let id):
            throw Problem(
                .settlementFileInvalid,
                "This file is \(id) already, which does not stand in the place of the file that 'corrects' names.",
                path: "corrects"
            )
        case .zoneUnknown: throw Problem(.zoneUnknown, "The mapping's zone is not known.", path: "zone")
        }
    }

    /// The whole of a body that is bounded.
    private func whole(_ reader: any BodyReader) async throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        do throws(BodyFailure) {
            while let piece = try await reader.next() {
                bytes += piece
                guard bytes.count <= SettlementLimits.uploadBytes else { throw BodyFailure(.tooLarge) }
            }
        } catch {
            switch error.code {
            case .cut: throw Problem(.uploadCut, "The upload ended early; nothing of it was taken.")
            case .tooLarge:
                throw Problem(
                    .bodyTooLarge,
                    "At most \(SettlementLimits.uploadBytes) bytes; 'paystream reconcile import' takes larger files."
                )
            }
        }
        return bytes
    }

    func listSettlementFiles(_ call: Call) async throws(Problem) -> HttpResponse {
        var form = try QueryForm(call.query)
        let seal = seal(of: form, call)
        let name = try form.text("account", bytes: AccountConfiguration.nameCharacters)
        let limit = try form.integer("limit", in: 1...Limits.pageRows) ?? 20
        let cursor = try form.cursor(seal)
        try form.end()
        var account: Uuid?
        if let name {
            guard let found = try await self.account(named: name, call) else { return Self.page([], next: nil) }
            account = found.id
        }
        let place = account
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.files(of: call.merchant, account: place, behind: cursor, limit: limit)
        }
        return Self.page(found.rows, next: found.next.map(seal.text))
    }

    func getSettlementFile(_ call: Call) async throws(Problem) -> HttpResponse {
        guard let id = call.path["file"].flatMap({ SettlementFileId($0) }) else { throw .unknownFile }
        return .json(200, try await settlementFile(id, call))
    }

    private func settlementFile(_ id: SettlementFileId, _ call: Call) async throws(Problem) -> Json {
        let found = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.file(id, of: call.merchant)
        }
        guard let found else { throw .unknownFile }
        return found
    }

    // MARK: Mappings

    func getMapping(_ call: Call) async throws(Problem) -> HttpResponse {
        let account = try await accountInPath(call)
        guard let facts = account.facts else { throw .unknownAccount }
        let (version, mapping) = try await mapping(of: facts, call)
        return .json(200, Self.shown(mapping, version, facts))
    }

    func keepMapping(_ call: Call) async throws(Problem) -> HttpResponse {
        let account = try await accountInPath(call)
        guard let facts = account.facts else { throw .unknownAccount }
        let mapping: SettlementMapping
        do throws(SettlementMappingFault) { mapping = try SettlementMapping(call.body) } catch {
            throw Problem(.mappingInvalid, "The mapping \(error.reason).", path: error.path)
        }
        let request = SettlementImport(
            merchant: call.merchant,
            account: facts,
            mapping: mapping,
            digest: [],
            actor: call.actor.id
        )
        let version = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.keep(request)
        }
        guard let version else {
            throw Problem(.zoneUnknown, "There is no such zone; one is named as in Europe/Kyiv.", path: "zone")
        }
        return .json(200, Self.shown(mapping, version, facts))
    }

    private static func shown(_ mapping: SettlementMapping, _ version: Int32, _ account: AccountFacts) -> Json {
        [
            "object": "settlement_mapping", "account": .string(account.name), "version": .integer(Int64(version)),
            "mapping": mapping.json,
        ]
    }

    private func settledAccount(_ name: String, _ call: Call) async throws(Problem) -> AccountFacts {
        guard let facts = try await account(named: name, call)?.facts else {
            throw Problem(.accountUnknown, "There is no such account.", path: "account")
        }
        return facts
    }

    /// The account's own mapping, or the one that comes with its provider, as version 0.
    private func mapping(of account: AccountFacts, _ call: Call) async throws(Problem)
        -> (version: Int32, mapping: SettlementMapping)
    {
        let kept = try await asked { () async throws(StoreFailure) in
            try await reader.tables.settlements.mapping(of: account.id, call.merchant)
        }
        if let kept { return kept }
        guard let standard = SettlementMapping.standard(for: account.provider) else {
            throw Problem(.mappingInvalid, "The account has no mapping; keep one first.", path: "account")
        }
        return (0, standard)
    }
}

extension Problem {
    /// A file that is refused, with the place of its fault.
    fileprivate init(_ fault: SettlementFault) {
        self.init(
            .settlementFileInvalid,
            "Nothing of the file is kept: \(fault).",
            members: [("fault", .string(fault.code.rawValue))]
                + (fault.line.map { [("line", .integer(Int64($0)))] } ?? [])
                + (fault.column.map { [("column", .string($0))] } ?? [])
        )
    }

    fileprivate static var unknownFile: Problem {
        Problem(.settlementFileUnknown, "There is no such settlement file.")
    }
}
