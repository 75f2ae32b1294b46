import Crypto
import EventSourcing
import Http
import Kernel
import Payments
import ProviderKit
import Telemetry

extension Api {
    /// Reads a page that came by SQL into the lines that it would be in an upload.
    func page(of command: InboxCommand) throws(Problem) -> BillPageInput {
        let given = try Self.object(command)
        let (batch, rest) = try Self.batch(of: given, command.merchant)
        var form = try Form(rest)
        guard let number = try form.integer("page", in: 1...Int64(BillBatch.mostPages)) else {
            throw form.missing("page")
        }
        guard let items = form.value("bills")?.items, (1...BillPage.mostLines).contains(items.count) else {
            throw Problem(.billInvalid, "A page has 1 to \(BillPage.mostLines) bills.", path: "bills")
        }
        try form.end()
        var bytes: [UInt8] = []
        for item in items {
            try amounts.check(item, of: "bills")
            bytes += item.compactBytes
            bytes.append(0x0A)
        }
        guard bytes.count <= BillPage.mostBytes else {
            throw Problem(.billInvalid, "The page is too large.", path: "bills")
        }
        guard CardScreen.isClean(page: bytes, bills: adapters.billIdentifiers) else {
            throw Problem(.cardDataRefused, "Card data does not enter here.", path: "bills")
        }
        return BillPageInput(batch: batch, number: Int(number), bytes: bytes, bills: items.count)
    }

    /// The body of a command about bills.
    static func object(_ command: InboxCommand) throws(Problem) -> Json {
        guard let json = try? Json(command.body), json.members != nil else {
            throw Problem(.jsonMalformed, "The body is not one JSON object.")
        }
        return json
    }

    /// The batch that is named, and what stands beside its name.
    private static func batch(of given: Json, _ merchant: MerchantNumber) throws(Problem) -> (BillBatchId, Json) {
        guard case .object(var members) = given, let key = members["batch"]?.text else {
            throw Problem(.memberMissing, "The key of the batch's own command is needed.", path: "batch")
        }
        members["batch"] = nil
        return (Self.batch(named: key, merchant), .object(members))
    }

    /// The batch by the id that its client made, or by the key of the command that makes it.
    static func batch(named text: String, _ merchant: MerchantNumber) -> BillBatchId {
        if let made = BillBatchId(text), made.uuid.isVersion7 { return made }
        return DerivedNames.billBatch(createdBy: DerivedNames.input(merchant, key: text))
    }
}
