/// The version of this build.
package enum Version {
    package static let text = "0.1.0"

    /// How it was compiled: `debug` where assertions are looked at.
    package static var build: String {
        var isDebug = false
        assert(
            {
                isDebug = true
                return true
            }()
        )
        return isDebug ? "debug" : "release"
    }
}
