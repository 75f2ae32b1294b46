import Crypto
import EventSourcing
import Kernel
import Payments
import Projections
import Settlement
import Store
import SystemKit

/// `paystream reconcile import`: a file of any size, straight into the database.
enum SettlementFileImport {
    private static let piece = 4096
    private static let hashedPiece = 256 * 1024

    static func run(_ given: ScatteredArguments) async throws -> Int32 {
        try given.demand(words: 2)
        guard given.words.count == 2 else { throw UsageError("name the file") }
        guard given["account"] != nil else { throw UsageError("say with --account which account the file is about") }
        guard let file = FilePieces(given.words[1]) else { throw UsageError("'\(given.words[1])' can't be read") }
        let chosen = try given["mapping"].map(MappingWords.read)
        let period = try Self.period(given)
        let bar = ProgressBar()
        let digest = Self.digest(file, bar)
        let (id, outcome, shown) = try await StoreSession.with { session in
            let merchant = try await session.merchant(given["merchant"])
            guard let account = try await session.account(given["account"], of: merchant) else {
                throw UsageError("say with --account which account the file is about")
            }
            let rows = SettlementRows(session.store)
            let kept = try await rows.mapping(of: account.id, merchant)?.mapping
            guard let mapping = chosen ?? kept ?? SettlementMapping.standard(for: account.provider) else {
                throw UsageError("the account has no mapping; give one with --mapping")
            }
            var request = SettlementImport(
                merchant: merchant,
                account: account,
                mapping: mapping,
                digest: digest,
                actor: "cli"
            )
            request.isMappingOnce = chosen != nil
            request.period = period
            request.isAlone = given.has("alone")
            if let text = given["corrects"] {
                guard !request.isAlone else { throw UsageError("a file that stands alone corrects none") }
                guard let corrected = SettlementFileId(text) else { throw UsageError("'\(text)' is no file's id") }
                request.corrects = corrected
            }
            let id = SettlementFileId(SystemRandom().uuid(at: WallClock.now()))
            let outcome = try await SettlementImporter(session.store).run(request, as: id) {
                file.next(piece)
            } progress: { done in
                bar.show(done.bytes, of: file.bytes, "\(done.lines) lines" + (done.isRead ? ", matching" : ""))
            }
            return (id, outcome, try await rows.file(outcome.file ?? id, of: merchant))
        }
        bar.end()
        return try tell(outcome, shown, given, id)
    }

    private static func digest(_ file: FilePieces, _ bar: ProgressBar) -> [UInt8] {
        var hash = IncrementalHash(.sha256)
        var done: Int64 = 0
        while let piece = file.next(hashedPiece) {
            hash.update(piece)
            done += Int64(piece.count)
            bar.show(done, of: file.bytes, "looking at the file")
        }
        file.rewind()
        return hash.finish()
    }

    private static func period(_ given: ScatteredArguments) throws -> (first: String, end: String)? {
        guard let first = given["from"], let end = given["before"] else {
            guard given["from"] == nil, given["before"] == nil else {
                throw UsageError("a period has --from and --before")
            }
            return nil
        }
        guard CivilDate(first) != nil, CivilDate(end) != nil, first < end else {
            throw UsageError("--from and --before want days, as in 2026-11-21, the second behind the first")
        }
        return (first, end)
    }

    private static func tell(
        _ outcome: SettlementOutcome,
        _ shown: Json?,
        _ given: ScatteredArguments,
        _ id: SettlementFileId
    ) throws -> Int32 {
        switch outcome {
        case .imported:
            if let shown { DaemonCall.show(shown, given) }
            return 0
        case .known(let known):
            if given.has("json"), let shown {
                DaemonCall.show(shown, given)
            } else {
                StandardStream.output.write("nothing changed: this file is \(known) already\n")
                if let newer = shown?["supersededBy"]?.text {
                    StandardStream.output.write(
                        "\(newer) took its place since: --corrects \(newer) goes back to it, --alone keeps both\n"
                    )
                }
            }
            return 0
        case .refused(let fault): throw CommandFailure("nothing of the file is kept: \(fault)")
        case .outsidePeriod: throw CommandFailure("nothing of the file is kept: a line is outside of the period")
        case .correctsNothing: throw CommandFailure("the account has no file of that id")
        case .standsElsewhere(let known):
            throw CommandFailure("this file is \(known) already, which does not stand in the place of that one")
        case .zoneUnknown: throw CommandFailure("the mapping's zone is not known")
        }
    }
}

extension SettlementOutcome {
    /// The file that is kept.
    fileprivate var file: SettlementFileId? {
        switch self {
        case .imported(let id), .known(let id): id
        case .refused, .outsidePeriod, .correctsNothing, .standsElsewhere, .zoneUnknown: nil
        }
    }
}
