package import EventSourcing
import Kernel
package import ProviderKit

/// What the payer's device needs, rendered at request time.
package protocol HandoverDesk: Sendable {
    /// The address or SDK object of an open payment.
    func render(_ stream: StreamName) async -> Result<RenderedHandover, HandoverRefusal>

    /// Signs the string that the SDK made, rebuilt from what we issued.
    func sign(_ deviceString: String, _ stream: StreamName) async -> Result<String, HandoverRefusal>

    /// Keeps who was given app parameters or a signature, when and for which payment.
    func recordAccess(_ what: String, _ stream: StreamName, key: String) async throws(ReadFailure)
}

/// Why nothing is rendered or signed.
package struct HandoverRefusal: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case paymentUnknown = "payment_unknown"
        /// Nothing is open for the payer: paid, ended, expired or cancelled.
        case notOpen = "no_action_open"
        /// The account's configuration no longer gives what was licensed.
        case changed = "handover_changed"
        case erased = "personal_data_erased"
        /// Nothing can be made of what is known, now or later.
        case impossible = "handover_impossible"
        /// The device's string names something that was not issued.
        case signatureRefused = "signature_refused"
        case unavailable = "unavailable"
    }

    /// Whether it will be the same however often it is asked.
    package var isFinal: Bool {
        switch code {
        case .notOpen, .changed, .erased, .impossible: true
        case .paymentUnknown, .signatureRefused, .unavailable: false
        }
    }

    package let code: Code
    package let detail: String
    package let members: [String]

    package init(_ code: Code, _ detail: String, members: [String] = []) {
        self.code = code
        self.detail = detail
        self.members = members
    }
}
