import Crypto
import Decisions
import Engine
import EventSourcing
import Kernel
import Payments

/// A page of bills on its way in, from an upload or by SQL.
struct BillPageInput: Sendable {
    let batch: BillBatchId
    let number: Int
    let bytes: [UInt8]
    let bills: Int

    /// The input that it becomes.
    func input(_ merchant: MerchantNumber, _ actor: Actor, at now: Timestamp) -> (
        input: InputRecord, mac: [UInt8]
    ) {
        let digest = Digest.sha256(bytes)
        let meta = InputMeta.command(
            actor: actor,
            account: nil,
            traceparent: nil,
            correlation: nil,
            mac: digest,
            page: number
        )
        let input = InputRecord(
            // A page is known by its number and its bytes: the same upload meets itself.
            id: .version5(namespace: batch.uuid, name: "page:\(number):\(Hex.encode(digest))"),
            stream: StreamName(merchant, .billBatch, batch.uuid),
            kind: .command,
            name: BillBatchCommand.Name.addPage.rawValue,
            meta: meta,
            body: bytes,
            receivedAt: now
        )
        return (input, digest)
    }
}
