/// The request methods (RFC 9110, section 9; RFC 5789) that this program knows.
package enum HttpMethod: String, Hashable, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
    case head = "HEAD"
    case options = "OPTIONS"

    /// Whether a request may change something at the other side, so that sending it twice could do it twice.
    package var isMutating: Bool {
        switch self {
        case .get, .head, .options: false
        case .post, .put, .patch, .delete: true
        }
    }
}
