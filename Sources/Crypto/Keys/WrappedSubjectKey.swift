package import Kernel

/// A data subject's key as it is stored: wrapped by the key ring, under an id of its own that envelopes name.
package struct WrappedSubjectKey: Hashable, Sendable {
    package let subject: Uuid
    package let id: Uuid
    package let wrapped: [UInt8]

    package init(subject: Uuid, id: Uuid, wrapped: [UInt8]) {
        self.subject = subject
        self.id = id
        self.wrapped = wrapped
    }
}
