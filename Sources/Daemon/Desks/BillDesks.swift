import Api
import Crypto
import Decisions
import Engine
import EventSourcing
import Kernel
import Payments
import ProviderKit
import Store

/// What the API asks and orders about bills, over the engine and the read models.
struct BillDesks: BillDesk {
    let desks: EngineDesks
    let view: BillView

    func submitPage(
        _ bytes: [UInt8],
        number: Int,
        batch: BillBatchId,
        merchant: MerchantNumber,
        actor: Actor
    ) async -> SubmissionOutcome {
        let (input, mac) = record(bytes, number: number, batch: batch, merchant: merchant, actor: actor)
        return EngineDesks.outcome(await desks.engine.commands.take(input, mac: mac))
    }

    /// The input that a page becomes.
    func record(
        _ bytes: [UInt8],
        number: Int,
        batch: BillBatchId,
        merchant: MerchantNumber,
        actor: Actor
    ) -> (input: InputRecord, mac: [UInt8]) {
        let digest = Digest.sha256(bytes)
        let meta = InputMeta.command(actor: actor, account: nil, traceparent: nil, correlation: nil)
        var members = meta.members ?? JsonObject([])
        members["mac"] = .string(Hex.encode(digest))
        members["page"] = .integer(Int64(number))
        let input = InputRecord(
            // A page is known by its number and its bytes: the same upload meets itself.
            id: .version5(namespace: batch.uuid, name: "page:\(number):\(Hex.encode(digest))"),
            stream: StreamName(merchant, .billBatch, batch.uuid),
            kind: .command,
            name: BillBatchCommand.Name.addPage.rawValue,
            meta: Json.object(members).canonical,
            body: bytes,
            receivedAt: desks.clock()
        )
        return (input, digest)
    }

    func batch(_ id: BillBatchId, merchant: MerchantNumber) async throws(ReadFailure) -> BillBatch? {
        let events = try await load(StreamName(merchant, .billBatch, id.uuid), BillBatchEvent.init(type:data:))
        return events.isEmpty ? nil : BillBatch.fold(id, events)
    }

    func chunk(_ id: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Chunk? {
        let events = try await load(StreamName(merchant, .chunk, id), ChunkEvent.init(type:data:))
        return events.isEmpty ? nil : Chunk.fold(id, events)
    }

    func bill(_ id: String, account: Uuid, merchant: MerchantNumber) async throws(ReadFailure) -> Bill? {
        let events = try await load(Bill.stream(id, account: account, merchant), BillEvent.init(type:data:))
        return events.isEmpty ? nil : Bill().after(events)
    }

    func list(_ query: BillQuery, merchant: MerchantNumber) async throws(ReadFailure) -> BillRows {
        do throws(StoreFailure) {
            let (rows, next) = try await view.bills(
                of: query.batch,
                outcome: query.outcome,
                after: query.after,
                limit: query.limit,
                merchant: merchant
            )
            return BillRows(rows: rows, next: next)
        } catch {
            throw ReadFailure(error.detail)
        }
    }

    func batches(limit: Int, merchant: MerchantNumber) async throws(ReadFailure) -> [Json] {
        do throws(StoreFailure) { return try await view.batches(limit: limit, merchant: merchant) } catch {
            throw ReadFailure(error.detail)
        }
    }

    func handover(_ chunk: Chunk, merchant: MerchantNumber) async -> Result<Json, HandoverRefusal> {
        do throws(HandoverFailure) { return .success(try await desks.engine.bills.render(chunk, merchant)) } catch {
            return .failure(EngineDesks.refusal(error))
        }
    }

    func recordAccess(_ what: String, _ batch: BillBatchId, merchant: MerchantNumber, key: String)
        async throws(ReadFailure)
    {
        try await desks.access.record(what, StreamName(merchant, .billBatch, batch.uuid), key: key)
    }

    func ask(_ question: BillQuestion, account: Uuid, merchant: MerchantNumber) async throws(ReadFailure)
        -> BillQuestionAnswer
    {
        do throws(HandoverFailure) {
            return try await desks.engine.bills.ask(question, account: account, merchant)
        } catch {
            guard case .unavailable(let what) = error else { throw ReadFailure("the question can't be asked") }
            throw ReadFailure(what)
        }
    }

    func open(_ sealed: Json, merchant: MerchantNumber) async throws(ReadFailure) -> Secret? {
        do throws(VaultFailure) { return try await desks.engine.bills.open(sealed, merchant) } catch {
            throw ReadFailure(error.detail)
        }
    }

    func fingerprint(_ login: String, account: Uuid) -> String {
        Hex.encode(desks.keys.code(.idempotency, Array("credentials:\(account):\(login)".utf8)))
    }

    private func load<Event>(
        _ stream: StreamName,
        _ make: (String, [UInt8]) throws(CodecFailure) -> Event
    ) async throws(ReadFailure) -> [Event] {
        let history: [RecordedEvent]
        do throws(StoreFailure) { history = try await desks.engine.histories.current([stream])[0] } catch {
            throw ReadFailure(error.detail)
        }
        var events: [Event] = []
        for recorded in history {
            do throws(CodecFailure) { events.append(try make(recorded.type, recorded.data)) } catch {
                throw ReadFailure("event \(recorded.version): \(error.path)")
            }
        }
        return events
    }
}
