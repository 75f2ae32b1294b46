import Decisions
import EventSourcing
import Kernel
import Payments

extension Contexts {
    /// Everything that a decision about bills may look at; `nil` for other streams.
    func bills(
        _ history: History,
        _ input: InputRecord,
        _ now: Timestamp,
        _ epoch: RecoveryEpoch?
    ) async throws(StoreFailure) -> DecisionContext? {
        switch input.stream.kind {
        case .billBatch: return try await batch(history, input, now, epoch)
        case .chunk: return try await chunk(history, input, now, epoch)
        case .bill: return DecisionContext(now: now, publicUrl: publicUrl, account: nil, instrument: nil)
        case .payment, .instrument, .schedule, .transfer, .account, .routing, .webhookEndpoint, .merchant, .arrivals,
            .paymentLink:
            return nil
        }
    }

    private func batch(
        _ history: History,
        _ input: InputRecord,
        _ now: Timestamp,
        _ epoch: RecoveryEpoch?
    ) async throws(StoreFailure) -> DecisionContext {
        // A page is held against its stream alone: a long upload must not pay for look-ups with each of its pages.
        guard input.kind != .command || input.name != BillBatchCommand.Name.addPage.rawValue else {
            return DecisionContext(now: now, publicUrl: publicUrl, account: nil, instrument: nil)
        }
        let merchant = input.stream.merchant
        guard let batch: BillBatch = try? folds.fold(input.stream, history) else {
            return DecisionContext(now: now, publicUrl: publicUrl, account: nil, instrument: nil)
        }
        let json = input.kind == .command ? try? Json(input.body) : nil
        let isCreate = input.name == BillBatchCommand.Name.create.rawValue
        let head = batch.head ?? (isCreate ? json.flatMap { try? BillBatchHead(Fields($0)) } : nil)
        guard let head else {
            return DecisionContext(now: now, publicUrl: publicUrl, account: nil, instrument: nil)
        }
        var card: Instrument?
        if let id = head.instrument { card = try await self.instrument(id, merchant) }
        var context = DecisionContext(
            now: now,
            publicUrl: publicUrl,
            account: try await book.newest(head.account, merchant),
            instrument: card
        )
        let given = json?["credentials"]?.text.flatMap { InstrumentId($0) }
        context.credentials = try await self.instrument(given ?? batch.credentials ?? head.credentials, merchant)
        context.epoch = epoch
        for facts in batch.neededPages {
            context.pages[facts.number] = try await book.page(facts.input, merchant)
        }
        return context
    }

    private func chunk(
        _ history: History,
        _ input: InputRecord,
        _ now: Timestamp,
        _ epoch: RecoveryEpoch?
    ) async throws(StoreFailure) -> DecisionContext {
        let merchant = input.stream.merchant
        guard let chunk: Chunk = try? folds.fold(input.stream, history) else {
            return DecisionContext(now: now, publicUrl: publicUrl, account: nil, instrument: nil)
        }
        // Only the answer of the last bill makes a message; the ones before it need nothing.
        let isLastAnswer = chunk.head.map { chunk.answers.count + 1 >= $0.lines.count } ?? false
        guard let head = chunk.head,
            input.kind != .command || isLastAnswer || input.name == ChunkCommand.Name.claim.rawValue
        else { return DecisionContext(now: now, publicUrl: publicUrl, account: nil, instrument: nil) }
        var card: Instrument?
        if let id = head.instrument { card = try await self.instrument(id, merchant) }
        var context = DecisionContext(
            now: now,
            publicUrl: publicUrl,
            account: try await book.newest(head.account, merchant),
            instrument: card
        )
        context.credentials = try await self.instrument(head.credentials, merchant)
        context.epoch = epoch
        return context
    }

    /// Fills in what a record names beside account and card; `false` where it can't be found any more.
    func recordedBills(_ json: Json, _ merchant: MerchantNumber, _ context: inout DecisionContext)
        async throws(StoreFailure) -> Bool
    {
        if let id = json.at("credentials", "id")?.text.flatMap({ InstrumentId($0) }),
            let version = json.at("credentials", "version")?.integer
        {
            context.credentials = try await self.instrument(id, merchant, version: Int32(version))
        }
        for member in json["pages"]?.members?.members ?? [] {
            guard let number = Int(member.name), let input = member.value.text.flatMap({ Uuid($0) }),
                let page = try await book.page(input, merchant)
            else { return false }
            context.pages[number] = page
        }
        return true
    }
}
