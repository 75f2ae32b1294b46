import EventSourcing
import Http
import Kernel
import Payments

/// Batches of bills that come by SQL: pages are admitted in their order, and the submission behind the last one.
///
/// It counts what an earlier command of the same page of the inbox will add, before that is decided.
struct InboxUploads {
    private var pages: [BillBatchId: Int] = [:]
    private var bills: [BillBatchId: Int] = [:]
    /// How long a page waits for the ones before it.
    private static let patience = Duration.seconds(60)

    /// Settles a command about an upload; `nil` for any other.
    mutating func settle(_ command: InboxCommand, _ service: InboxService) async throws(Problem) -> InboxSettlement? {
        switch BillBatchCommand.Name(rawValue: command.name) {
        case .create:
            let submission = try await service.api.submission(of: command)
            let batch = BillBatchId(submission.stream.id)
            pages[batch] = pages[batch] ?? 0
            return try await service.admit(submission)
        case .addPage:
            let page = try service.api.page(of: command)
            guard let held = try await pagesHeld(page.batch, command, service) else { return .later }
            if page.number > held + 1 { return try wait(command, service) }
            let (input, mac) = page.input(command.merchant, Api.sqlActor, at: service.clock())
            if page.number == held + 1 {
                pages[page.batch] = page.number
                bills[page.batch, default: 0] += page.bills
            }
            return .admit(input, commandMac: mac)
        case .submit:
            let submission = try await service.api.submission(of: command)
            let batch = BillBatchId(submission.stream.id)
            guard try await pagesHeld(batch, command, service) != nil else { return .later }
            let wanted = (try? Json(submission.body))?["count"]?.integer.map { Int($0) } ?? 0
            if bills[batch, default: 0] < wanted { return try wait(command, service) }
            return try await service.admit(submission)
        case .chunkReported, .resume, nil: return nil
        }
    }

    private func wait(_ command: InboxCommand, _ service: InboxService) throws(Problem) -> InboxSettlement {
        guard service.clock().since(command.enqueuedAt) < Self.patience else {
            throw Problem(status: 422, code: "page_out_of_order", detail: "Pages before this one never came.")
        }
        return .later
    }

    /// Pages that the batch has, or will have; `nil` where it may still be made.
    private mutating func pagesHeld(_ id: BillBatchId, _ command: InboxCommand, _ service: InboxService)
        async throws(Problem) -> Int?
    {
        if let known = pages[id] { return known }
        let found = try await service.api.reader.batch(id, merchant: command.merchant)
        guard let found, found.head != nil else {
            guard service.clock().since(command.enqueuedAt) < Self.patience else {
                throw Problem(status: 422, code: "bill_batch_unknown", detail: "There is no such batch.")
            }
            return nil
        }
        pages[id] = found.pages.count
        bills[id] = found.count
        return found.pages.count
    }
}
