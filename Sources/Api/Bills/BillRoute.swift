package import Http
import Kernel

/// The operations of the API about bills in bulk: a table of their own, for what they take and give is their own.
package enum BillRoute: String, Hashable, Sendable, CaseIterable {
    case createBillBatch, listBillBatches, getBillBatch, uploadBills, submitBillBatch, continueBillBatch
    case listBills, getBill, billBatchAction, billAppParameters, claimBills
    case proposeBillResolution, approveBillResolution
    case saveBillCredentials, billCardParameters, saveBillCard, checkBillCard

    package var method: HttpMethod {
        switch self {
        case .createBillBatch, .submitBillBatch, .continueBillBatch, .billAppParameters, .claimBills,
            .proposeBillResolution, .approveBillResolution, .saveBillCredentials, .billCardParameters, .saveBillCard,
            .checkBillCard:
            .post
        case .listBillBatches, .getBillBatch, .listBills, .getBill, .billBatchAction: .get
        case .uploadBills: .put
        }
    }

    package var pattern: String {
        switch self {
        case .createBillBatch, .listBillBatches: "/v1/bill-batches"
        case .getBillBatch: "/v1/bill-batches/{batch}"
        case .uploadBills, .listBills: "/v1/bill-batches/{batch}/bills"
        case .submitBillBatch: "/v1/bill-batches/{batch}/submit"
        case .continueBillBatch: "/v1/bill-batches/{batch}/continue"
        case .getBill: "/v1/bill-batches/{batch}/bills/{bill}"
        case .billBatchAction: "/v1/bill-batches/{batch}/next-action"
        case .billAppParameters: "/v1/bill-batches/{batch}/app-parameters"
        case .claimBills: "/v1/bill-batches/{batch}/claims"
        case .proposeBillResolution: "/v1/bill-batches/{batch}/bills/{bill}/resolutions"
        case .approveBillResolution: "/v1/bill-batches/{batch}/bills/{bill}/resolutions/{resolution}/approve"
        case .saveBillCredentials: "/v1/bill-credentials"
        case .billCardParameters: "/v1/bill-cards/app-parameters"
        case .saveBillCard: "/v1/bill-cards"
        case .checkBillCard: "/v1/bill-cards/check"
        }
    }

    package var scope: Scope {
        switch self {
        case .createBillBatch, .uploadBills, .submitBillBatch, .continueBillBatch, .billAppParameters, .claimBills,
            .saveBillCredentials, .billCardParameters, .saveBillCard, .checkBillCard:
            .commands
        case .listBillBatches, .getBillBatch, .listBills, .getBill, .billBatchAction: .read
        case .proposeBillResolution, .approveBillResolution: .admin
        }
    }

    /// Whether an idempotency key is needed; a page of an upload has its number and its bytes instead.
    package var isCommand: Bool {
        switch self {
        case .createBillBatch, .submitBillBatch, .continueBillBatch, .claimBills, .proposeBillResolution,
            .approveBillResolution, .saveBillCredentials, .saveBillCard:
            true
        case .listBillBatches, .getBillBatch, .listBills, .getBill, .billBatchAction, .uploadBills,
            .billAppParameters, .billCardParameters, .checkBillCard:
            false
        }
    }

    /// Members that are the provider's and never a card's number.
    var secrets: Set<JsonPath> {
        switch self {
        case .saveBillCredentials: ["password"]
        case .saveBillCard: ["token"]
        case .createBillBatch, .listBillBatches, .getBillBatch, .uploadBills, .submitBillBatch, .continueBillBatch,
            .listBills, .getBill, .billBatchAction, .billAppParameters, .claimBills, .proposeBillResolution,
            .approveBillResolution, .billCardParameters, .checkBillCard:
            []
        }
    }

    package var readsQuery: Bool { self == .listBills || self == .listBillBatches || self == .uploadBills }

    package var body: BodyRule {
        switch self {
        case .createBillBatch, .claimBills, .proposeBillResolution, .approveBillResolution, .saveBillCredentials,
            .billCardParameters, .saveBillCard, .checkBillCard:
            .json
        case .submitBillBatch, .continueBillBatch, .billAppParameters: .optionalJson
        case .uploadBills: .raw
        case .listBillBatches, .getBillBatch, .listBills, .getBill, .billBatchAction: .none
        }
    }

    package var bodyBytes: Int {
        switch self {
        case .uploadBills: BillLimitsOfApi.uploadBytes
        case .createBillBatch, .listBillBatches, .getBillBatch, .submitBillBatch, .continueBillBatch, .listBills,
            .getBill, .billBatchAction, .billAppParameters, .claimBills, .proposeBillResolution,
            .approveBillResolution, .saveBillCredentials, .billCardParameters, .saveBillCard, .checkBillCard:
            Limits.apiBodyBytes
        }
    }

    /// Whether its body is read while it comes in.
    package var isStreamed: Bool { self == .uploadBills }

    package static let router = Router<BillRoute>(
        allCases.map { (method: $0.method, pattern: $0.pattern, route: $0) }
    )
}

/// How much of bills is taken at once.
package enum BillLimitsOfApi {
    /// Bytes of one upload, which is never held as a whole.
    package static let uploadBytes = 128 * 1024 * 1024
    /// Bills of one page of an answer or an export.
    package static let pageBills = 1000
    package static let loginBytes = 128
    package static let passwordBytes = 256
    package static let tokenBytes = 512
    package static let languageBytes = 64
}
