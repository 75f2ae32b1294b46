import Kernel
import Payments
import ProviderKit

/// Which members of a command's details the provider's server and its SDK are told; both speak Russian alone.
enum Carried {
    private static let goods: CarriedDetails = ["items.*.name", "items.*.quantity", "items.*.price", "items.*.sku"]
    private static let receipts: CarriedDetails = ["items.*.receipt"]

    static func members(_ use: DetailsUse, _ details: Json) -> CarriedDetails {
        switch use {
        case .payment(_, .sdk): goods + ["prepaidAmount", "discount", "payer", "presentation"]
        case .payment, .schedule: goods + receipts + ["prepaidAmount", "discount", "payer", "urls", "data"]
        case .operation(let kind): operation(kind, details)
        case .auxiliary(.cancelOrder): []
        case .auxiliary(.completeDelivery):
            goods + receipts + (details["items"] == nil ? [] : ["prepaidAmount"])
        }
    }

    private static func operation(_ kind: OperationKind, _ details: Json) -> CarriedDetails {
        switch kind {
        case .capture: return goods + receipts + (details["items"] == nil ? [] : ["prepaidAmount"])
        case .refund:
            let isCorrection = details["newItems"] != nil || details["correction"]?.flag == true
            if isCorrection { return ["newItems", "correction", "prepaidAmount"] }
            return goods + receipts + ["correction"] + (details["items"] == nil ? [] : ["prepaidAmount"])
        case .sale, .authorize, .verify, .tokenize, .transfer, .void, .refundReversal: return []
        }
    }
}
