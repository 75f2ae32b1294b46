package import Engine
package import EventSourcing
import HttpClient

/// The ground of a node's engine: the store, the payers' keys and the wire.
package struct NodePorts: Sendable {
    package let store: any EventStore & WorkQueue
    package let keys: any SubjectKeyStore
    package let transport: any Transport

    /// Puts something around them, as a drill's crash points.
    package typealias Wrap = @Sendable (NodePorts) -> NodePorts

    package init(store: any EventStore & WorkQueue, keys: any SubjectKeyStore, transport: any Transport) {
        self.store = store
        self.keys = keys
        self.transport = transport
    }
}

extension HttpClient: Transport {}
