package import Http
package import Kernel
import Payments
package import ProviderKit

extension WorldlineAdapter {
    package func plan(_ inquiry: Inquiry, _ settings: AccountSettings) throws(PlanFailure) -> RequestTemplate {
        let calls = try ClientCalls(settings)
        switch inquiry {
        case .connection: return calls.testConnection()
        case .session(let tokens): return try calls.session(tokens: tokens)
        case .products(let setting): return try calls.products(setting)
        case .product(let id, let setting): return try calls.product(id, setting)
        case .cardPrefix(let setting): return try calls.cardPrefix(setting)
        }
    }

    package func read(_ answer: HttpResponse, to inquiry: Inquiry) -> InquiryReply? {
        let body = (try? Json(answer.body)).flatMap { $0.members == nil ? nil : $0 }
        if answer.status == 401 || answer.status == 403 || answer.status == 400 {
            return .refused(status: answer.status, code: ErrorBody(body).code)
        }
        switch inquiry {
        case .connection: return answer.status == 200 && body?["result"]?.text == "OK" ? .connected : nil
        case .session:
            guard answer.status == 201 || answer.status == 200, let session = body.flatMap(SessionAnswer.init) else {
                return nil
            }
            return .session(
                AppSession(
                    object: session.session,
                    lifetime: SessionAnswer.lifetime,
                    invalidTokens: session.invalidTokens
                )
            )
        case .products, .product:
            if answer.status == 404 { return .unknown }
            guard answer.status == 200, let list = body.flatMap(ProductList.init) else { return nil }
            return .products(PaymentProducts(items: list.products, isOnePayers: list.hasAccountsOnFile))
        case .cardPrefix: return IinAnswer(status: answer.status, body: body).map { .cardPrefix($0.reply) }
        }
    }

    package func isEnough(digits: String) throws(PlanFailure) -> Bool {
        switch try CardPrefix.read(digits) {
        case .usable: true
        case .notEnoughDigits: false
        }
    }

    package func report(_ values: [String: String], product: Json) -> FieldReport {
        FieldReport(
            errors: FieldCheck.errors(values, product: product).map(\.json),
            described: FieldCheck.described(product).mapValues { $0.map(\.rawValue) }
        )
    }

    package func checkPresentation(_ presentation: Json) throws(PlanFailure) {
        _ = try Order.read(["presentation": presentation])
    }

    package func narrowed(_ list: PaymentProducts, to tokens: Set<String>) -> PaymentProducts {
        PaymentProducts(items: list.items.map { ProductList.narrowed($0, to: tokens) }, isOnePayers: list.isOnePayers)
    }

    package func cacheTimes(_ settings: AccountSettings) -> ProductCacheTimes {
        let parsed = try? WorldlineSettings.of(settings)
        let fallback = ProductCacheTimes(fresh: .seconds(60), kept: .seconds(600))
        return parsed.map { ProductCacheTimes(fresh: $0.times.productsFresh, kept: $0.times.productsKept) } ?? fallback
    }
}

extension IinAnswer {
    /// The same in the words of every provider.
    fileprivate var reply: CardPrefixReply {
        let word: CardPrefixReply.Status
        switch status {
        case .notEnoughDigits: word = .notEnoughDigits
        case .unknown: word = .unknown
        case .existingButNotAllowed: word = .existingButNotAllowed
        case .supported: word = .supported
        }
        return CardPrefixReply(
            status: word,
            product: productId,
            country: country,
            cardType: cardType,
            brands: brands.map { CardPrefixReply.Brand(product: $0.productId, isAllowed: $0.isAllowed) }
        )
    }
}
