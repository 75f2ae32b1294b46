import Crypto
package import EventSourcing
package import Kernel

/// Names that derive from others, so that the same command meets the same things again.
package enum DerivedNames {
    /// The input id of a command: the same merchant and key meet the same input.
    package static func input(_ merchant: MerchantNumber, key: String) -> Uuid {
        .version5(namespace: InputNames.namespace, name: InputNames.command(merchant: merchant, key: key))
    }

    /// The payment that a command creates.
    package static func payment(createdBy input: Uuid) -> PaymentId {
        PaymentId(.version5(namespace: input, name: "payment"))
    }

    /// The batch of bills that a command creates.
    package static func billBatch(createdBy input: Uuid) -> BillBatchId {
        BillBatchId(.version5(namespace: input, name: "billBatch"))
    }

    /// The dispute that a command opens.
    package static func dispute(openedBy input: Uuid) -> DisputeId {
        DisputeId(.version5(namespace: input, name: "dispute"))
    }

    /// The account that a merchant calls by a name.
    package static func account(_ merchant: MerchantNumber, name: String) -> Uuid {
        .version5(namespace: InputNames.namespace, name: "account:\(merchant):\(name)")
    }

    /// The API key that a command creates.
    package static func key(createdBy input: Uuid) -> Uuid { .version5(namespace: input, name: "key") }

    /// The change that a command proposes.
    package static func change(proposedBy input: Uuid) -> Uuid { .version5(namespace: input, name: "change") }

    /// The one stream of what administrators do about a merchant.
    package static func merchant(_ merchant: MerchantNumber) -> StreamName {
        StreamName(merchant, .merchant, .version5(namespace: InputNames.namespace, name: "merchant:\(merchant)"))
    }

    /// The one stream of a merchant's routing.
    package static func routing(_ merchant: MerchantNumber) -> StreamName {
        StreamName(merchant, .routing, .version5(namespace: InputNames.namespace, name: "routing:\(merchant)"))
    }
}
