import Http

/// Reads which version of a thing a request means (RFC 9110, 13.1).
enum Preconditions {
    private static let match = "If-Match"
    private static let noneMatch = "If-None-Match"

    /// The versions that `If-Match` names; `nil` where any will do.
    ///
    /// What has no version, or another form, matches nothing; `*` means any version where it stands alone.
    static func versions(meantBy headers: HttpHeaders) -> [Int32]? {
        let tags = tags(headers, match)
        guard !headers.all(match).isEmpty, tags != ["*"] else { return nil }
        return tags.compactMap { tag in
            tag.hasPrefix("\"") && tag.hasSuffix("\"") ? Int32(tag.dropFirst().dropLast()) : nil
        }
    }

    /// Refuses `If-Match` for what has no version to be matched.
    static func refuseVersions(meantBy headers: HttpHeaders) throws(Problem) {
        guard versions(meantBy: headers) != nil else { return }
        throw Problem(.preconditionFailed, "What this changes has no ETag.", path: match)
    }

    /// Refuses `If-None-Match` of a command, which would promise something that no command does.
    static func refuseCopies(heldBy headers: HttpHeaders) throws(Problem) {
        guard !headers.all(noneMatch).isEmpty else { return }
        throw Problem(
            .headerInvalid,
            "If-None-Match belongs to a read; a command says with If-Match which version it means.",
            path: noneMatch
        )
    }

    /// The tag of a version.
    static func tag(_ version: Int32) -> String { "\"\(version)\"" }

    /// The answer to a read of something that is at this version: 412, 304 or all of it.
    static func answer(
        _ headers: HttpHeaders,
        version: Int32,
        _ whole: () -> HttpResponse
    ) throws(Problem) -> HttpResponse {
        let tag = tag(version)
        if let meant = versions(meantBy: headers), !meant.contains(version) {
            throw Problem(.preconditionFailed, "It is at another version.", path: match)
        }
        let held = tags(headers, noneMatch)
        let isHeld = held == ["*"] || held.contains { $0 == tag || $0 == "W/" + tag }
        var response = isHeld ? HttpResponse.empty(304) : whole()
        response.headers.set("ETag", tag)
        response.headers.set("Cache-Control", "private, no-cache")
        return response
    }

    /// The elements of a list of tags, which several fields may hold together.
    private static func tags(_ headers: HttpHeaders, _ name: String) -> [String] {
        headers.all(name).flatMap { $0.split(separator: ",").map(\.trimmed) }.filter { !$0.isEmpty }
    }
}
