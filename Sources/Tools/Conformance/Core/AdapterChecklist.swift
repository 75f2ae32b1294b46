package import Http
package import Kernel
package import Payments
package import ProviderKit

/// The list of what every adapter gives, gone through with one payment; a new adapter fails it line by line.
package struct AdapterChecklist {
    /// One account and one payment of a provider, as its documents have them.
    package struct Sample {
        let adapter: any Adapter
        let settings: AccountSettings
        let secrets: AccountSecrets
        let terms: PaymentTerms
        /// The order as the provider opens it for the payment.
        let order: ProviderOrder?
        /// The answer to a question about the payment once it is paid.
        let paid: [UInt8]
        /// A notification that is the provider's own.
        let notification: HttpRequest
        let now: Timestamp
        let materials: Materials

        package init(
            adapter: any Adapter,
            settings: AccountSettings,
            secrets: [String: Secret],
            terms: PaymentTerms,
            order: ProviderOrder?,
            paid: [UInt8],
            notification: HttpRequest,
            now: Timestamp,
            open: @escaping @Sendable (Json) -> Json? = { $0 }
        ) {
            self.adapter = adapter
            self.settings = settings
            self.secrets = AccountSecrets(secrets)
            self.terms = terms
            self.order = order
            self.paid = paid
            self.notification = notification
            self.now = now
            materials = Materials(secrets: self.secrets, open: open, now: now)
        }
    }

    private let sample: Sample
    private var adapter: any Adapter { sample.adapter }

    package init(_ sample: Sample) { self.sample = sample }

    /// The lines that are open; none once the adapter is whole.
    package var missing: [String] {
        account + details + status + purposes.flatMap(message) + purposes.flatMap(silence) + answer + notification
            + claim
    }

    // MARK: Account, Details, Status

    private var account: [String] {
        var lines: [String] = []
        do throws(SettingsFailure) { _ = try adapter.capabilities(sample.settings) } catch {
            lines.append("Account: the sample's \(error.path) is refused: \(error.reason)")
        }
        let odd = sample.settings.values.members.map { members in
            var changed = members
            changed["noSuchMember"] = true
            return Json.object(changed)
        }
        if let odd, (try? adapter.settings.init(odd, in: sample.settings.account.mode)) != nil {
            lines.append("Account: a setting that nobody knows is taken")
        }
        return lines
    }

    private var details: [String] {
        var lines: [String] = []
        do throws(PlanFailure) {
            try adapter.check(sample.terms, sample.settings, at: sample.now)
            try adapter.checkPlain(sample.terms.details, for: sample.terms.method)
        } catch { lines.append("Details: the sample is refused: \(error.code): \(error.detail)") }
        if (try? adapter.checkPlain(["noSuchMember": true], for: sample.terms.method)) != nil {
            lines.append("Details: a member that nobody knows is taken")
        }
        let use = DetailsUse.payment(sample.terms.mode, sample.terms.method)
        if let place = adapter.carried(sample.terms.details, for: use, sample.settings).dropped(
            of: sample.terms.details
        ) {
            lines.append("Details: the sample's \(place) is carried nowhere")
        }
        return lines
    }

    private var status: [String] {
        let words = adapter.states.moves
        let isWhole = words.contains {
            $0.to == ProviderState.captured.rawValue || $0.to == ProviderState.held.rawValue
        }
        return isWhole ? [] : ["Status: no move leads to money"]
    }

    // MARK: Requests, Signing, Device

    private var purposes: [DispatchPurpose] {
        let isOpened = adapter.opening(sample.terms, sample.settings) == .request
        let opening: [DispatchPurpose] = isOpened ? [.operation(sample.terms.mode.operation)] : []
        return opening + [.handover, .query, .operation(.capture), .operation(.void), .operation(.refund)]
    }

    private func dispatch(_ purpose: DispatchPurpose) -> PlannedDispatch {
        let isMoney = if case .operation = purpose { true } else { false }
        return PlannedDispatch(
            purpose: purpose,
            paymentReference: "pay-7",
            operationReference: isMoney ? "op-7-1" : nil,
            amount: isMoney ? sample.terms.amount : nil,
            isFull: true,
            deadline: sample.terms.expiresAt,
            reason: nil,
            methodAtProvider: nil,
            order: sample.order,
            initialAtProvider: sample.order?.id
        )
    }

    private func message(_ purpose: DispatchPurpose) -> [String] {
        let context = PlanContext(terms: sample.terms, settings: sample.settings, instrumentToken: nil)
        let template: RequestTemplate
        do throws(PlanFailure) {
            template = try adapter.plan(dispatch(purpose), context)
            guard try adapter.plan(dispatch(purpose), context).json.canonical == template.json.canonical else {
                return ["Requests: \(purpose) is another message each time"]
            }
        } catch {
            if error.code == "operation_not_supported" { return [] }
            return [Unwritten.room(in: error.detail) ?? "Requests: \(purpose): \(error.code): \(error.detail)"]
        }
        do throws(FinishFailure) {
            if purpose == .handover {
                guard let device = adapter.device else { return ["Device: nobody hands the payment over"] }
                _ = try device.render(template, sample.materials)
                return []
            }
            let request = try adapter.finish(template, sample.materials)
            return WebAddress.isAbsolute(request.url) ? [] : ["Signing: \(purpose) goes to no address"]
        } catch {
            if case .malformedTemplate(let text) = error, let place = Unwritten.room(in: text) { return [place] }
            return ["Signing: \(purpose): \(error)"]
        }
    }

    // MARK: Messages

    private func facts(_ observation: Observation) -> [Fact] {
        adapter.interpret(
            observation,
            InterpretContext(
                settings: sample.settings,
                paymentReference: "pay-7",
                terms: sample.terms,
                isHandover: true,
                order: sample.order
            )
        )
    }

    /// Lost is not failed: silence and a broken gateway leave it open what was done.
    private func silence(_ purpose: DispatchPurpose) -> [String] {
        guard purpose != .handover else { return [] }
        let notSent = facts(.notSent(purpose, reason: "refused"))
        let silent = facts(.sentNoAnswer(purpose, reason: "timeout"))
        let broken = facts(.answered(purpose, status: 502, headers: [:], body: Array("<html>".utf8)))
        return [
            notSent.contains(where: \.isNotSent) ? nil : "Messages: \(purpose) that never left is not told so",
            silent.contains(where: \.isUnknown) ? nil : "Messages: \(purpose) without an answer is not unknown",
            broken.contains(where: \.isUnknown)
                ? nil : "Messages: \(purpose) answered by a broken gateway is not unknown",
        ].compactMap(\.self)
    }

    private var answer: [String] {
        let told = facts(.answered(.query, status: 200, headers: [:], body: sample.paid))
        if told.contains(where: \.isMoney) { return [] }
        let place = told.lazy.compactMap(\.unwritten).first
        return [place ?? "Messages: the answer for a paid payment tells of no money"]
    }

    private var notification: [String] {
        var lines: [String] = []
        switch adapter.authenticate(sample.notification, sample.settings, sample.secrets) {
        case .verified, .unsigned: break
        case .rejected(let reason):
            lines.append(Unwritten.room(in: reason) ?? "Messages: the provider's notification is rejected: \(reason)")
        case .unrecognised: lines.append("Messages: the provider's notification is not recognised")
        }
        var forged = sample.notification
        forged.body = Array("forged".utf8)
        switch adapter.authenticate(forged, sample.settings, sample.secrets) {
        case .verified, .unsigned: lines.append("Messages: a forged notification is believed")
        case .rejected, .unrecognised: break
        }
        return lines
    }

    private var claim: [String] {
        guard let device = adapter.device else { return [] }
        do throws(ClaimFailure) { _ = try device.appResult(["noSuchMember": true]) } catch {
            return [Unwritten.room(in: error.reason)].compactMap(\.self)
        }
        return ["Device: a claim that nobody knows is taken"]
    }
}

extension Fact {
    fileprivate var isNotSent: Bool { if case .dispatch(.notSent) = self { true } else { false } }

    fileprivate var isUnknown: Bool { if case .dispatch(.unknown) = self { true } else { false } }

    /// Whether money was held or taken by it.
    fileprivate var isMoney: Bool {
        switch self {
        case .operation(let told): told.outcome.isSuccess
        case .statement, .complete: true
        case .attempt, .order, .dispatch, .instrument, .instrumentNews, .receipt, .dispute, .method, .series,
            .seriesDebit,
            .fee, .commission, .contradiction, .question, .firstAnswer, .unrecognised:
            false
        }
    }

    fileprivate var unwritten: String? {
        if case .dispatch(.unknown(let reason)) = self { Unwritten.room(in: reason) } else { nil }
    }
}
