package import Http
package import Kernel

/// The stable words for what the API itself refuses; refusals of decisions and adapters bring their own.
package enum ProblemCode: String, Hashable, Sendable, CaseIterable {
    // MARK: The request as such

    case routeUnknown = "route_unknown"
    case methodNotAllowed = "method_not_allowed"
    case targetTooLong = "target_too_long"
    case headersTooLarge = "headers_too_large"
    case headerInvalid = "header_invalid"
    case bodyTooLarge = "body_too_large"
    case bodyMissing = "body_missing"
    case bodyNotAllowed = "body_not_allowed"
    case mediaTypeUnsupported = "media_type_unsupported"
    case jsonMalformed = "json_malformed"
    case queryMalformed = "query_malformed"
    case queryUnknown = "query_unknown"
    case queryInvalid = "query_invalid"
    case cursorInvalid = "cursor_invalid"
    case cursorForeign = "cursor_foreign"
    case cursorAhead = "cursor_ahead"
    case eventsLost = "events_lost"

    // MARK: Who asks

    case keyMissing = "key_missing"
    case keyUnknown = "key_unknown"
    case scopeMissing = "scope_missing"
    case rateLimited = "rate_limited"
    case addressNotAllowed = "address_not_allowed"
    case merchantSuspended = "merchant_suspended"
    case grantExceeded = "grant_exceeded"
    case networkInvalid = "network_invalid"
    case roleUnclear = "role_unclear"
    case apiKeyUnknown = "api_key_unknown"
    case lastAdminKey = "last_admin_key"
    case changeUnknown = "change_unknown"
    case requestUnknown = "request_unknown"

    // MARK: Idempotency

    case idempotencyKeyMissing = "idempotency_key_missing"
    case idempotencyKeyInvalid = "idempotency_key_invalid"
    case idempotencyConflict = "idempotency_conflict"
    case idTaken = "id_taken"
    case preconditionFailed = "precondition_failed"

    // MARK: The form of a command

    case cardDataRefused = "card_data_refused"
    case memberUnknown = "member_unknown"
    case memberMissing = "member_missing"
    case memberReserved = "member_reserved"
    case typeWrong = "type_wrong"
    case wordUnknown = "word_unknown"
    case textEmpty = "text_empty"
    case textTooLong = "text_too_long"
    case controlCharacter = "control_character"
    case tooMany = "too_many"
    case tooDeep = "too_deep"
    case numberOutOfRange = "number_out_of_range"
    case identifierMalformed = "identifier_malformed"
    case timeMalformed = "time_malformed"
    case addressMalformed = "address_malformed"
    case amountMissing = "amount_missing"
    case amountNotAllowed = "amount_not_allowed"
    case amountNotPositive = "amount_not_positive"
    case amountScale = "amount_scale"
    case amountOverflow = "amount_overflow"
    case currencyUnknown = "currency_unknown"
    case currencyNotTaken = "currency_not_taken"
    case instrumentMissing = "instrument_missing"
    case claimMalformed = "claim_malformed"

    // MARK: What it is about

    case paymentUnknown = "payment_unknown"
    case eventUnknown = "event_unknown"
    case resourceUnknown = "resource_unknown"
    case webhookEndpointUnknown = "webhook_endpoint_unknown"
    case webhookEndpointDisabled = "webhook_endpoint_disabled"
    case webhookEndpointsMany = "webhook_endpoints_many"
    case webhookQueueFull = "webhook_queue_full"
    case webhookAddressRefused = "webhook_address_refused"
    case paymentLinkUnknown = "payment_link_unknown"
    case paymentLinkClosed = "payment_link_closed"
    case instrumentUnknown = "instrument_unknown"
    case disputeUnknown = "dispute_unknown"
    case evidenceUnknown = "evidence_unknown"
    case proposalUnknown = "proposal_unknown"
    case accountUnknown = "account_unknown"
    case accountClosed = "account_closed"
    case accountTaken = "account_taken"
    case providerUnknown = "provider_unknown"
    case settingsInvalid = "settings_invalid"
    case secretMissing = "secret_missing"
    case routeMissing = "no_account_for_payment"
    case routeMixed = "route_mixed"
    case inboxUnknown = "inbox_unknown"
    case scheduleUnknown = "schedule_unknown"
    case dunningUnknown = "dunning_policy_unknown"
    case dunningReserved = "dunning_policy_reserved"
    case dunningName = "dunning_policy_name"
    case clockUnknown = "clock_unknown"
    case clockOwned = "clock_owned"
    case clockNotAllowed = "clock_not_allowed"
    case clockPast = "clock_past"
    case zoneUnknown = "zone_unknown"
    case businessCalendarUnknown = "business_calendar_unknown"
    case periodOpen = "period_open"
    case readModelBehind = "read_model_behind"
    case notAnAppPayment = "not_an_app_payment"
    case noActionOpen = "no_action_open"
    case handoverChanged = "handover_changed"
    case handoverImpossible = "handover_impossible"
    case personalDataErased = "personal_data_erased"
    case signatureRefused = "signature_refused"
    case notOffered = "not_offered"
    case productUnknown = "product_unknown"
    case providerRefused = "provider_refused"
    case providerUnreachable = "provider_unreachable"

    // MARK: Bills

    case billBatchUnknown = "bill_batch_unknown"
    case billUnknown = "bill_unknown"
    case billInvalid = "bill_invalid"
    case billsNotTaken = "bills_not_taken"
    case credentialsRefused = "credentials_refused"
    case instrumentNotUsable = "instrument_not_usable"
    case uploadCut = "upload_cut"

    // MARK: Settlement

    case settlementFileInvalid = "settlement_file_invalid"
    case settlementFileUnknown = "settlement_file_unknown"
    case mappingInvalid = "mapping_invalid"
    case exceptionUnknown = "exception_unknown"
    case exceptionEnded = "exception_ended"
    case verdictUnfit = "verdict_unfit"

    // MARK: Us

    case unavailable = "unavailable"
    case notReady = "not_ready"

    package var status: Int {
        switch self {
        case .uploadCut, .headerInvalid, .bodyMissing, .bodyNotAllowed, .jsonMalformed, .queryMalformed, .queryUnknown,
            .queryInvalid, .cursorInvalid, .cursorForeign, .idempotencyKeyMissing, .idempotencyKeyInvalid:
            400
        case .keyMissing, .keyUnknown: 401
        case .scopeMissing, .addressNotAllowed, .merchantSuspended, .grantExceeded: 403
        case .billBatchUnknown, .billUnknown, .routeUnknown, .paymentUnknown, .instrumentUnknown, .disputeUnknown,
            .evidenceUnknown, .proposalUnknown, .inboxUnknown, .readModelBehind, .productUnknown, .scheduleUnknown,
            .clockUnknown, .settlementFileUnknown, .exceptionUnknown, .eventUnknown, .resourceUnknown,
            .webhookEndpointUnknown, .apiKeyUnknown, .changeUnknown, .requestUnknown, .paymentLinkUnknown:
            404
        case .methodNotAllowed: 405
        case .clockOwned, .clockNotAllowed, .clockPast, .idempotencyConflict, .notAnAppPayment, .noActionOpen,
            .handoverChanged, .handoverImpossible, .periodOpen, .exceptionEnded, .cursorAhead,
            .webhookEndpointDisabled, .webhookQueueFull, .lastAdminKey, .paymentLinkClosed, .idTaken:
            409
        case .personalDataErased, .eventsLost: 410
        case .preconditionFailed: 412
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .mediaTypeUnsupported: 415
        case .billInvalid, .billsNotTaken, .credentialsRefused, .instrumentNotUsable, .cardDataRefused, .memberUnknown,
            .memberMissing, .memberReserved, .typeWrong, .wordUnknown, .textEmpty,
            .textTooLong, .controlCharacter, .tooMany, .tooDeep, .numberOutOfRange, .identifierMalformed,
            .timeMalformed, .addressMalformed, .amountMissing, .amountNotAllowed, .amountNotPositive, .amountScale,
            .amountOverflow, .currencyUnknown, .currencyNotTaken, .instrumentMissing, .claimMalformed, .accountUnknown,
            .accountClosed,
            .accountTaken, .providerUnknown, .settingsInvalid, .secretMissing, .routeMissing, .routeMixed,
            .signatureRefused, .notOffered, .providerRefused, .zoneUnknown,
            .businessCalendarUnknown, .dunningUnknown, .dunningReserved, .dunningName, .settlementFileInvalid,
            .mappingInvalid, .webhookEndpointsMany, .webhookAddressRefused, .verdictUnfit, .networkInvalid,
            .roleUnclear:
            422
        case .rateLimited: 429
        case .headersTooLarge: 431
        case .unavailable, .notReady, .providerUnreachable: 503
        }
    }
}

extension Problem {
    /// A refusal by the API itself; `path` names the member, header or parameter at fault.
    package init(
        _ code: ProblemCode,
        _ detail: String,
        path: String? = nil,
        members: [(String, Json)] = [],
        headers: HttpHeaders = HttpHeaders()
    ) {
        self.init(
            status: code.status,
            code: code.rawValue,
            detail: detail,
            members: (path.map { [("path", .string($0))] } ?? []) + members,
            headers: headers
        )
    }

    /// Nothing is known to have happened; the client repeats the same request.
    static func unavailable(_ detail: String) -> Problem {
        Problem(.unavailable, detail, headers: HttpHeaders([("Retry-After", "1")]))
    }

    /// The same where what is stored can't be read.
    static func unreadable(_ path: String) -> Problem {
        var problem = Problem.unavailable(path)
        problem.isUnreadable = true
        return problem
    }
}
