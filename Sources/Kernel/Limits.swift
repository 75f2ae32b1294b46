/// How much of everything is taken; each limit has a name, a unit in its name and a test that meets it.
package enum Limits {
    // MARK: What clients send

    /// Body of a request to the API.
    package static let apiBodyBytes = 64 * 1024
    /// A settlement file, packed or not.
    package static let settlementUploadBytes = 4 * 1024 * 1024
    /// A file about a dispute.
    package static let evidenceFileBytes = 512 * 1024
    /// Body of an app's report: an SDK's payment token has up to 96 000 characters.
    package static let reportBodyBytes = 128 * 1024
    /// Body of a provider's notification, whatever its adapter declares.
    package static let notificationBodyBytes = 64 * 1024
    /// Request line and headers together.
    package static let headerBytes = 16 * 1024
    package static let headerCount = 64
    /// Path and query of a request.
    package static let targetBytes = 4 * 1024
    /// Nesting of a JSON body.
    package static let jsonDepth = 32

    // MARK: Fields

    package static let idempotencyKeyBytes = 255
    package static let descriptionCharacters = 255
    package static let metadataEntries = 20
    package static let metadataNameBytes = 40
    package static let metadataValueBytes = 500
    /// Labels that one search asks for.
    package static let soughtLabels = 5
    package static let referenceBytes = 255
    /// The longest evidence that an operator writes about a resolution.
    package static let evidenceBytes = 2 * 1024
    /// The string that an SDK wants signed.
    package static let deviceStringBytes = 16 * 1024
    /// An identifier as clients or providers write it.
    package static let emailBytes = 320
    package static let identifierBytes = 255

    // MARK: What providers send

    /// Body of a provider's answer.
    package static let answerBodyBytes = 1024 * 1024
    /// A provider's name of an order, an operation or a series: what the store's index of names keeps.
    package static let providerNameBytes = 1024
    /// Length of the names that we give to providers.
    package static let providerReferenceBytes = 30

    // MARK: Pages and waiting

    package static let pageRows = 100
    /// `Prefer: wait=N`.
    package static let waitSeconds = 60

    // MARK: Telemetry

    package static let logValueBytes = 2 * 1024
    package static let logQueueLines = 8 * 1024
    /// Label sets of one metric; what comes later is counted under `other`.
    package static let seriesPerMetric = 1_000
    package static let tracestateBytes = 512
}

extension JsonLimits {
    /// The JSON that the API takes.
    package static let api = JsonLimits(bytes: Limits.apiBodyBytes, depth: Limits.jsonDepth)
    /// The JSON in which providers answer and notify.
    package static let provider = JsonLimits(bytes: Limits.answerBodyBytes, depth: Limits.jsonDepth)
    /// The same where a provider repeats members: equal ones are one.
    package static let repeating = JsonLimits(
        bytes: Limits.answerBodyBytes,
        depth: Limits.jsonDepth,
        takesEqualRepeats: true
    )
}
