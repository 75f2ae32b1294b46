package import Kernel
import Xml

/// The content of the gateway's answer, whatever its spelling.
package enum Answer {
    /// Orders that were found, or the one that was worked on; none is an answer, too.
    case rows([Row])
    /// The call was refused: code and text.
    case refused(code: String?, text: String?)
    /// A page for the payer.
    case link(Json)
    /// An answer that claims success and lacks what was asked for.
    case incomplete
    /// Neither JSON nor the provider's XML: credentials or an outage, never "not paid".
    case unreadable

    private enum Limits {
        static let rows = 1000
    }

    package init(_ body: [UInt8]) {
        if let json = (try? Json(body)) ?? (try? Json(body, limits: .repeating)) {
            self.init(json)
        } else if let root = XmlDocument.root(body), root.name == "portmoneresult" {
            self.init(root)
        } else {
            self = .unreadable
        }
    }

    private init(_ json: Json) {
        if let items = json.items {
            self.init(items.prefix(Limits.rows).map { Row($0) })
            return
        }
        guard json.members != nil else {
            self = .unreadable
            return
        }
        if let error = json["error"], error.members != nil {
            self = .refused(code: error["code"]?.scalarText, text: error["message"]?.scalarText)
            return
        }
        if let link = Self.link(json) {
            self = link
            return
        }
        if let result = json["result"] {
            if let items = result.items {
                self.init(items.prefix(Limits.rows).map { Row($0) })
            } else if let link = Self.link(result) {
                self = link
            } else if result.members != nil {
                self = .rows([Row(result)])
            } else {
                self = .incomplete
            }
            return
        }
        self.init([Row(json)])
    }

    private init(_ root: XmlElement) {
        if let orders = root.child("orders") {
            self = .rows(orders.all("order").prefix(Limits.rows).map { Row($0) })
        } else if let order = root.child("order") {
            self.init([Row(order)])
        } else {
            self = .unreadable
        }
    }

    /// A row without a status that carries an error code is a refusal of the call.
    private init(_ rows: [Row]) {
        guard rows.count == 1, let row = rows.first, row.statusText == nil else {
            self = .rows(rows)
            return
        }
        if let code = row.errorCode, code != "0" {
            self = .refused(code: code, text: row.errorText)
        } else {
            self = .incomplete
        }
    }

    /// The names of a page's address, at the top or in `result`.
    static let linkNames = ["linkPayment", "linkInvoice", "linkMoneyTransfer", "link"]

    /// The address of a page, as text or sealed; an empty one is incomplete.
    private static func link(_ json: Json) -> Answer? {
        let code = json["errorCode"]?.scalarText
        for name in linkNames {
            guard let link = json[name] else { continue }
            if let code, code != "0" { return .refused(code: code, text: json["error"]?.scalarText) }
            return Token.present(link).map { .link($0) } ?? .incomplete
        }
        return nil
    }
}
