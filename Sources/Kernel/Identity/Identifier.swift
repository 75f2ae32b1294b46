/// A kind of thing that an identifier names; its prefix keeps two kinds apart in texts.
package protocol IdentifierKind: Sendable {
    /// Lower-case letters before the underscore.
    static var prefix: String { get }
}

/// A typed identifier: a prefix, an underscore and the 32 hexadecimal digits of a UUID, as in `pay_0190…`.
package struct Identifier<Kind: IdentifierKind>: Hashable, Sendable, CustomStringConvertible {
    package let uuid: Uuid

    package init(_ uuid: Uuid) { self.uuid = uuid }

    /// Parses `prefix_` and a UUID with or without hyphens; anything else is `nil`.
    package init?(_ text: String) {
        let head = Kind.prefix + "_"
        guard text.hasPrefix(head), let uuid = Uuid(text.dropFirst(head.count)) else { return nil }
        self.uuid = uuid
    }

    package var text: String {
        let prefix = Kind.prefix.utf8
        return String(ascii: prefix.count + 33) { out in
            for (index, byte) in prefix.enumerated() { out[index] = byte }
            out[prefix.count] = UInt8(ascii: "_")
            uuid.write(into: out, at: prefix.count + 1)
        }
    }
    package var description: String { text }

    /// Appends `text`.
    func write(into out: inout [UInt8]) {
        out.append(contentsOf: Kind.prefix.utf8)
        out.append(UInt8(ascii: "_"))
        uuid.writeCompact(into: &out)
    }
}

/// Names the payment kind of identifier.
package enum PaymentKind: IdentifierKind { package static let prefix = "pay" }
/// Names the transfer kind of identifier.
package enum TransferKind: IdentifierKind { package static let prefix = "trf" }
/// Names the operation kind of identifier.
package enum OperationKindTag: IdentifierKind { package static let prefix = "op" }
/// Names the saved-instrument kind of identifier.
package enum InstrumentKind: IdentifierKind { package static let prefix = "ins" }
/// Names the input kind of identifier.
package enum InputKindTag: IdentifierKind { package static let prefix = "in" }
/// Names the effect kind of identifier.
package enum EffectKindTag: IdentifierKind { package static let prefix = "eff" }
/// Names the dispute kind of identifier.
package enum DisputeKind: IdentifierKind { package static let prefix = "dsp" }
/// Names the batch-of-bills kind of identifier.
package enum BillBatchKind: IdentifierKind { package static let prefix = "bat" }
/// Names the answered-request kind of identifier.
package enum RequestKind: IdentifierKind { package static let prefix = "req" }

package typealias PaymentId = Identifier<PaymentKind>
package typealias TransferId = Identifier<TransferKind>
package typealias OperationId = Identifier<OperationKindTag>
package typealias InstrumentId = Identifier<InstrumentKind>
package typealias InputId = Identifier<InputKindTag>
package typealias EffectId = Identifier<EffectKindTag>
package typealias DisputeId = Identifier<DisputeKind>
package typealias BillBatchId = Identifier<BillBatchKind>
package typealias RequestId = Identifier<RequestKind>
