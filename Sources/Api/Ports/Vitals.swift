/// How the daemon is.
package protocol Vitals: Sendable {
    /// `nil` when requests can be served; otherwise why not, in a word that names no secret.
    func unreadiness() async -> String?

    /// The metrics page in Prometheus' text format.
    func metrics() async -> String
}
