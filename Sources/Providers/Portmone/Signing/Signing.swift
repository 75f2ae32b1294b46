/// How a template is finished: the text stands in the template and so in its digest.
enum Signing: String {
    /// `createLinkPayment`: time, signature and the time allowed to pay are filled in.
    case link = "portmone.link"
    /// A JSON call: the password goes to `params.data`, and to a status call its window of dates.
    case call = "portmone.call"
    /// A JSON call that carries no password.
    case plain = "portmone.plain"
    /// A form of the older spelling.
    case form = "portmone.form"
    /// A call about a user's bills: what stands for the user's password is in it already.
    case bills = "portmone.bills"
    /// The address that the provider gave for the payer.
    case address = "portmone.address"
    /// The object for the SDK.
    case sdk = "portmone.sdk"
}
