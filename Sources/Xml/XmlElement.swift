/// An element of an XML document: its name, its own text without the space around it, and its children in order.
///
/// Attributes are not kept.
package struct XmlElement: Hashable, Sendable {
    package let name: String
    package internal(set) var text = ""
    package internal(set) var children: [XmlElement] = []

    /// The first child of this name.
    package func child(_ name: String) -> XmlElement? { children.first { $0.name == name } }

    /// Every child of this name.
    package func all(_ name: String) -> [XmlElement] { children.filter { $0.name == name } }
}
