package import Http

/// Tells whoever was refused what to do next: the closing sentence of every problem.
package enum Remedy {
    /// Of a refusal by its code, or by its status where a decision or an adapter gave the code.
    package static func of(_ problem: Problem) -> String {
        problem.remedy ?? ProblemCode(rawValue: problem.code).map(of) ?? of(status: problem.status)
    }

    /// Of a refusal before anything was recorded.
    package static let corrected = "Correct it and send the request again; its key is not used up."

    private static let beginEpoch =
        "Ask again once the daemon's operator has begun a recovery epoch ('paystream recover begin'); then it says what is lost."
    private static let readAnew =
        "Read on with after=<resume>, and read anew each resource that you heard of since that position: what you heard may not hold."
    private static let keyed =
        "Send an Idempotency-Key of 1 to 255 printable characters, and the same one when you repeat the command."
    private static let wholeFile =
        "Ask the provider for a whole file, or correct the mapping, and import it again; nothing was changed."
    private static let otherAccount =
        "Name another account, or configure one that takes it; 'paystream routes explain' tells why each does not."

    static func of(_ code: ProblemCode) -> String {
        switch code {
        case .routeUnknown, .methodNotAllowed: "GET /openapi.json lists every route."
        case .targetTooLong, .headersTooLarge, .bodyTooLarge, .tooMany, .tooDeep, .textTooLong: "Send less at once."
        case .headerInvalid, .bodyMissing, .bodyNotAllowed, .mediaTypeUnsupported, .jsonMalformed, .queryMalformed,
            .queryUnknown, .queryInvalid, .uploadCut:
            "Correct the request and send it again."
        case .cursorInvalid: "Begin again at the first page."
        case .cursorForeign: "Use the cursor of this key's merchant, or begin without one."
        case .cursorAhead: beginEpoch
        case .eventsLost: readAnew
        case .keyMissing, .keyUnknown: "'paystream keys create' makes a key."
        case .scopeMissing: "Use a key that has it; 'paystream keys --scopes' makes one."
        case .addressNotAllowed: "Ask from one of the key's networks, or let an administrator make a key for this one."
        case .merchantSuspended:
            "Whoever runs this daemon suspended it, and lets it go on: 'paystream merchants resume'."
        case .grantExceeded: "Ask for no more than your own key may, or use a key that may."
        case .lastAdminKey: "Make another key of an administrator first."
        case .rateLimited: "Wait as long as Retry-After says and send it again."
        case .idempotencyKeyMissing, .idempotencyKeyInvalid: keyed
        case .preconditionFailed:
            "Read the resource, look whether the command is still wanted, and send it with the new ETag."
        case .idempotencyConflict: "Repeat the first command as it was, or send this one with a new key."
        case .idTaken: "Make another id, and send the command with it and a new key."
        case .cardDataRefused: "Let the payer enter card data on the provider's page or in its SDK."
        case .memberUnknown, .memberMissing, .memberReserved, .typeWrong, .wordUnknown, .textEmpty, .controlCharacter,
            .numberOutOfRange, .identifierMalformed, .timeMalformed, .amountMissing, .amountNotAllowed,
            .amountNotPositive, .amountScale, .amountOverflow, .currencyUnknown, .instrumentMissing, .claimMalformed,
            .settingsInvalid, .secretMissing, .billInvalid, .zoneUnknown, .businessCalendarUnknown, .dunningName,
            .mappingInvalid, .verdictUnfit, .webhookAddressRefused, .networkInvalid, .roleUnclear, .addressMalformed:
            corrected
        case .currencyNotTaken, .routeMissing, .routeMixed, .billsNotTaken, .notOffered: otherAccount
        case .paymentUnknown, .instrumentUnknown, .disputeUnknown, .evidenceUnknown, .proposalUnknown, .inboxUnknown,
            .scheduleUnknown,
            .billBatchUnknown, .billUnknown, .eventUnknown, .resourceUnknown, .productUnknown, .dunningUnknown,
            .settlementFileUnknown, .exceptionUnknown, .apiKeyUnknown, .changeUnknown, .webhookEndpointUnknown,
            .paymentLinkUnknown:
            "Check the id, and that the key belongs to the same merchant."
        case .paymentLinkClosed: "Read the payment link; its status tells why. Make another one if it is still wanted."
        case .webhookEndpointDisabled, .webhookEndpointsMany: "Enable the endpoint, or remove one that is not needed."
        case .requestUnknown: "GET /v1/requests lists those that are kept; the newest come a moment later."
        case .webhookQueueFull: "Ask again when some of what waits was sent; the list of deliveries tells."
        case .accountUnknown: "GET /v1/accounts lists the accounts there are."
        case .settlementFileInvalid: wholeFile
        case .exceptionEnded: "Read it; its history says how it ended."
        case .accountClosed, .accountTaken: ofAccounts(code)
        case .providerUnknown: "docs/providers names the providers there are."
        case .dunningReserved: "Give the policy another name."
        case .clockUnknown, .clockOwned, .clockPast, .clockNotAllowed: ofClocks(code)
        case .readModelBehind: "Ask again in a moment, or read the resource itself."
        case .periodOpen: "GET /v1/periods lists the months that are closed; the next one is closed when it is over."
        case .notAnAppPayment, .noActionOpen, .handoverChanged, .handoverImpossible:
            "Read the payment and its next action, and go on from there."
        case .personalDataErased: "What was erased can't be shown again; begin a new payment if one is needed."
        case .signatureRefused: "Ask for the app's parameters again and sign what the SDK makes of them."
        case .providerRefused, .providerUnreachable, .credentialsRefused, .instrumentNotUsable: ofProviders(code)
        case .unavailable, .notReady:
            code == .notReady ? "Ask again in a moment." : "Send the same request again with the same key."
        }
    }

    private static func ofAccounts(_ code: ProblemCode) -> String {
        code == .accountClosed
            ? "Name another account." : "Give the account another name, or change the one that has it."
    }

    private static func ofClocks(_ code: ProblemCode) -> String {
        if code == .clockUnknown { return "PUT /v1/clock gives a merchant in test mode a clock." }
        return code == .clockNotAllowed
            ? "Use a merchant that has test accounts alone."
            : "GET /v1/clock tells where it stands; it only moves forward."
    }

    private static func ofProviders(_ code: ProblemCode) -> String {
        if code == .providerRefused { return "Correct what the provider names and ask again." }
        return code == .providerUnreachable ? "Ask again later." : "Use another one, or let the payer save it anew."
    }

    private static func of(status: Int) -> String {
        switch status {
        case 503: of(.unavailable)
        case 400..<500: "Read the current state, change the command and send it with a new key."
        default: "Tell whoever runs this daemon; its log has more."
        }
    }
}

extension Problem {
    /// The same problem with a sentence about what to do.
    var advised: Problem {
        let remedy = Remedy.of(self)
        var copy = self
        let what = detail.last.map { ".!?".contains($0) ? detail : detail + "." } ?? ""
        copy.detail = what.isEmpty ? remedy : what + " " + remedy
        return copy
    }
}
