import EventSourcing
import Kernel
import Postgres
import Projections

/// A list out of a read model in the making: what narrows it, where the page begins and how it is sorted.
struct ViewList {
    /// Which time sorts the rows; the id tells equal ones apart.
    enum Order {
        case newest(String)
        case soonest(String)
    }

    private var conditions = ["merchant = $1"]
    private var parameters: [PostgresValue]
    private let table: String
    private let order: Order

    init(_ table: String, _ merchant: MerchantNumber, _ order: Order) {
        self.table = table
        self.order = order
        parameters = [.int32(merchant.value)]
    }

    /// Narrows by a condition whose `?` is the value; a value that was not given narrows nothing.
    mutating func add(_ condition: String, _ value: PostgresValue?) {
        guard let value else { return }
        parameters.append(value)
        conditions.append(condition.replacing("?", with: "$\(parameters.count)"))
    }

    mutating func add(_ condition: String) { conditions.append(condition) }

    /// The documents of a page, and where the next one begins: one more than a page tells whether there is one.
    func page(_ store: PostgresStore, behind cursor: PageCursor?, limit: Int) async throws(StoreFailure)
        -> (rows: [Json], next: PageCursor?)
    {
        var conditions = conditions
        var parameters = parameters
        let (time, compared, direction) =
            switch order {
            case .newest(let column): (column, "<", "DESC")
            case .soonest(let column): (column, ">", "ASC")
            }
        if let cursor {
            parameters += [.timestamp(cursor.createdAt), .uuid(cursor.id)]
            conditions.append("(\(time), id) \(compared) ($\(parameters.count - 1), $\(parameters.count))")
        }
        parameters.append(.int32(Int32(clamping: limit + 1)))
        let found = try await store.read(
            """
            SELECT \(time), id, document FROM paystream.\(table) WHERE \(conditions.joined(separator: " AND "))
             ORDER BY \(time) \(direction), id \(direction) LIMIT $\(parameters.count)
            """,
            parameters
        ) { row throws(PostgresFailure) in
            (PageCursor(createdAt: try row.timestamp(0), id: try row.uuid(1)), try row.bytes(2))
        }
        let shown = found.prefix(limit)
        return (shown.compactMap { try? Json($0.1) }, found.count > limit ? shown.last?.0 : nil)
    }
}
