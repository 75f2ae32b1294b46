package import Http
package import Kernel
package import Payments
package import ProviderKit

extension PortmoneAdapter {
    package var bills: (any BillAdapter)? { PortmoneBills() }
}

/// Mass payment of a user's utility bills.
package struct PortmoneBills: BillAdapter {
    package let identifiers: Set<JsonPath> = ["id"]

    package init() {}

    package func terms(_ settings: AccountSettings) throws(SettingsFailure) -> BillTerms {
        let own = try PortmoneSettings.of(settings)
        guard let currency = Amounts.hryvnia else { throw SettingsFailure(path: "currencies", reason: "unknown_word") }
        return BillTerms(
            mode: own.bulkMode == .serverToken ? .serverToken : .sdk,
            currency: currency,
            isPriced: own.bills.isPriced,
            limits: BillLimits(
                billsPerChunk: own.bills.perCall,
                chunksInFlight: own.bulkMode == .serverToken ? own.bills.callsInFlight : 1,
                spacing: own.bills.spacing
            )
        )
    }

    package func plan(_ bills: PlannedBills, _ settings: AccountSettings) throws(PlanFailure) -> RequestTemplate {
        let own: PortmoneSettings
        do throws(SettingsFailure) { own = try PortmoneSettings.of(settings) } catch {
            throw PlanFailure(code: "settings_invalid", path: error.path, detail: error.reason)
        }
        guard let credentials = bills.credentials else {
            throw PlanFailure(code: "credentials_stale", detail: "there are no credentials that can be used")
        }
        guard !bills.isByWallet || MerchantBills.mayPayByWallet(bills.lines.count) else {
            throw PlanFailure(code: "too_many_bills", detail: "a device wallet pays one bill")
        }
        let token = bills.cardToken ?? ""
        switch bills.purpose {
        case .price, .payment:
            guard bills.cardToken != nil else {
                throw PlanFailure(code: PlanFailure.instrumentMissing, detail: "there is no saved token")
            }
            let body =
                bills.purpose == .price
                ? MerchantBills.commission(bills.lines, token: token, credentials: credentials)
                : MerchantBills.pay(bills.lines, token: token, credentials: credentials)
            return RequestTemplate(
                method: "POST",
                url: own.merchantBillsUrl,
                content: ["body": body],
                signing: Signing.bills.rawValue
            )
        case .handover:
            let content = try SdkBills.object(bills, credentials, own)
            return RequestTemplate(
                method: "GET",
                url: own.merchantBillsUrl,
                content: content,
                signing: Signing.sdk.rawValue
            )
        }
    }

    package func read(
        _ observation: Observation,
        _ lines: [BillLine],
        _ settings: AccountSettings
    ) -> (outcome: DispatchOutcome, reading: BillReading) {
        switch observation {
        case .notSent(_, let reason): return (.notSent(reason: reason), BillReading(.unanswered(reason: reason)))
        case .sentNoAnswer(_, let reason): return (.unknown(reason: reason), BillReading(.unanswered(reason: reason)))
        case .notification: return (.unknown(reason: "notification"), BillReading(.unanswered(reason: "notification")))
        case .answered(_, _, _, let body):
            switch BillAnswer(body) {
            case .bills(let reports):
                return (.answered, BillOutcomes(lines, reports, source: .answer).reading)
            case .refused(let code, _): return refusal(code, settings)
            case .credentials, .card, .price, .unknownBills, .unreadable:
                return (.unknown(reason: "unreadable"), BillReading(.unanswered(reason: "unreadable")))
            }
        }
    }

    /// A refusal of the whole says nothing about any bill, unless the account's settings take a code for proof.
    private func refusal(_ code: String?, _ settings: AccountSettings) -> (DispatchOutcome, BillReading) {
        let bills = (try? PortmoneSettings.of(settings))?.bills
        let isAboutUser = code.map { bills?.credentialCodes.contains($0) ?? false } ?? false
        let trouble: BillTrouble = isAboutUser ? .credentialsStale : .refused
        guard isAboutUser, bills?.credentialCodesProveUnpaid == true else {
            return (.unknown(reason: "refused"), BillReading(.refused(trouble, code: code)))
        }
        let decline = Decline(reason: .configuration, code: code, tableVersion: CodeTable.version)
        return (.notExecuted(decline), BillReading(.notExecuted(trouble, code: code)))
    }

    package func price(
        _ observation: Observation,
        _ lines: [BillLine],
        _ settings: AccountSettings
    ) -> (outcome: DispatchOutcome, reading: PriceReading) {
        switch observation {
        case .notSent(_, let reason): return (.notSent(reason: reason), .unreadable(reason: reason))
        case .sentNoAnswer(_, let reason): return (.unknown(reason: reason), .unreadable(reason: reason))
        case .notification: return (.unknown(reason: "notification"), .unreadable(reason: "notification"))
        case .answered(_, _, _, let body):
            switch BillAnswer(body) {
            case .price(let price):
                let known = Set(price.billIds)
                guard lines.allSatisfy({ known.contains($0.id) }) else { return (.answered, .unknownBills) }
                return (.answered, .priced(commission: price.commission))
            case .unknownBills: return (.answered, .unknownBills)
            case .refused(let code, _):
                let codes = (try? PortmoneSettings.of(settings))?.bills.credentialCodes ?? []
                let isAboutUser = code.map(codes.contains) ?? false
                return (.answered, isAboutUser ? .credentialsRefused : .unreadable(reason: "refused"))
            case .credentials, .card, .bills, .unreadable: return (.answered, .unreadable(reason: "unreadable"))
            }
        }
    }

    package func claim(_ body: Json, _ lines: [BillLine]) throws(ClaimFailure) -> BillReading {
        guard let items = body["bills"]?.items else { throw ClaimFailure(path: "bills", reason: "a list is needed") }
        guard body.members?.count == 1 else { throw ClaimFailure(path: "", reason: "bills is the only member") }
        guard items.count <= Self.claimRows else { throw ClaimFailure(path: "bills", reason: "too many rows") }
        for (index, item) in items.enumerated() {
            guard item.members != nil else { throw ClaimFailure(path: "bills.\(index)", reason: "an object is needed") }
            if let status = item["status"], !status.isNull, status.text == nil {
                throw ClaimFailure(path: "bills.\(index).status", reason: "a text is needed")
            }
        }
        return BillOutcomes(lines, items.map { BillReport($0) }, source: .claim).reading
    }

    /// An app may name a bill several times, as its SDK's later calls do.
    private static let claimRows = 400

    package func cardSaving(_ user: BillUser, language: String?, _ settings: AccountSettings) throws(PlanFailure)
        -> Json
    {
        let own: PortmoneSettings
        do throws(SettingsFailure) { own = try PortmoneSettings.of(settings) } catch {
            throw PlanFailure(code: "settings_invalid", path: error.path, detail: error.reason)
        }
        guard let language = Languages.code(language ?? "uk") else {
            throw PlanFailure(code: "details_invalid", path: "language", detail: "not_a_language")
        }
        return SdkBills.saving(Self.text(user.login), Self.text(user.credentials), language, own)
    }

    package func ask(_ question: BillQuestion, _ settings: AccountSettings) -> OutgoingRequest {
        let url = (try? PortmoneSettings.of(settings))?.merchantBillsUrl ?? PortmoneSettings.defaultMerchantBillsUrl
        let body: Json =
            switch question {
            case .credentials(let login, let password):
                MerchantBills.credentials(login: login, password: Self.text(password))
            case .card(let token, let user):
                MerchantBills.checkToken(
                    Self.text(token),
                    contractNumber: Self.text(user.login),
                    credentials: Self.text(user.credentials)
                )
            }
        return OutgoingRequest(
            method: .post,
            url: url,
            headers: HttpHeaders([("Accept", "application/json"), ("Content-Type", "application/json")]),
            body: body.compactBytes,
            deadline: PortmoneDeclaration.declaration.requestDeadline
        )
    }

    private static func text(_ secret: Secret) -> String { secret.withBytes { String(decoding: $0, as: UTF8.self) } }

    package func answer(to question: BillQuestion, _ response: HttpResponse) -> BillQuestionAnswer {
        switch BillAnswer(response.body) {
        case .credentials(let json): json.text.map { .credentials(Secret($0)) } ?? .unreadable
        case .card(let card): .card(mask: card.mask)
        case .refused(let code, _): .refused(code: code)
        case .price, .unknownBills, .bills, .unreadable: .unreadable
        }
    }
}
