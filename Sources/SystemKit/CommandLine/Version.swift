/// The version of this build.
package enum Version {
    package static let text = "0.1.0"

    /// How it was compiled.
    package static var build: String {
        #if DEBUG
            "debug"
        #else
            "release"
        #endif
    }
}
