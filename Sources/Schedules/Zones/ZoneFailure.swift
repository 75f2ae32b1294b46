/// Why bytes are no time zone file, and where in them it shows.
package struct ZoneFailure: Error, Hashable, Sendable {
    package enum Code: String, Hashable, Sendable, CaseIterable {
        case tooLarge = "too_large"
        case notTzif = "not_tzif"
        case versionUnknown = "version_unknown"
        case cutShort = "cut_short"
        case countsInvalid = "counts_invalid"
        case transitionsUnordered = "transitions_unordered"
        case timeOutOfRange = "time_out_of_range"
        case typeUnknown = "type_unknown"
        case typeInvalid = "type_invalid"
        /// Files that count leap seconds number instants unlike POSIX and PostgreSQL do.
        case leapSeconds = "leap_seconds"
        case footerMalformed = "footer_malformed"
        case trailingBytes = "trailing_bytes"
    }

    package let code: Code
    package let offset: Int

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}
