package import Payments

/// Which of the bank's two gateways an account is at: the same calls, other rules of the wire.
package enum Dialect: String, Hashable, Sendable, CaseIterable {
    /// The older platform: form bodies, JSON text inside single fields.
    case legacy
    /// The bank's own gateway: JSON bodies under a strict schema.
    case ecom

    package var pathPrefix: String {
        switch self {
        case .legacy: "/payment/rest/"
        case .ecom: "/ecomm/gw/partner/api/v1/"
        }
    }

    /// Where the gateway is, unless the account says otherwise.
    package func baseUrl(_ mode: AccountFacts.Mode) -> String {
        switch (self, mode) {
        case (.legacy, .test): "https://3dsec.sberbank.ru"
        case (.legacy, .live), (.legacy, .liveAutoCancel): "https://securepayments.sberbank.ru"
        case (.ecom, .test): "https://ecomtest.sberbank.ru"
        case (.ecom, .live), (.ecom, .liveAutoCancel): "https://ecommerce.sberbank.ru"
        }
    }

    var orderNumberCharacters: Int {
        switch self {
        case .legacy: 32
        case .ecom: 36
        }
    }
}

/// A call of the gateway.
package enum GatewayCall: String, Hashable, Sendable, CaseIterable {
    case register
    case registerPreAuth
    case deposit
    case reverse
    case refund
    case decline
    case status = "getOrderStatusExtended"
    case paymentSberPay
    case paymentOrderBinding
    case recurrentPayment
    case getBindings
    case bindCard
    case unbindCard

    /// The last part of the address.
    package func file(_ dialect: Dialect) -> String {
        switch (self, dialect) {
        case (.unbindCard, .legacy): "unBindCard.do"
        case (.register, _), (.registerPreAuth, _), (.deposit, _), (.reverse, _), (.refund, _), (.decline, _),
            (.status, _), (.paymentSberPay, _), (.paymentOrderBinding, _), (.recurrentPayment, _), (.getBindings, _),
            (.bindCard, _), (.unbindCard, .ecom):
            "\(rawValue).do"
        }
    }
}
