import EventSourcing
import Http
import Kernel
import Payments

/// Which requests.
struct RequestFilter {
    let status: Int?
    let code: String?
    let key: Uuid?
    let command: Uuid?

    /// Reads it from a query; the idempotency key of a command is kept nowhere and leads to the command's id.
    init(_ form: inout QueryForm, _ merchant: MerchantNumber) throws(Problem) {
        status = try form.integer("status", in: 100...599)
        code = try form.text("code")
        let key = try form.text("key")
        self.key = key.flatMap { Uuid($0) }
        guard (key == nil) == (self.key == nil) else {
            throw Problem(.queryInvalid, "A key is named by its id, as GET /v1/keys shows it.", path: "key")
        }
        let idempotencyKey = try form.text("idempotencyKey", bytes: Limits.idempotencyKeyBytes)
        command = idempotencyKey.map { DerivedNames.input(merchant, key: $0) }
    }

    func holds(_ entry: RequestEntry) -> Bool {
        (status.map { entry.status == $0 } ?? true) && (code.map { entry.code == $0 } ?? true)
            && (key.map { entry.key == $0 } ?? true) && (command.map { entry.command == $0 } ?? true)
    }
}
