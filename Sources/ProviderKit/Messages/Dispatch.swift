package import Kernel
package import Payments

/// The circumstances that a plan may look at.
package struct PlanContext: Hashable, Sendable {
    package let terms: PaymentTerms
    package let settings: AccountSettings
    /// The sealed token of `terms.instrument`.
    package let instrumentToken: Json?

    /// How the network names the payment at which the instrument's payer agreed to later charges.
    package let instrumentReference: String?
    /// The instrument's card as its payer may see it.
    package let instrumentMask: String?

    package init(
        terms: PaymentTerms,
        settings: AccountSettings,
        instrumentToken: Json?,
        instrumentReference: String? = nil,
        instrumentMask: String? = nil
    ) {
        self.terms = terms
        self.settings = settings
        self.instrumentToken = instrumentToken
        self.instrumentReference = instrumentReference
        self.instrumentMask = instrumentMask
    }

    package init(terms: PaymentTerms, settings: AccountSettings, instrument: Instrument?) {
        self.init(
            terms: terms,
            settings: settings,
            instrumentToken: instrument?.usableToken,
            instrumentReference: instrument?.networkReference,
            instrumentMask: instrument?.saved?.fact.masked
        )
    }
}

/// An unsigned request with typed holes, in JSON whose canonical bytes are digested, licensed and stored.
///
/// Holes stand in place: `{"$sealed": …}` is a personal value that `finish` opens; where a signature or a secret goes is
/// the adapter's own knowledge, named in `signing`.
package struct RequestTemplate: Hashable, Sendable, JsonWritable {
    package let method: String
    /// Absolute URL without what must be signed.
    package let url: String
    /// The body, or the parameters of an address or SDK object.
    package let content: Json
    /// How the adapter signs it: a constant of the adapter, as in `ecommpay.general`.
    package let signing: String

    package init(method: String, url: String, content: Json, signing: String) {
        self.method = method
        self.url = url
        self.content = content
        self.signing = signing
    }

    package func write(into out: inout JsonText) {
        out.member("content", content)
        out.member("method", method)
        out.member("signing", signing)
        out.member("url", url)
    }

    package init?(_ json: Json) {
        guard let method = json["method"]?.text, let url = json["url"]?.text, let content = json["content"],
            let signing = json["signing"]?.text
        else { return nil }
        self.init(method: method, url: url, content: content, signing: signing)
    }
}
