import Http
import Kernel
import Payments
import Projections

/// A batch as the API shows it.
struct BillBatchResource {
    let batch: BillBatch
    let account: AccountFacts?

    init(_ batch: BillBatch, _ accounts: [Account]) {
        self.batch = batch
        account = accounts[batch.head?.account]?.facts
    }

    func response(_ status: Int) -> HttpResponse {
        .thing(status, json, version: batch.version, account?.mode)
    }

    var json: Json { batch.document(account: account.map { $0.shown }) }
}
